// SPDX-License-Identifier: Apache-2.0
// Tests diffs of two plans, on small examples.
#include "stowage/explain/plan_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/labels.h"
#include "stowage/problem.h"

namespace stowage::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

PlanView ViewOfCsv(const std::string& csv, const std::string& name) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(csv, name);
  EXPECT_TRUE(trace.ok()) << trace.status();
  absl::StatusOr<PlanView> view = ViewPlan(*trace, {name, ""});
  EXPECT_TRUE(view.ok()) << view.status();
  return *view;
}

PlanDiff Diff(const std::string& old_csv, const std::string& new_csv) {
  absl::StatusOr<PlanDiff> diff =
      DiffPlans(ViewOfCsv(old_csv, "old"), ViewOfCsv(new_csv, "new"));
  EXPECT_TRUE(diff.ok()) << diff.status();
  return *diff;
}

// Returns "id reason change" for each row of the diff.
std::vector<std::string> RowsOf(const std::string& old_csv,
                                const std::string& new_csv) {
  const PlanView before = ViewOfCsv(old_csv, "old");
  const PlanView after = ViewOfCsv(new_csv, "new");
  std::vector<std::string> rows;
  const absl::StatusOr<PlanDiff> diff = DiffPlans(before, after);
  EXPECT_TRUE(diff.ok());
  for (const DiffRow& row : diff->rows) {
    rows.push_back(absl::StrCat(
        row.new_record ? after.problem.names[*row.new_record]
                       : before.problem.names[*row.old_record],
        " ", ReasonName(row.reason), " ", static_cast<int>(row.change())));
  }
  return rows;
}

constexpr char kBefore[] =
    "id,lower,upper,size,offset\n"
    "a,0,2,10,0\n"
    "b,1,3,20,10\n"
    "c,2,4,15,30\n";

TEST(PlanDiff, OfAPlanToItselfIsEmpty) {
  const PlanDiff diff = Diff(kBefore, kBefore);
  EXPECT_THAT(diff.rows, IsEmpty());
  EXPECT_EQ(diff.matched, 3u);
  EXPECT_EQ(diff.TotalChange(), 0);
  EXPECT_FALSE(diff.has_peak_moved);
}

TEST(PlanDiff, AddsUp) {
  // The peak of OLD is at task 2, where b and c are live and have 35 bytes. The
  // total of OLD is 45 bytes.
  const char after[] =
      "id,lower,upper,size,offset\n"
      "a,0,3,10,0\n"
      "b,1,3,25,10\n"
      "d,2,4,15,35\n";
  EXPECT_THAT(RowsOf(kBefore, after), ElementsAre("d new 15", "c gone -15",
                                                  "a now live 10", "b grew 5"));
  const PlanDiff diff = Diff(kBefore, after);
  EXPECT_EQ(diff.TensorsChange(), 15);
  EXPECT_EQ(diff.BoundChange(), 0);
  EXPECT_EQ(diff.GapsChange(), -10);
  EXPECT_EQ(diff.TotalChange(), 5);
  EXPECT_THAT(diff.gone, ElementsAre(2));
  EXPECT_THAT(diff.appeared, ElementsAre(2));
}

TEST(PlanDiff, SaysWhatTheOldPeakIsNow) {
  const PlanDiff diff = Diff(kBefore,
                             "id,lower,upper,size,offset\n"
                             "a,0,2,30,0\n"
                             "b,1,3,20,30\n"
                             "c,2,4,15,0\n");
  EXPECT_TRUE(diff.has_peak_moved);
  EXPECT_THAT(diff.old_peak_in_new, Optional(2u));
  EXPECT_EQ(diff.old_peak_now, 35u);
  EXPECT_THAT(diff.new_side.peak, Optional(1u));
}

TEST(PlanDiff, TakesAPeakOfBothIfThereIsOne) {
  const PlanDiff diff =
      Diff("id,lower,upper,size,offset\na,0,1,8,0\nb,1,2,8,0\n",
           "id,lower,upper,size,offset\na,0,1,6,0\nb,1,2,8,0\n");
  EXPECT_FALSE(diff.has_peak_moved);
  EXPECT_THAT(diff.old_side.peak, Optional(1u));
  EXPECT_THAT(diff.rows, IsEmpty());
}

TEST(PlanDiff, RefusesPlansOfTwoKinds) {
  const PlanView offsets = ViewOfCsv(kBefore, "old.csv");
  const PlanView objects =
      ViewOfCsv("id,lower,upper,size,object\na,0,2,10,0\n", "new.csv");
  const absl::Status status = DiffPlans(offsets, objects).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("new.csv: a plan of objects; "
                                          "expected offsets as in old.csv"));
  const PlanView empty = ViewOfCsv("id,lower,upper,size,offset\n", "empty");
  EXPECT_TRUE(DiffPlans(objects, empty).ok());
  EXPECT_EQ(DiffPlans(objects, empty)->TotalChange(), -10);
  EXPECT_EQ(DiffPlans(empty, objects)->TensorsChange(), 10);
}

TEST(PlanDiff, HoldsTheLargestArenas) {
  const char nothing[] = "id,lower,upper,size,offset\n";
  const char huge[] =
      "id,lower,upper,size,offset\n"
      "x,0,1099511627776,9223372036854775808,0\n"
      "y,5,6,9223372036854775807,9223372036854775808\n";
  const PlanDiff grown = Diff(nothing, huge);
  EXPECT_EQ(grown.TotalChange(), absl::int128(absl::Uint128Max() >> 64));
  EXPECT_EQ(grown.TensorsChange(), grown.TotalChange());
  EXPECT_EQ(Diff(huge, nothing).TotalChange(), -grown.TotalChange());
}

// Returns one of two versions of a model. With `has_more`, the model has an
// additional operator, so the same id refers to different tensors in the two
// versions.
ProblemFile NamedTrace(bool has_more) {
  absl::StatusOr<ProblemFile> trace =
      ParseProblemCsv(has_more ? "id,lower,upper,size,offset\n"
                                 "10,0,2,8,0\n"
                                 "11,1,3,8,8\n"
                                 "12,2,4,4,0\n"
                               : "id,lower,upper,size,offset\n"
                                 "10,0,2,8,0\n"
                                 "11,1,3,4,8\n",
                      "model");
  EXPECT_TRUE(trace.ok());
  trace->problem.labels.tensors.resize(trace->problem.records.size());
  for (size_t i = 0; i < trace->problem.labels.tensors.size(); ++i) {
    trace->problem.labels.tensors[i].producer = i;
    trace->problem.labels.tensors[i].shape = "1x4";
  }
  trace->problem.labels.operators =
      has_more ? std::vector<std::string>{"CONV_2D", "PAD", "ADD"}
               : std::vector<std::string>{"CONV_2D", "ADD"};
  return *trace;
}

TEST(MatchTensors, ByOperatorAndShape) {
  const ProblemFile before = NamedTrace(false);
  const ProblemFile after = NamedTrace(true);
  EXPECT_THAT(
      MatchTensors(before.problem, after.problem, MatchBy::kWhatIsKnown),
      ElementsAre(Optional(0u), Optional(2u)));
  EXPECT_THAT(MatchTensors(before.problem, after.problem, MatchBy::kId),
              ElementsAre(Optional(0u), Optional(1u)));
  EXPECT_THAT(MatchTensors(before.problem, after.problem, MatchBy::kName),
              ElementsAre(absl::nullopt, absl::nullopt));
}

TEST(MatchTensors, ByNameFirst) {
  ProblemFile before = NamedTrace(false);
  ProblemFile after = NamedTrace(true);
  before.problem.labels.tensors[0].name = "x";
  after.problem.labels.tensors[1].name = "x";
  EXPECT_THAT(
      MatchTensors(before.problem, after.problem, MatchBy::kWhatIsKnown),
      ElementsAre(Optional(1u), Optional(2u)));
}

TEST(MatchTensors, ByIdWhereOneTraceKnowsNothing) {
  ProblemFile before = NamedTrace(false);
  before.problem.labels.tensors.clear();
  EXPECT_THAT(MatchTensors(before.problem, NamedTrace(true).problem,
                           MatchBy::kWhatIsKnown),
              ElementsAre(Optional(0u), Optional(1u)));
}

TEST(MatchTensors, OfOneKeyInTurn) {
  ProblemFile before = NamedTrace(true);
  ProblemFile after = NamedTrace(true);
  for (ProblemFile* trace : {&before, &after}) {
    for (TensorInfo& info : trace->problem.labels.tensors) info.name = "same";
  }
  after.problem.records[0].first_task = 1;
  after.problem.records[1].first_task = 0;
  EXPECT_THAT(MatchTensors(before.problem, after.problem, MatchBy::kName),
              ElementsAre(Optional(1u), Optional(0u), Optional(2u)));
}

TEST(PlanDiff, FindsTheOldPeakByWhatBeginsThere) {
  absl::StatusOr<PlanView> before = ViewPlan(NamedTrace(false), {"old", ""});
  absl::StatusOr<PlanView> after = ViewPlan(NamedTrace(true), {"new", ""});
  ASSERT_TRUE(before.ok() && after.ok());
  const PlanDiff diff = *DiffPlans(*before, *after);
  EXPECT_FALSE(diff.has_same_tasks);
  // ADD begins at task 1 in OLD and at task 2 in NEW.
  EXPECT_THAT(diff.old_side.peak, Optional(1u));
  EXPECT_THAT(diff.old_peak_in_new, Optional(2u));
  EXPECT_TRUE(diff.has_peak_moved);
  EXPECT_EQ(diff.old_peak_now, 12u);
  EXPECT_EQ(diff.TotalChange(), 4);
}

// Reverting one row of a diff yields the records of NEW without the change that
// the row describes.
TEST(RevertChange, UndoesOneChange) {
  const PlanView before = ViewOfCsv(kBefore, "old");
  const PlanView after = ViewOfCsv(
      "id,lower,upper,size,offset\n"
      "a,0,3,10,0\n"
      "b,1,3,25,10\n"
      "d,2,4,15,35\n",
      "new");
  const PlanDiff diff = *DiffPlans(before, after);
  ASSERT_EQ(diff.rows.size(), 4u);
  const auto revert = [&](size_t row) {
    return RevertChange(before, after, diff, diff.rows[row]);
  };
  const absl::optional<ProblemSpec> without_d = revert(0);
  ASSERT_TRUE(without_d.has_value());
  EXPECT_THAT(without_d->names, ElementsAre("a", "b"));
  const absl::optional<ProblemSpec> with_c = revert(1);
  ASSERT_TRUE(with_c.has_value());
  EXPECT_THAT(with_c->names, ElementsAre("a", "b", "d", "c"));
  EXPECT_EQ(with_c->records[3].tensor_size, 15u);
  const absl::optional<ProblemSpec> short_a = revert(2);
  ASSERT_TRUE(short_a.has_value());
  EXPECT_EQ(short_a->records[0].last_task, 1u);
  const absl::optional<ProblemSpec> small_b = revert(3);
  ASSERT_TRUE(small_b.has_value());
  EXPECT_EQ(small_b->records[1].tensor_size, 20u);
}

// A record that comes back has an alignment if either plan has alignments.
TEST(RevertChange, KeepsOneAlignmentPerRecord) {
  const char kAligned[] =
      "id,lower,upper,size,alignment,offset\n"
      "a,0,2,8,8,0\n";
  const char kPlain[] =
      "id,lower,upper,size,offset\n"
      "a,0,2,8,0\n";
  const char kMore[] = "b,1,2,8,8\n";
  const char kMoreAligned[] = "b,1,2,8,4,8\n";
  const auto alignments = [](const std::string& old_csv,
                             const std::string& new_csv) {
    const PlanView before = ViewOfCsv(old_csv, "old");
    const PlanView after = ViewOfCsv(new_csv, "new");
    const PlanDiff diff = *DiffPlans(before, after);
    EXPECT_EQ(diff.rows.size(), 1u);
    const absl::optional<ProblemSpec> spec =
        RevertChange(before, after, diff, diff.rows[0]);
    EXPECT_TRUE(spec.has_value());
    return spec ? spec->alignments : std::vector<size_t>();
  };
  EXPECT_THAT(alignments(absl::StrCat(kPlain, kMore), kAligned),
              ElementsAre(8u, 1u));
  EXPECT_THAT(alignments(absl::StrCat(kAligned, kMoreAligned), kPlain),
              ElementsAre(1u, 4u));
}

TEST(RevertChange, IsNothingWhereThePeakMovedAlone) {
  const PlanView before = ViewOfCsv(kBefore, "old");
  const PlanView after = ViewOfCsv(
      "id,lower,upper,size,offset\n"
      "a,0,2,30,0\n"
      "b,1,3,20,30\n"
      "c,2,4,15,0\n",
      "new");
  const PlanDiff diff = *DiffPlans(before, after);
  ASSERT_EQ(diff.rows.size(), 2u);
  EXPECT_EQ(diff.rows[0].reason, DiffRow::Reason::kNowLive);
  EXPECT_TRUE(RevertChange(before, after, diff, diff.rows[0]).has_value());
  EXPECT_EQ(diff.rows[1].reason, DiffRow::Reason::kNoLongerLive);
  EXPECT_FALSE(RevertChange(before, after, diff, diff.rows[1]).has_value());
}

}  // namespace
}  // namespace stowage::views
