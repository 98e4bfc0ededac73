// SPDX-License-Identifier: Apache-2.0
// Tests explanations of the size of plans, on small examples and on files of
// data/traces.
#include "stowage/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"

namespace stowage::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kMax = std::numeric_limits<size_t>::max();

std::vector<size_t> MarginalsOf(const BreadthExplanation& why) {
  std::vector<size_t> marginals;
  for (const RecordValue& value : why.values) {
    marginals.push_back(value.marginal);
  }
  return marginals;
}

std::vector<size_t> ShorterOf(const BreadthExplanation& why) {
  std::vector<size_t> values;
  for (const RecordValue& value : why.values) {
    values.push_back(value.if_ended_before_peak);
  }
  return values;
}

PlanView ViewCsv(const std::string& csv) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(csv, "plan.csv");
  EXPECT_TRUE(trace.ok()) << trace.status();
  absl::StatusOr<PlanView> view = ViewPlan(*trace, {"plan.csv", ""});
  EXPECT_TRUE(view.ok()) << view.status();
  return *view;
}

// The bound cannot fall below the breadth of other peaks, so even a large
// tensor may have a small marginal value.
TEST(ExplainBreadth, ALargeTensorMayBeWorthLittle) {
  const BreadthExplanation why =
      ExplainBreadth({{100, 0, 1}, {20, 1, 5}, {110, 4, 4}});
  EXPECT_EQ(why.breadth, 130u);
  EXPECT_THAT(why.peaks, ElementsAre(4));
  EXPECT_THAT(MarginalsOf(why), ElementsAre(0, 20, 10));
  EXPECT_THAT(why.at_peak, ElementsAre(1, 2));
  EXPECT_THAT(why.plateau, ElementsAre(1));
}

TEST(ExplainBreadth, AShorterLifeIsWorthLessThanNone) {
  // Even if record 0 ended before task 4, the peak of 100 at task 1 would
  // remain.
  const BreadthExplanation why =
      ExplainBreadth({{60, 0, 5}, {40, 1, 1}, {50, 4, 4}});
  EXPECT_EQ(why.breadth, 110u);
  EXPECT_THAT(MarginalsOf(why), ElementsAre(60, 0, 10));
  EXPECT_THAT(ShorterOf(why), ElementsAre(10, 0, 0));
}

TEST(ExplainBreadth, EqualPeaksWithoutACommonTensorNeedSeveral) {
  const BreadthExplanation why =
      ExplainBreadth({{10, 0, 0}, {5, 2, 3}, {5, 2, 2}, {5, 3, 3}, {10, 5, 5}});
  EXPECT_THAT(why.peaks, ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(MarginalsOf(why), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(why.plateau, ElementsAre(0, 1, 4));
}

// A peak lasts until its breadth changes, and not only while records begin.
TEST(ExplainBreadth, PeaksLastUntilTheBreadthChanges) {
  const struct {
    std::vector<ByteRecord> records;
    std::vector<TaskId> peaks;
    std::vector<TaskId> ends;
  } cases[] = {
      {{{8, 3, 8}}, {3}, {8}},
      {{{8, 3, 8}, {0, 4, 4}}, {3, 4}, {3, 8}},
      {{{8, 3, 8}, {2, 3, 5}, {2, 7, 7}}, {3, 7}, {5, 7}},
      {{{8, 3, 8}, {4, 0, 1}, {8, 9, kMax}}, {3, 9}, {8, kMax}},
  };
  for (const auto& c : cases) {
    const BreadthExplanation why = ExplainBreadth(c.records);
    EXPECT_EQ(why.peaks, c.peaks);
    EXPECT_EQ(why.peak_ends, c.ends);
  }
}

TEST(ExplainBreadth, OfNothingIsNothing) {
  const BreadthExplanation none = ExplainBreadth({});
  EXPECT_EQ(none.breadth, 0u);
  EXPECT_THAT(none.plateau, IsEmpty());
  const BreadthExplanation zero = ExplainBreadth({{0, 1, 2}});
  EXPECT_THAT(zero.peaks, IsEmpty());
  EXPECT_THAT(MarginalsOf(zero), ElementsAre(0));
}

TEST(ExplainBreadth, TakesAnySizeAndTask) {
  const BreadthExplanation why = ExplainBreadth(
      {{size_t{1} << 63, 0, kMax}, {(size_t{1} << 63) - 1, kMax, kMax}});
  EXPECT_EQ(why.breadth, kMax);
  EXPECT_THAT(MarginalsOf(why),
              ElementsAre(size_t{1} << 63, (size_t{1} << 63) - 1));
  EXPECT_THAT(ShorterOf(why), ElementsAre((size_t{1} << 63) - 1, 0));
}

// A plan in which the record `skip` is on top of the record `foot`. At the
// peak, `foot` is no longer live, so the bytes below `skip` are free.
constexpr char kLifted[] =
    "id,lower,upper,size,offset\n"
    "foot,0,2,50,0\n"
    "skip,1,4,20,50\n"
    "peak,3,4,40,0\n";

TEST(SupportChain, SaysWhatLiftsWhat) {
  const PlanView view = ViewCsv(kLifted);
  const PlanExplanation why = ExplainPlan(view);
  ASSERT_EQ(why.chains.size(), 1u);
  const SupportChain& chain = why.chains[0];
  ASSERT_EQ(chain.parts.size(), 2u);
  EXPECT_EQ(chain.parts[0].record, 0u);
  EXPECT_EQ(chain.parts[1].record, 1u);
  EXPECT_EQ(chain.size, 70u);
  EXPECT_EQ(chain.breadth, 70u);
  EXPECT_EQ(chain.excess, 0u);
  EXPECT_THAT(DescribeSupportChain(view, chain), HasSubstr("No excess"));
}

TEST(SupportChain, IsTheExcessOfThePlan) {
  const PlanView view = ViewCsv(
      "id,lower,upper,size,offset\n"
      "foot,0,2,50,0\n"
      "skip,1,4,20,50\n"
      "peak,3,4,46,0\n"
      "late,3,4,5,70\n");
  const PlanExplanation why = ExplainPlan(view);
  ASSERT_EQ(why.chains.size(), 1u);
  const SupportChain& chain = why.chains[0];
  EXPECT_EQ(chain.size, 75u);
  EXPECT_EQ(chain.excess, 4u);
  ASSERT_EQ(chain.lifts.size(), 1u);
  EXPECT_EQ(chain.lifts[0].held, 50u);
  EXPECT_EQ(chain.lifts[0].needed, 46u);
  EXPECT_EQ(chain.lifts[0].bytes, 4u);
  EXPECT_EQ(chain.rest, 0u);
  EXPECT_EQ(
      DescribeSupportChain(view, chain),
      R"("foot" (50 bytes, tasks 0-1) lifts "skip" and "late", which are )"
      "live at the peak (task 3): 50 bytes lie beneath, of which the "
      "peak needs 46; the other 4 are the excess.");
}

TEST(SupportChain, OfAnUnsafePlanSaysSo) {
  const PlanView view = ViewCsv(
      "id,lower,upper,size,offset\n"
      "a,0,2,6,0\n"
      "b,1,3,4,2\n");
  const PlanExplanation why = ExplainPlan(view);
  ASSERT_EQ(why.chains.size(), 1u);
  EXPECT_THAT(DescribeSupportChain(view, why.chains[0]), HasSubstr("unsafe"));
}

TEST(SupportChain, EndsBelowATensorOfNoBytes) {
  const PlanExplanation why = ExplainPlan(
      ViewCsv("id,lower,upper,size,offset\na,0,2,6,0\nb,0,2,0,9\n"));
  ASSERT_EQ(why.chains.size(), 1u);
  EXPECT_EQ(why.chains[0].parts.size(), 1u);
  EXPECT_EQ(why.chains[0].above, 3u);
  EXPECT_EQ(why.chains[0].rest, 3u);
}

TEST(Waste, TellsGapsFromTheFreeTop) {
  const PlanWaste waste = ExplainPlan(ViewCsv(kLifted)).waste;
  std::vector<std::string> tasks;
  for (const TaskWaste& at : waste.tasks) {
    tasks.push_back(
        absl::StrCat(at.task, ":", at.held, "+", at.inside, "+", at.top));
  }
  EXPECT_THAT(tasks,
              ElementsAre("0:50+0+20", "1:70+0+0", "2:20+50+0", "3:60+10+0"));
  EXPECT_EQ(waste.tasks[waste.worst].task, 2u);
  EXPECT_EQ(waste.inside_sum, 60);
  EXPECT_EQ(waste.inside_mean, 15u);
  EXPECT_EQ(waste.top_sum, 20);
}

TEST(Waste, IsThatOfEachObject) {
  const PlanView view = ViewCsv(
      "id,lower,upper,size,object\n"
      "none,0,9,0,5\n"
      "a,0,2,6,7\n"
      "b,1,3,4,3\n"
      "c,4,5,10,3\n");
  const PlanExplanation why = ExplainPlan(view);
  EXPECT_THAT(why.chains, IsEmpty());
  const std::vector<BandWaste>& bands = why.waste.bands;
  ASSERT_EQ(bands.size(), 3u);
  EXPECT_EQ(bands[1].records, 2u) << "with the one of no bytes";
  EXPECT_EQ(bands[1].max_held, 6u);
  EXPECT_EQ(bands[2].max_held, 10u);
  // The first peak is at task 1, where a and b are live.
  EXPECT_EQ(bands[1].free_at_peak, 0u);
  EXPECT_EQ(bands[2].free_at_peak, 6u);
  EXPECT_EQ(bands[2].mean_free, (9 * 10 - 4 - 4 - 10) / 9);
}

TEST(Waste, HasASupportChainForEachPool) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(kLifted, "plan.csv");
  ASSERT_TRUE(trace.ok());
  trace->problem.constraints.pools = {{"sram", 60}, {"none", 8}, {"dram", {}}};
  trace->plan.offsets = {0, 0, 0};
  trace->plan.chosen_pools = {0, 2, 0};
  const absl::StatusOr<PlanView> view = ViewPlan(*trace, {"pools", ""});
  ASSERT_TRUE(view.ok()) << view.status();
  const PlanExplanation why = ExplainPlan(*view);
  ASSERT_EQ(why.chains.size(), 2u);
  EXPECT_EQ(why.chains[0].size, 50u);
  EXPECT_EQ(why.chains[1].band, 2u);
  EXPECT_EQ(why.chains[1].floor, 50u);
  EXPECT_EQ(why.chains[1].size, 20u);
  EXPECT_EQ(why.waste.bands[0].free_at_peak, 0u);
}

TEST(WhyBoundDiffers, NamesWhatElseCounts) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(kLifted, "plan.csv");
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(WhyBoundDiffers(trace->problem, PlanKind::kOffsets), "");
  EXPECT_EQ(WhyBoundDiffers(trace->problem, PlanKind::kObjects),
            "shared objects");
  trace->problem.fixed_offsets = {absl::nullopt, 7, absl::nullopt};
  EXPECT_EQ(WhyBoundDiffers(trace->problem, PlanKind::kOffsets),
            "fixed offsets");
  trace->problem.constraints.never = {{0, 1}};
  EXPECT_EQ(WhyBoundDiffers(trace->problem, PlanKind::kOffsets), "constraints");
}

TEST(ReplanWithout, LeavesEachRecordOut) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(kLifted, "plan.csv");
  ASSERT_TRUE(trace.ok());
  trace->problem.place_first = {0, 2};
  EXPECT_THAT(WithoutRecord(trace->problem, 1).place_first, ElementsAre(0, 1));
  EXPECT_THAT(WithoutRecord(trace->problem, 1).names,
              ElementsAre("foot", "peak"));
  const auto naive = [](const ProblemSpec& less) -> absl::StatusOr<size_t> {
    return NaiveSize(less.records);
  };
  const auto totals = ReplanWithout(trace->problem, {0, 2}, naive);
  ASSERT_TRUE(totals.ok());
  EXPECT_THAT(*totals, ElementsAre(60, 70));
  trace->problem.constraints.never = {{0, 1}};
  const ProblemSpec kept = WithoutRecord(trace->problem, 0);
  EXPECT_EQ(kept.records.size(), 3u);
  EXPECT_EQ(kept.records[0].tensor_size, 0u);
  const auto fails = [](const ProblemSpec&) -> absl::StatusOr<size_t> {
    return absl::UnimplementedError("no");
  };
  EXPECT_TRUE(absl::IsUnimplemented(
      ReplanWithout(trace->problem, {1}, fails).status()));
}

// Expects that removing any record lowers the bound by the marginal value of
// the record.
void ExpectMarginalsOf(const std::vector<ByteRecord>& records) {
  const BreadthExplanation why = ExplainBreadth(records);
  ASSERT_EQ(why.breadth, OffsetsLowerBound(records));
  for (size_t i = 0; i < records.size(); ++i) {
    std::vector<ByteRecord> others = records;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    ASSERT_EQ(why.values[i].marginal, why.breadth - OffsetsLowerBound(others))
        << "record " << i;
  }
}

TEST(ExplainBreadth, AgreesWithBruteForceOnEveryTrace) {
  size_t traces = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(STOWAGE_SOURCE_DIR "/data/traces")) {
    if (entry.path().extension() != ".csv") continue;
    SCOPED_TRACE(entry.path());
    const absl::StatusOr<ProblemFile> trace =
        ReadProblemFile(entry.path().string());
    ASSERT_TRUE(trace.ok()) << trace.status();
    ExpectMarginalsOf(trace->problem.records);
    ++traces;
  }
  EXPECT_GE(traces, 14u);
}

// At the peak, three tensors have a marginal value that is eight times that of
// the largest tensor. The support chain of the greedy plan has no gap, but it
// contains tensor 99, and the bytes of this tensor are free at the peak.
TEST(Explain, UNetPlusPlus) {
  absl::StatusOr<ProblemFile> trace =
      ReadProblemFile(STOWAGE_SOURCE_DIR "/data/traces/unet_plus_plus.csv");
  ASSERT_TRUE(trace.ok()) << trace.status();
  OffsetsAssignment plan;
  ASSERT_TRUE(AssignOffsetsToTensors(trace->problem.records,
                                     MemoryStrategy::GREEDY_BY_SIZE, &plan)
                  .ok());
  trace->plan.offsets = plan.offsets;
  const absl::StatusOr<PlanView> view = ViewPlan(*trace, {"upp", ""});
  ASSERT_TRUE(view.ok()) << view.status();
  const PlanExplanation why = ExplainPlan(*view);
  for (size_t i = 0; i < trace->problem.names.size(); ++i) {
    const std::string& id = trace->problem.names[i];
    const size_t marginal = why.breadth.values[i].marginal;
    if (id == "6" || id == "24" || id == "56") {
      EXPECT_EQ(marginal, 18874368u);
    } else if (id == "93") {
      EXPECT_EQ(marginal, 2359296u);
    }
  }
  ASSERT_EQ(why.chains.size(), 1u);
  const SupportChain& chain = why.chains[0];
  EXPECT_EQ(chain.gaps, 0u);
  EXPECT_EQ(chain.size, 209977344u);
  EXPECT_EQ(chain.excess, 18874368u);
  EXPECT_EQ(chain.parts.size(), 11u);
  EXPECT_EQ(trace->problem.names[chain.parts[0].record], "147");
  const std::string text = DescribeSupportChain(*view, chain);
  EXPECT_THAT(text, HasSubstr(R"("99" (18874368 bytes, tasks 36-54) lifts )"
                              R"("13", "45", "88" and 3 others)"));
  EXPECT_THAT(text, HasSubstr("169869312 bytes lie beneath, of which the peak "
                              "needs 150994944; the other 18874368 are"));
}

}  // namespace
}  // namespace stowage::views
