// SPDX-License-Identifier: Apache-2.0
// Tests that the whole kit finds and shrinks the failure of a planner.
#include "stowage/testing/find_failure.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/testing/families.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/shrink.h"
#include "stowage/testing/specs.h"
#include "tests/support/plan_request.h"
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

using support::IsOk;
using support::PlanRequest;

using Records = absl::Span<const ByteRecord>;

// Returns a plan with all records at offset 0. The plan is safe only if no
// records conflict.
absl::StatusOr<OffsetsAssignment> AllAtZero(Records records,
                                            const Alignments& /*alignments*/) {
  OffsetsAssignment plan;
  plan.offsets.assign(records.size(), 0);
  for (const ByteRecord& record : records) {
    plan.total_size = std::max(plan.total_size, record.tensor_size);
  }
  return plan;
}

// Returns a plan that assigns all records to one object.
absl::StatusOr<ObjectsAssignment<size_t>> OneObject(Records records) {
  ObjectsAssignment<size_t> plan;
  plan.object_ids.assign(records.size(), 0);
  plan.object_sizes.assign(records.empty() ? 0 : 1, 0);
  for (const ByteRecord& record : records) {
    plan.object_sizes[0] = std::max(plan.object_sizes[0], record.tensor_size);
  }
  return plan;
}

TEST(FindFailureTest, FindsNoFailureOfCorrectPlanners) {
  PlanRequest options;
  options.strategy = "greedy_by_size";
  SearchForFailure search;
  search.traces = support::Sampled(search.traces);
  EXPECT_FALSE(
      FindFailure(StrategyPlanFn(options.strategy, options.search), search));
  EXPECT_FALSE(FindFailure(
      StrategyObjectsPlanFn(options.strategy, options.search), search));
}

TEST(FindFailureTest, ReturnsTheSmallestTrace) {
  const auto failure = FindFailure(&AllAtZero);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->property, "safety");
  EXPECT_EQ(failure->status.message(),
            "tensor 0 and tensor 1 both hold bytes [0, 1) at task 0");
  const auto csv = FormatProblemCsv(ToFile(failure->smallest));
  ASSERT_THAT(csv, IsOk());
  EXPECT_EQ(*csv, "id,lower,upper,size\nt0,0,1,1\nt1,0,1,1\n");
  EXPECT_GE(failure->found.records.size(), 2);
}

TEST(FindFailureTest, IsReproducible) {
  const auto failure = FindFailure(&AllAtZero);
  ASSERT_TRUE(failure);
  const auto property = FindProperty(failure->property);
  ASSERT_THAT(property, IsOk());
  for (const ProblemSpec* spec : {&failure->found, &failure->smallest}) {
    EXPECT_EQ(property->check(&AllAtZero, *spec).code(),
              absl::StatusCode::kInternal);
  }
  const auto again = FindFailure(&AllAtZero);
  ASSERT_TRUE(again);
  EXPECT_EQ(Describe(*again), Describe(*failure));
}

// If a planner fails only once, the trace on which it fails cannot be shrunk.
TEST(FindFailureTest, ReturnsTheFoundTraceOfAPlannerThatFailsOnce) {
  size_t calls = 0;
  const PlanFn planner = [&calls](Records records, const Alignments& alignments)
      -> absl::StatusOr<OffsetsAssignment> {
    PlanRequest options;
    options.strategy = "naive";
    auto plan =
        StrategyPlanFn(options.strategy, options.search)(records, alignments);
    if (plan.ok() && records.size() == 5 && calls++ == 0) plan->total_size = 0;
    return plan;
  };
  const auto bounds = FindProperty("bounds");
  ASSERT_THAT(bounds, IsOk());
  const auto failure = FindFailure(planner, SearchForFailure(),
                                   absl::MakeConstSpan(&*bounds, 1));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->smallest.records.size(), 5);
  EXPECT_THAT(failure->status.message(),
              ::testing::HasSubstr("ends beyond the arena of 0"));
}

size_t LastTask(Records records) {
  size_t last = 0;
  for (const ByteRecord& record : records) {
    last = std::max<size_t>(last, record.last_task);
  }
  return last;
}

// Searches for a failure of a planner that refuses traces whose last task is 50
// or later. Once, the planner also refuses a trace whose last task is from 20
// to 39, with the message `reason_once`.
absl::optional<Failure> FindRefusal(const std::string& reason_once) {
  bool is_busy = true;
  const PlanFn planner =
      [&](Records records,
          const Alignments& alignments) -> absl::StatusOr<OffsetsAssignment> {
    const size_t last = LastTask(records);
    if (last >= 50) return absl::OutOfRangeError("too late");
    if (last >= 20 && last < 40 && is_busy) {
      is_busy = false;
      return absl::OutOfRangeError(reason_once);
    }
    return StrategyPlanFn("naive")(records, alignments);
  };
  SearchForFailure search;
  search.families = {Family::kFarTasks};
  const auto property = FindProperty("completeness");
  EXPECT_THAT(property, IsOk());
  return FindFailure(planner, search, absl::MakeConstSpan(&*property, 1));
}

// The planner also fails once on a trace that it otherwise plans, either with
// another message or with the usual one. This failure does not stop shrinking,
// and the resulting trace is one on which the planner still fails.
TEST(FindFailureTest, KeepsTheSmallestTraceThatStillFails) {
  for (const std::string reason : {"busy", "too late"}) {
    const auto failure = FindRefusal(reason);
    ASSERT_TRUE(failure) << reason;
    EXPECT_EQ(failure->smallest.records.size(), 1U) << reason;
    EXPECT_GE(LastTask(failure->smallest.records), 50U) << reason;
    EXPECT_LT(LastTask(failure->smallest.records), 200U) << reason;
    EXPECT_THAT(failure->status.message(), ::testing::HasSubstr("too late"));
    EXPECT_EQ(failure->shrink_end, ShrinkEnd::kSmallest) << reason;
  }
}

// Returns a correct plan if the records are sorted, and otherwise a plan with
// all records at offset 0.
absl::StatusOr<OffsetsAssignment> SortedOnly(Records records,
                                             const Alignments& alignments) {
  if (!std::is_sorted(records.begin(), records.end(), BeginsBefore())) {
    return AllAtZero(records, alignments);
  }
  return StrategyPlanFn("greedy_best")(records, alignments);
}

// A property may change the records before it calls the planner. The failure
// then also contains the changed records.
TEST(FindFailureTest, ReturnsWhatThePlannerWasCalledWith) {
  SearchForFailure search;
  search.families = {Family::kChains};
  const PlanFn in_order = [](Records records, const Alignments& alignments) {
    return SortedOnly(records, alignments);
  };
  const PlanFn refuses =
      [](Records records,
         const Alignments& alignments) -> absl::StatusOr<OffsetsAssignment> {
    if (!std::is_sorted(records.begin(), records.end(), BeginsBefore())) {
      return absl::OutOfRangeError("not in order");
    }
    return SortedOnly(records, alignments);
  };
  for (const PlanFn& planner : {in_order, refuses}) {
    const auto failure = FindFailure(planner, search);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->property, "order_independence");
    const ProblemSpec& asked = failure->asked;
    const auto plan = planner(asked);
    EXPECT_FALSE(plan.ok() &&
                 CheckPlan(asked.records, *plan, AlignmentsOf(asked)).ok());
    EXPECT_THAT(Describe(*failure),
                ::testing::HasSubstr("changed    as the property has it, to "));
  }
}

// The claim compares several plans. Each plan is correct, so no plan is a
// failure by itself.
TEST(FindFailureTest, ReturnsTheTraceOfAClaim) {
  const auto claim = FindProperty("monotone_optimum");
  ASSERT_THAT(claim, IsOk());
  const auto failure =
      FindFailure(StrategyPlanFn("greedy_best"), SearchForFailure(),
                  absl::MakeConstSpan(&*claim, 1));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->asked.records.size(), failure->smallest.records.size());
}

TEST(FindFailureTest, FailsAPlannerThatPlansNothing) {
  const PlanFn offsets =
      [](Records records,
         const Alignments& alignments) -> absl::StatusOr<OffsetsAssignment> {
    if (records.empty()) return AllAtZero(records, alignments);
    return absl::UnimplementedError("unsupported");
  };
  const ObjectsPlanFn objects =
      [](Records) -> absl::StatusOr<ObjectsAssignment<size_t>> {
    return absl::UnimplementedError("unsupported");
  };
  for (const auto& failure : {FindFailure(offsets), FindFailure(objects)}) {
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->property, "planned");
    EXPECT_EQ(failure->status.message(),
              "the planner has planned none of the problems: UNIMPLEMENTED: "
              "unsupported");
    EXPECT_EQ(failure->smallest.records.size(), 1);
  }
}

// A planner may refuse records as long as it plans some records.
TEST(FindFailureTest, PassesAPlannerThatPlansSomething) {
  const PlanFn planner =
      [](Records records,
         const Alignments& alignments) -> absl::StatusOr<OffsetsAssignment> {
    if (records.size() != 3) return absl::UnimplementedError("not 3");
    return StrategyPlanFn("greedy_best")(records, alignments);
  };
  EXPECT_FALSE(FindFailure(planner));
}

TEST(FindFailureTest, SurvivesExceptions) {
  const PlanFn planner = [](Records records, const Alignments& alignments) {
    if (records.size() > 1) throw std::length_error("more than one");
    return AllAtZero(records, alignments);
  };
  const auto failure = FindFailure(planner);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->status.message(), "the planner threw: more than one");
  EXPECT_EQ(failure->asked.records.size(), 2);

  const auto none = FindFailure(PlanFnOf(nullptr, nullptr));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->status.message(),
            "there is no planner: the function is empty");
}

TEST(FindFailureTest, WorksForObjects) {
  const auto failure = FindFailure(&OneObject);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->property, "safety");
  EXPECT_EQ(failure->smallest.records.size(), 2);
}

// The requests that a planner received during a search.
struct Asked {
  size_t calls = 0;
  size_t max_records = 0;
  size_t large = 0;  // calls with more than 256 records
  std::set<size_t> alignments;
  bool is_sorted = true;
};

Asked AskedIn(const SearchForFailure& search) {
  Asked asked;
  const PlanFn planner = [&asked](Records records, const Alignments& alignments)
      -> absl::StatusOr<OffsetsAssignment> {
    ++asked.calls;
    asked.max_records = std::max(asked.max_records, records.size());
    if (records.size() > 256) ++asked.large;
    asked.is_sorted =
        asked.is_sorted &&
        std::is_sorted(records.begin(), records.end(), BeginsBefore());
    for (size_t i = 0; i < records.size(); ++i) {
      asked.alignments.insert(alignments.Of(i));
    }
    return AllAtZero(records, alignments);
  };
  const auto completeness = FindProperty("completeness");
  EXPECT_FALSE(
      FindFailure(planner, search, absl::MakeConstSpan(&*completeness, 1)));
  return asked;
}

TEST(FindFailureTest, FollowsItsOptions) {
  SearchForFailure search;
  search.traces = 500;
  search.families = {Family::kChains};
  Asked asked = AskedIn(search);
  EXPECT_EQ(asked.calls, 500);
  EXPECT_EQ(asked.max_records, 300);
  EXPECT_EQ(*asked.alignments.rbegin(), size_t{1} << 17);
  EXPECT_TRUE(asked.is_sorted);

  search.max_alignment = 1;
  search.large_size = 0;
  asked = AskedIn(search);
  EXPECT_EQ(asked.alignments, (std::set<size_t>{1}));
  EXPECT_EQ(asked.max_records, 20);

  search.max_size = 7;
  asked = AskedIn(search);
  EXPECT_EQ(asked.max_records, 7);

  // If the sizes are unlimited, the largest trace has 249 records.
  search.max_size = std::numeric_limits<size_t>::max();
  EXPECT_EQ(AskedIn(search).max_records, 249);
  search.max_size = 7;

  search.families = {Family::kChains, Family::kUnsorted};
  EXPECT_FALSE(AskedIn(search).is_sorted);
  search.traces = 0;
  EXPECT_EQ(AskedIn(search).calls, 0);
}

// A planner may have tables for 64 or 256 records. Only traces with more
// records show what happens when the tables are full.
TEST(FindFailureTest, TriesLargeTracesNowAndThen) {
  const Asked asked = AskedIn(SearchForFailure());
  EXPECT_GT(asked.large, 5);
  EXPECT_LT(asked.large, 40);
}

TEST(FindFailureTest, DescribesTheFailure) {
  Failure failure;
  failure.property = "alignment";
  failure.sentence = "Every offset is a multiple of its alignment.";
  failure.family = Family::kAlignmentTraps;
  failure.seed = 7;
  failure.traces = 12;
  failure.found.records.resize(9);
  failure.smallest.records = {{1, 0, 0}, {5, 0, 3}};
  failure.smallest.alignments = {1, 8};
  failure.asked = failure.smallest;
  failure.status = absl::InternalError("tensor 1 starts at byte 1");
  EXPECT_EQ(Describe(failure),
            "property   alignment: Every offset is a multiple of its "
            "alignment.\n"
            "violated   tensor 1 starts at byte 1\n"
            "found in   trace 12, of the family alignment_traps with seed 7: "
            "9 records, shrunk to 2\n"
            "tensor 0   1 byte, tasks [0, 0], alignment 1\n"
            "tensor 1   5 bytes, tasks [0, 3], alignment 8\n");
  failure.shrink_end = ShrinkEnd::kAttempts;
  EXPECT_THAT(Describe(failure),
              ::testing::HasSubstr("shrunk to 2\n"
                                   "limit      shrinking ended at its limit: "
                                   "smaller traces may fail as well\n"));
  failure.shrink_end = ShrinkEnd::kSmallest;
  failure.asked.records.pop_back();
  failure.asked.alignments.clear();
  EXPECT_THAT(Describe(failure),
              ::testing::EndsWith("9 records, shrunk to 2\n"
                                  "changed    as the property has it, to 1\n"
                                  "tensor 0   1 byte, tasks [0, 0]\n"));
}

}  // namespace
}  // namespace stowage::testing
