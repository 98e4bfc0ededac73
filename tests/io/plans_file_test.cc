// SPDX-License-Identifier: Apache-2.0
// Tests files of plans. Regardless of the content of a file, a cache must never
// return an unsafe plan from it.
#include "stowage/io/plans_file.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/free_order.h"
#include "stowage/plan_cache.h"
#include "stowage/problem.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::HasSubstr;

constexpr size_t kBytes = size_t{1} << 24;
constexpr char kFirstLine[] = "stowage plans 1 fingerprints 1\n";

Problem ThreeRecords() {
  ProblemSpec spec;
  spec.records = {{16, 0, 1}, {8, 1, 2}, {16, 2, 3}};
  return *Problem::Create(std::move(spec));
}

Problem SharedObjects() {
  ProblemSpec spec = ThreeRecords().ToSpec();
  spec.kind = PlanKind::kObjects;
  return *Problem::Create(std::move(spec));
}

Problem TwoPools() {
  ProblemSpec spec = ThreeRecords().ToSpec();
  spec.constraints.pools = {{"a", 16}, {"b", 100}};
  return *Problem::Create(std::move(spec));
}

Problem AnyOrder() {
  ProblemSpec spec;
  spec.records = {{10, 0, 0}, {10, 0, 0}};
  spec.free_order = FreeOrder{
      4, {}, UserLists(std::vector<std::vector<TaskId>>{{0, 2}, {1, 3}})};
  return *Problem::Create(std::move(spec));
}

// Returns the plan that the cache has for `problem`.
Solution PlanFor(const Problem& problem, PlanCache* cache) {
  const auto found = cache->Get(problem);
  EXPECT_THAT(found, IsOk());
  return found.ok() ? **found : Solution();
}

// Counts the lines of a text according to how the cache handled them.
struct Counts {
  size_t added = 0;
  size_t left_out = 0;
  size_t damaged = 0;
};

void AddAll(const PlanList& list, PlanCache* cache, Counts* counts) {
  counts->damaged += list.damaged_lines;
  for (const IdentifiedPlan& plan : list.plans) {
    ++(cache->Add(plan) ? counts->added : counts->left_out);
  }
}

Counts Parse(absl::string_view text, PlanCache* cache) {
  const auto list = ParsePlans(text, "plans.txt");
  EXPECT_THAT(list, IsOk());
  Counts counts;
  if (list.ok()) AddAll(*list, cache, &counts);
  return counts;
}

std::string Format(const PlanCache& cache) {
  return FormatPlans(cache.Plans());
}

// Returns the line of a plan of ThreeRecords, without the line end.
std::string LineOf(absl::string_view plan) {
  const Fingerprint fingerprint = ThreeRecords().fingerprint();
  return absl::StrCat(absl::Hex(fingerprint.high, absl::kZeroPad16),
                      absl::Hex(fingerprint.low, absl::kZeroPad16), " ", plan);
}

TEST(PlansFileTest, IsTextWithALineForEachPlan) {
  PlanCache cache(kBytes);
  EXPECT_EQ(Format(cache), kFirstLine);
  cache.Add(
      {ThreeRecords().fingerprint(),
       std::make_shared<const Solution>(OffsetsAssignment{{8, 0, 8}, 24})});
  EXPECT_EQ(Format(cache),
            absl::StrCat(kFirstLine, LineOf("- offsets 8,0,8\n")));
}

TEST(PlansFileTest, KeepsPlansOfEveryKind) {
  const std::vector<Problem> problems = {ThreeRecords(), SharedObjects(),
                                         TwoPools(), AnyOrder(),
                                         *Problem::Create({})};
  PlanCache cache(kBytes, "optimal");
  std::vector<Solution> before;
  before.reserve(problems.size());
  for (const Problem& problem : problems) {
    before.push_back(PlanFor(problem, &cache));
  }
  const std::string text = Format(cache);
  PlanCache copy(kBytes, "naive");
  EXPECT_EQ(Parse(text, &copy).added, problems.size());
  EXPECT_EQ(Format(copy), text);
  for (size_t i = 0; i < problems.size(); ++i) {
    SCOPED_TRACE(i);
    const Solution after = PlanFor(problems[i], &copy);
    EXPECT_EQ(after.total_size, before[i].total_size);
    EXPECT_EQ(after.strategy, "optimal");
    EXPECT_EQ(after.order, before[i].order);
    if (after.offsets() != nullptr) {
      EXPECT_EQ(after.offsets()->offsets, before[i].offsets()->offsets);
      EXPECT_EQ(after.offsets()->pools, before[i].offsets()->pools);
      EXPECT_EQ(after.offsets()->total_size, before[i].offsets()->total_size);
    } else {
      EXPECT_EQ(after.objects()->object_ids, before[i].objects()->object_ids);
    }
  }
  EXPECT_EQ(copy.stats().hits, problems.size());
  EXPECT_EQ(copy.stats().refused, 0u);
  // Plans that have been used are written with their original fingerprints, so
  // `cache` already has all of them.
  EXPECT_EQ(Parse(Format(copy), &cache).left_out, problems.size());
}

struct BadLine {
  const char* name;
  std::string line;
};

TEST(PlansFileTest, CountsDamagedLines) {
  const BadLine lines[] = {
      {"empty", ""},
      {"a word", "x"},
      {"no plan", LineOf("skyline")},
      {"no numbers", LineOf("skyline offsets")},
      {"unknown plan", LineOf("skyline places 8,0,8")},
      {"capitals in the fingerprint",
       "207857EDAFAAAE4E5915F279184E1D21 skyline offsets 8,0,8"},
      {"a short fingerprint", "207857 skyline offsets 8,0,8"},
      {"a strategy that is no name", LineOf("sky-line offsets 8,0,8")},
      {"no strategy", LineOf(" offsets 8,0,8")},
      {"two spaces", LineOf("skyline offsets  8,0,8")},
      {"a space at the end", LineOf("skyline offsets 8,0,8 ")},
      {"a sign", LineOf("skyline offsets 8,-0,8")},
      {"a plus", LineOf("skyline offsets +8,0,8")},
      {"a comma alone", LineOf("skyline offsets ,")},
      {"a comma at the beginning", LineOf("skyline offsets ,8,0,8")},
      {"two commas", LineOf("skyline offsets 8,,0,8")},
      {"a comma at the end", LineOf("skyline offsets 8,0,8,")},
      {"a tab after a number", LineOf("skyline offsets 8,0\t,8")},
      {"a line end of Windows", LineOf("skyline offsets 8,0,8\r")},
      {"hexadecimal", LineOf("skyline offsets 0x8,0,8")},
      {"2^64", LineOf("skyline offsets 18446744073709551616,0,8")},
      {"a pool of 2^32", LineOf("skyline offsets 8 pools 4294967296")},
      {"pools of other records", LineOf("skyline offsets 8,0,8 pools 0,0")},
      {"an order before pools", LineOf("skyline offsets 8 order 0 pools 0")},
      {"objects without sizes", LineOf("skyline objects 0,1,0")},
      {"a second plan", LineOf("skyline offsets 8 offsets 8")},
      {"a byte 0", LineOf(std::string("skyline offsets 8,0,8\0", 22))},
  };
  for (const BadLine& bad : lines) {
    SCOPED_TRACE(bad.name);
    PlanCache cache(kBytes);
    const Counts counts = Parse(
        absl::StrCat(kFirstLine, bad.line, "\n", LineOf("- offsets 8,0,8\n")),
        &cache);
    EXPECT_EQ(counts.damaged, 1u);
    EXPECT_EQ(counts.added, 1u);
  }
}

TEST(PlansFileTest, RefusesOtherVersions) {
  for (const char* text : {"", "\n", "stowage plans 2 fingerprints 1\n",
                           "stowage plans 1 fingerprints 2\n",
                           "stowage plans 1 fingerprints 1\r\n",
                           "stowage plans 1", "id,lower,upper,size\n"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ParsePlans(text, "plans.txt"),
                FailsWith(absl::StatusCode::kInvalidArgument,
                          HasSubstr("expected \"stowage plans 1 fingerprints "
                                    "1\"")));
  }
  PlanCache cache(kBytes);
  EXPECT_EQ(Parse("stowage plans 1 fingerprints 1", &cache).added, 0u);
}

TEST(PlansFileTest, DoesNotBelieveAPlan) {
  for (const char* plan :
       {"skyline offsets 0,8,0", "skyline offsets 8,0", "skyline offsets ",
        "skyline offsets 8,0,18446744073709551615",
        "skyline offsets 8,0,8 pools 0,0,0", "skyline objects 0,1,0 sizes 16,8",
        "skyline objects 9,9,9 sizes "}) {
    SCOPED_TRACE(plan);
    PlanCache cache(kBytes);
    const Counts counts =
        Parse(absl::StrCat(kFirstLine, LineOf(plan), "\n"), &cache);
    EXPECT_EQ(counts.added, 1u);
    const Solution found = PlanFor(ThreeRecords(), &cache);
    EXPECT_EQ(found.total_size, 24u);
    EXPECT_FALSE(FindViolation(ThreeRecords(), *found.offsets()));
    EXPECT_EQ(cache.stats().refused, 1u);
  }
}

// Truncating a file at any point loses plans, but no plan that is read has to
// be refused.
TEST(PlansFileTest, MayBeCutAnywhere) {
  PlanCache cache(kBytes);
  PlanFor(ThreeRecords(), &cache);
  PlanFor(AnyOrder(), &cache);
  const std::string text = Format(cache);
  for (size_t length = 0; length < text.size(); ++length) {
    PlanCache copy(kBytes);
    const auto list = ParsePlans(text.substr(0, length), "plans.txt");
    EXPECT_EQ(list.ok(), length + 1 >= sizeof(kFirstLine) - 1);
    if (!list.ok()) continue;
    Counts counts;
    AddAll(*list, &copy, &counts);
    EXPECT_LT(counts.added, 2u);
    EXPECT_EQ(PlanFor(ThreeRecords(), &copy).total_size, 24u);
    EXPECT_EQ(copy.stats().refused, 0u);
  }
}

RC_GTEST_PROP(PlansFilePropertyTest, MayBeEditedAnywhere, ()) {
  PlanCache cache(kBytes, "optimal");
  const std::vector<Problem> problems = {ThreeRecords(), TwoPools(),
                                         AnyOrder()};
  for (const Problem& problem : problems) PlanFor(problem, &cache);
  std::string text = Format(cache);
  const int edits = *rc::gen::inRange(1, 5);
  for (int i = 0; i < edits; ++i) {
    text[*rc::gen::inRange<size_t>(sizeof(kFirstLine), text.size())] =
        *rc::gen::elementOf(std::string("0123456789abcdef, \n,offsetpools"));
  }
  PlanCache copy(kBytes, "optimal");
  const auto list = ParsePlans(text, "plans.txt");
  RC_ASSERT(list.ok());
  Counts counts;
  AddAll(*list, &copy, &counts);
  for (const Problem& problem : problems) {
    const auto found = copy.Get(problem);
    RC_ASSERT(found.ok());
    RC_ASSERT((*found)->has_plan());
    if (problem.free_order() != nullptr) continue;  // verified by Get alone
    RC_ASSERT(!FindViolation(problem, *(*found)->offsets()));
  }
}

TEST(PlansFileTest, LeavesOutWhatDoesNotFit) {
  PlanCache cache(kBytes, "optimal");
  PlanFor(ThreeRecords(), &cache);
  PlanFor(SharedObjects(), &cache);
  const std::string text = Format(cache);
  PlanCache copy(kBytes);
  Parse(text, &copy);
  PlanCache small(copy.stats().bytes - 1);
  const Counts lines = Parse(text, &small);
  EXPECT_EQ(lines.added, 1u);
  EXPECT_EQ(lines.left_out, 1u);
  // The plan that was used most recently is kept.
  EXPECT_EQ(small.Plans()[0].fingerprint, SharedObjects().fingerprint());
}

class PlansFileOnDiskTest : public TempFolderTest {};

TEST_F(PlansFileOnDiskTest, IsWrittenAndRead) {
  PlanCache cache(kBytes);
  const std::string path = Path("plans.txt");
  EXPECT_THAT(LoadPlans(path),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr(path)));
  PlanFor(ThreeRecords(), &cache);
  ASSERT_THAT(SavePlans(cache.Plans(), path), IsOk());
  EXPECT_EQ(Read("plans.txt"), Format(cache));
  const auto list = LoadPlans(path);
  ASSERT_THAT(list, IsOk());
  EXPECT_EQ(list->plans.size(), 1u);
  EXPECT_EQ(list->damaged_lines, 0u);
  EXPECT_THAT(SavePlans({}, Path("no/such/folder")),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("no/such")));
}

TEST(PlansFileTest, LeavesOutSolutionsWithoutText) {
  Solution with_groups = OffsetsAssignment{{0, 8}, 16};
  with_groups.places.resize(2);
  const Fingerprint fingerprint = ThreeRecords().fingerprint();
  EXPECT_EQ(FormatPlans(
                {{fingerprint, nullptr},
                 {fingerprint, std::make_shared<const Solution>()},
                 {fingerprint, std::make_shared<const Solution>(with_groups)}}),
            kFirstLine);
}

}  // namespace
}  // namespace stowage
