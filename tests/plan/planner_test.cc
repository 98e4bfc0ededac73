// SPDX-License-Identifier: Apache-2.0
// Tests the results of the planner. Refusals are tested in
// planner_refusal_test.cc.
#include "stowage/planner.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/profile.h"
#include "stowage/registry.h"
#include "stowage/testing/generators.h"
#include "stowage/verify.h"
#include "tests/model/extreme_sizes.h"
#include "tests/plan/scripted_strategy.h"
#include "tests/support/plan_request.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using support::Plan;
using support::PlanRequest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ByteRecords = std::vector<TensorUsageRecord<size_t>>;

PlanRequest Naive(PlanKind kind = PlanKind::kOffsets) {
  PlanRequest options;
  options.strategy = "naive";
  options.kind = kind;
  return options;
}

TEST(AssignTest, AnswersInTheOrderOfTheRecords) {
  const ByteRecords unsorted = {{8, 5, 6}, {16, 0, 1}, {4, 1, 5}};
  ObjectsAssignment<size_t> objects;
  ASSERT_THAT(AssignObjectsToTensors(unsorted, MemoryStrategy::NAIVE, &objects),
              IsOk());
  EXPECT_THAT(objects.object_ids, ElementsAre(0, 1, 2));
  EXPECT_THAT(objects.object_sizes, ElementsAre(8, 16, 4));

  OffsetsAssignment offsets;
  ASSERT_THAT(AssignOffsetsToTensors(unsorted, MemoryStrategy::NAIVE, &offsets),
              IsOk());
  EXPECT_THAT(offsets.offsets, ElementsAre(0, 8, 24));
  EXPECT_EQ(offsets.total_size, 28);
}

TEST(AssignTest, ReplacesWhatTheAssignmentHeld) {
  ObjectsAssignment<size_t> objects = {{7, 7}, {1, 2, 3}};
  OffsetsAssignment offsets = {{7, 7}, 99};
  ASSERT_THAT(
      AssignObjectsToTensors(ByteRecords(), MemoryStrategy::NAIVE, &objects),
      IsOk());
  ASSERT_THAT(
      AssignOffsetsToTensors(ByteRecords(), MemoryStrategy::NAIVE, &offsets),
      IsOk());
  EXPECT_THAT(objects.object_ids, IsEmpty());
  EXPECT_THAT(objects.object_sizes, IsEmpty());
  EXPECT_THAT(offsets.offsets, IsEmpty());
  EXPECT_EQ(offsets.total_size, 0);
}

TEST(AssignTest, OffsetsAreMultiplesOfTheAlignment) {
  const ByteRecords records = {{10, 0, 1}, {100, 1, 2}, {1, 2, 3}};
  OffsetsAssignment offsets;
  ASSERT_THAT(AssignOffsetsToTensors(records, MemoryStrategy::NAIVE, &offsets,
                                     /*base_addr_align_bytes=*/64),
              IsOk());
  EXPECT_THAT(offsets.offsets, ElementsAre(0, 64, 192));
  EXPECT_EQ(offsets.total_size, 193);
}

TEST(AssignTest, ExtentsAndShapesHaveObjectsOfTheirOwnType) {
  ObjectsAssignment<uint2> flat;
  ASSERT_THAT(AssignObjectsToTensors<uint2>({{uint2(8, 4), 0, 1}},
                                            MemoryStrategy::NAIVE, &flat),
              IsOk());
  EXPECT_THAT(flat.object_sizes, ElementsAre(uint2(8, 4)));
  ObjectsAssignment<uint3> deep;
  ASSERT_THAT(AssignObjectsToTensors<uint3>({{uint3(8, 4, 2), 0, 1}},
                                            MemoryStrategy::NAIVE, &deep),
              IsOk());
  EXPECT_THAT(deep.object_sizes, ElementsAre(uint3(8, 4, 2)));
  ObjectsAssignment<BHWC> shapes;
  ASSERT_THAT(AssignObjectsToTensors<BHWC>({{BHWC(1, 8, 4, 2), 0, 1}},
                                           MemoryStrategy::NAIVE, &shapes),
              IsOk());
  EXPECT_THAT(shapes.object_sizes, ElementsAre(BHWC(1, 8, 4, 2)));
}

TEST(PlanTest, ReturnsTheAssignmentOfItsKindWithTheNumbers) {
  const ByteRecords records = {{16, 0, 1}, {8, 1, 2}, {32, 2, 3}};
  const auto offsets = Plan(records, Naive());
  ASSERT_THAT(offsets, IsOk());
  EXPECT_THAT(offsets->offsets()->offsets, ElementsAre(0, 16, 24));
  EXPECT_EQ(offsets->objects(), nullptr);
  EXPECT_EQ(offsets->total_size, 56);
  EXPECT_EQ(offsets->lower_bound, 40);  // 8 + 32 bytes at task 2
  EXPECT_EQ(offsets->status, SolutionStatus::kFeasible);
  EXPECT_EQ(offsets->reason, "");
  EXPECT_GE(offsets->time_ns, 0);

  const auto objects = Plan(records, Naive(PlanKind::kObjects));
  ASSERT_THAT(objects, IsOk());
  EXPECT_THAT(objects->objects()->object_ids, ElementsAre(0, 1, 2));
  EXPECT_EQ(objects->offsets(), nullptr);
  EXPECT_EQ(objects->total_size, 56);
  EXPECT_EQ(objects->lower_bound, 40);  // the positional maximums are 32 and 8
}

TEST(PlanTest, IsOptimalIfTheTotalIsTheLowerBound) {
  const ByteRecords records = {{16, 0, 7}, {8, 5, 9}};
  const auto offsets = Plan(records, Naive());
  ASSERT_THAT(offsets, IsOk());
  EXPECT_EQ(offsets->status, SolutionStatus::kOptimal);
  EXPECT_EQ(offsets->reason, "the total equals the bytes live at task 5");

  const auto objects = Plan(records, Naive(PlanKind::kObjects));
  ASSERT_THAT(objects, IsOk());
  EXPECT_EQ(objects->status, SolutionStatus::kOptimal);
  EXPECT_EQ(objects->reason, "the total equals the sum of positional maximums");
}

TEST(PlanTest, OfNoRecordsIsNothingAndOptimal) {
  const auto plan = Plan({}, Naive());
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->status, SolutionStatus::kOptimal);
  EXPECT_EQ(plan->total_size, 0);
  EXPECT_EQ(plan->lower_bound, 0);
}

TEST(PlanTest, IsInfeasibleIfTheCapacityIsBelowTheLowerBound) {
  size_t calls = 0;
  const auto count = [&calls](const Problem&, const SolveOptions&) {
    ++calls;
    return OffsetsAssignment{{0, 16}, 24};
  };
  ASSERT_THAT(RegisterStrategy(std::make_unique<ScriptedStrategy>(
                  "counts_calls", OffsetsOnly(), count)),
              IsOk());
  const ByteRecords records = {{16, 0, 7}, {8, 5, 9}};
  PlanRequest options;
  options.strategy = "counts_calls";
  options.capacity = 23;
  const auto small = Plan(records, options);
  ASSERT_THAT(small, IsOk());
  EXPECT_EQ(small->status, SolutionStatus::kInfeasible);
  EXPECT_EQ(small->reason,
            "the bytes live at task 5, 24, exceed the capacity 23");
  EXPECT_EQ(small->lower_bound, 24);
  EXPECT_FALSE(small->has_plan());
  EXPECT_EQ(small->offsets(), nullptr);
  EXPECT_EQ(calls, 0);

  options.capacity = 24;
  const auto enough = Plan(records, options);
  ASSERT_THAT(enough, IsOk());
  EXPECT_EQ(enough->status, SolutionStatus::kOptimal);
  EXPECT_EQ(calls, 1);

  PlanRequest objects = Naive(PlanKind::kObjects);
  objects.capacity = 23;
  EXPECT_EQ(Plan(records, objects)->reason,
            "the sum of positional maximums, 24, exceeds the capacity 23");
}

// The message uses the right form of the verb: "bytes exceed", but "end
// exceeds" and "size exceeds".
TEST(PlanTest, SaysWhatExceedsTheCapacityUnderConstraints) {
  const auto reason = [](ProblemSpec spec) {
    const auto solution = Solve(*Problem::Create(std::move(spec)), "skyline");
    EXPECT_THAT(solution, IsOk());
    EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
    return solution->reason;
  };
  ProblemSpec spec;
  spec.records = {{16, 0, 7}, {8, 5, 9}, {8, 11, 12}};
  spec.capacity = 23;
  spec.constraints.apart = {{1, 2}};
  EXPECT_EQ(reason(spec),
            "the bytes live at task 5, 24, exceed the capacity 23");
  spec.constraints.apart = {{0, 1, 2}};
  EXPECT_EQ(reason(spec),
            "the bytes of apart set 0, 32, exceed the capacity 23");
  spec.constraints.apart.clear();
  spec.constraints.places.resize(3);
  spec.constraints.places[2].min = 24;
  EXPECT_EQ(reason(spec),
            "the lowest end of record 2 in its place, 32, exceeds the capacity "
            "23");
}

// Only record 0, which has no bytes, prevents the group from beginning below
// byte 2.
TEST(PlanTest, TheConflictHasTheRecordsThatHoldAGroupUp) {
  ProblemSpec spec;
  spec.records = {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  spec.constraints.places.resize(4);
  spec.constraints.places[0].group = 0;
  spec.constraints.places[1].group = 0;
  spec.constraints.places[3].group = 0;
  spec.constraints.places[1].at = 5;
  spec.constraints.places[0].min = 2;
  spec.capacity = 8;
  const auto solution = Solve(*Problem::Create(spec), "skyline");
  ASSERT_THAT(solution, IsOk());
  EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
  EXPECT_THAT(solution->conflict, ElementsAre(0, 1));
}

TEST(PlanTest, SaysWhichRecordsExceedTheCapacityAlone) {
  const ByteRecords records = {
      {64, 0, 1}, {100, 1, 2}, {100, 3, 4}, {101, 5, 5}};
  PlanRequest options = Naive();
  options.capacity = 99;
  const auto three = Plan(records, options);
  ASSERT_THAT(three, IsOk());
  EXPECT_EQ(three->reason, "each of 3 records alone exceeds the capacity 99");
  EXPECT_THAT(three->conflict, ElementsAre(1, 2, 3));
  EXPECT_FALSE(three->conflict_is_irreducible);
  options.capacity = 100;
  const auto one = Plan(records, options);
  ASSERT_THAT(one, IsOk());
  EXPECT_EQ(one->reason, "the size of record 3, 101, exceeds the capacity 100");
  EXPECT_THAT(one->conflict, ElementsAre(3));
  EXPECT_TRUE(one->conflict_is_irreducible);
  EXPECT_EQ(one->lower_bound, 164);
}

TEST(PlanTest, SaysWhichRecordEndsAboveTheCapacityAtItsFixedOffset) {
  ProblemSpec spec;
  spec.records = ByteRecords{{64, 0, 1}, {30, 1, 2}};
  spec.fixed_offsets = {100, absl::nullopt};
  spec.capacity = 99;
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_THAT(problem, IsOk());
  const auto plan = Solve(*problem, "greedy_best");
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->reason,
            "the end of record 0 at its fixed offset, 164, exceeds the "
            "capacity 99");
  EXPECT_THAT(plan->conflict, ElementsAre(0));
}

// The two records without fixed offsets fit the capacity by themselves, but not
// around the fixed record.
TEST(PlanTest, AConflictWithAFixedRecordMayBeReducible) {
  ProblemSpec spec;
  spec.records = ByteRecords{{10, 0, 1}, {30, 0, 1}, {20, 0, 1}};
  spec.fixed_offsets = {20, absl::nullopt, absl::nullopt};
  spec.capacity = 55;
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_THAT(problem, IsOk());
  const auto plan = Solve(*problem, "greedy_best");
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->conflict, ElementsAre(0, 1, 2));
  EXPECT_FALSE(plan->conflict_is_irreducible);
}

// The total size in the solution covers all pools, although only the first pool
// exceeds its capacity.
TEST(PlanTest, ReturnsNoPlanAboveTheCapacityOfAPool) {
  ProblemSpec spec;
  spec.records = {{32, 0, 0}, {32, 1, 1}, {8, 0, 0}};
  spec.constraints.pools = {{"a", 40}, {"b", absl::nullopt}};
  spec.constraints.choices = {{{0, 0}}, {{0, 0}}, {{1, 0}}};
  const auto solution = Solve(*Problem::Create(std::move(spec)), "naive");
  ASSERT_THAT(solution, IsOk());
  EXPECT_EQ(solution->status, SolutionStatus::kOverCapacity);
  EXPECT_FALSE(solution->has_plan());
  EXPECT_EQ(solution->total_size, 72);
  EXPECT_EQ(solution->lower_bound, 40);
  EXPECT_EQ(solution->reason,
            "pool 'a': the plan takes 64 bytes, more than the capacity of 40");
}

TEST(PlanTest, ReturnsNoPlanAboveTheCapacity) {
  PlanRequest options = Naive();
  options.capacity = 40;
  const auto plan = Plan(ByteRecords{{32, 0, 0}, {32, 1, 1}}, options);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->status, SolutionStatus::kOverCapacity);
  EXPECT_FALSE(plan->has_plan());
  EXPECT_EQ(plan->total_size, 64);
  EXPECT_EQ(plan->reason,
            "the plan takes 64 bytes, more than the capacity of 40");
}

TEST(PlanTest, TakesAnAlignmentForEachRecord) {
  const std::vector<size_t> alignments = {1, 64, 2};
  PlanRequest options = Naive();
  options.alignments = Alignments(alignments);
  const auto plan = Plan(ByteRecords{{5, 0, 1}, {5, 0, 1}, {5, 0, 1}}, options);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->offsets()->offsets, ElementsAre(0, 64, 70));
}

TEST(PlanTest, TaskNumbersCostNothing) {
  const ByteRecords records = {
      {16, 0, 1000000000}, {8, 999999999, kMax}, {4, kMax, kMax}};
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    const auto plan = Plan(records, Naive(kind));
    ASSERT_THAT(plan, IsOk());
    EXPECT_EQ(plan->total_size, 28);
    EXPECT_EQ(plan->lower_bound, 24);
  }
}

TEST(PlanTest, PlansUpToTheLastByteThereIs) {
  const ByteRecords records = {{kMax - 8, 0, 0}, {8, 0, 0}};
  const auto plan = Plan(records, Naive());
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->offsets()->offsets, ElementsAre(0, kMax - 8));
  EXPECT_EQ(plan->total_size, kMax);
  EXPECT_EQ(plan->status, SolutionStatus::kOptimal);
}

TEST(PlanTest, HandsAlignmentsAndReallocationGraphToTheStrategy) {
  const UsageGraph graph = {{1}, {0}};
  UsageGraph seen_graph;
  size_t seen_alignment = 0;
  FeatureSet features = OffsetsOnly();
  features.Add(Feature::kReallocationGraph);
  ASSERT_THAT(RegisterStrategy(std::make_unique<ScriptedStrategy>(
                  "looks_at_options", features,
                  [&](const Problem& problem, const SolveOptions&) {
                    seen_graph = *problem.reallocation_graph();
                    seen_alignment = problem.alignments().Of(1);
                    return OffsetsAssignment{{0, 32}, 40};
                  })),
              IsOk());
  PlanRequest options;
  options.strategy = "looks_at_options";
  options.reallocation_graph = &graph;
  options.alignments = 32;
  ASSERT_THAT(Plan(ByteRecords{{8, 0, 0}, {8, 0, 0}}, options), IsOk());
  EXPECT_EQ(seen_graph, graph);
  EXPECT_EQ(seen_alignment, 32);
}

TEST(PlanTest, KindsAndStatusesHaveTheirNames) {
  EXPECT_EQ(PlanKindName(PlanKind::kOffsets), "offsets");
  EXPECT_EQ(PlanKindName(PlanKind::kObjects), "objects");
  EXPECT_EQ(SolutionStatusName(SolutionStatus::kOptimal), "optimal");
  EXPECT_EQ(SolutionStatusName(SolutionStatus::kFeasible), "feasible");
  EXPECT_EQ(SolutionStatusName(SolutionStatus::kInfeasible), "infeasible");
  EXPECT_EQ(SolutionStatusName(SolutionStatus::kTimeLimit), "time_limit");
}

RC_GTEST_PROP(PlanPropertyTest, NumbersAgreeWithThoseOfTheParts, ()) {
  const ByteRecords records = *testing::AnyRecords();
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    const auto plan = Plan(records, Naive(kind));
    RC_ASSERT(plan.ok());
    RC_ASSERT(plan->total_size == NaiveSize(records));
    RC_ASSERT(plan->lower_bound == (kind == PlanKind::kOffsets
                                        ? OffsetsLowerBound(records)
                                        : ObjectsLowerBound(records)));
    RC_ASSERT((plan->status == SolutionStatus::kOptimal) ==
              (plan->total_size == plan->lower_bound));
    RC_ASSERT(plan->reason.empty() ==
              (plan->status == SolutionStatus::kFeasible));
  }
}

}  // namespace
}  // namespace stowage
