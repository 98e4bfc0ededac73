// SPDX-License-Identifier: Apache-2.0
// Tests how Solve uses an incumbent, which is a plan that the caller already
// has.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/testing/generators.h"
#include "stowage/verify.h"
#include "tests/plan/scripted_strategy.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;

Problem ProblemOf(std::vector<ByteRecord> records,
                  absl::optional<size_t> capacity = absl::nullopt) {
  ProblemSpec spec;
  spec.records = std::move(records);
  spec.capacity = capacity;
  return *Problem::Create(std::move(spec));
}

// Returns three records, of which the first and the last may share all bytes.
Problem ThreeRecords(absl::optional<size_t> capacity = absl::nullopt) {
  return ProblemOf({{16, 0, 1}, {8, 1, 2}, {16, 2, 3}}, capacity);
}

SolveOptions From(const Solution& incumbent) {
  SolveOptions options;
  options.node_budget = 200;
  options.incumbent = &incumbent;
  return options;
}

// Checks the claims of a solution that was found from an incumbent.
void ExpectHonest(const Problem& problem, const Solution& solution,
                  const Solution& incumbent) {
  RC_ASSERT(solution.has_plan());
  RC_ASSERT(solution.total_size <= incumbent.total_size);
  RC_ASSERT(solution.lower_bound <= solution.total_size);
  if (solution.total_size == LowerBoundOf(problem).bytes) {
    RC_ASSERT(solution.status == SolutionStatus::kOptimal);
  }
  if (problem.kind() == PlanKind::kOffsets) {
    RC_ASSERT(!FindViolation(problem, *solution.offsets()));
    RC_ASSERT(solution.offsets()->total_size == solution.total_size);
  } else {
    RC_ASSERT(!FindViolation(problem.records(), *solution.objects()));
  }
}

RC_GTEST_PROP(IncumbentPropertyTest, IsNeverSmallerThanTheResult, ()) {
  ProblemSpec spec;
  spec.records = *testing::AnyRecords();
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    spec.kind = kind;
    const Problem problem = *Problem::Create(spec);
    for (const char* first : {"naive", "equality", "greedy_by_size"}) {
      const auto incumbent = Solve(problem, first);
      RC_ASSERT(incumbent.ok());
      for (const char* name :
           {"arena_best_fit", "equality", "greedy_best", "greedy_in_order",
            "micro_first_fit", "mincostflow", "naive", "optimal", "skyline"}) {
        const Strategy& strategy = **FindStrategy(name);
        if (!problem.Requires().Without(strategy.info().features).empty()) {
          continue;
        }
        const auto found = Solve(problem, strategy, From(*incumbent));
        RC_ASSERT(found.ok());
        ExpectHonest(problem, *found, *incumbent);
      }
    }
  }
}

RC_GTEST_PROP(IncumbentPropertyTest, ThatIsOptimalHasTheTotalOfTheResult, ()) {
  const Problem problem =
      ProblemOf(*rc::gen::scale(0.3, testing::AnyRecords()));
  SolveOptions long_search;
  long_search.node_budget = 100000;
  const auto optimum = Solve(problem, "optimal", long_search);
  RC_ASSERT(optimum.ok());
  RC_PRE(optimum->status == SolutionStatus::kOptimal);
  for (const char* strategy : {"optimal", "naive", "skyline"}) {
    const auto found = Solve(problem, strategy, From(*optimum));
    RC_ASSERT(found.ok());
    RC_ASSERT(found->total_size == optimum->total_size);
    ExpectHonest(problem, *found, *optimum);
  }
}

TEST(IncumbentTest, IsReturnedUnlessAPlanIsSmaller) {
  const Problem problem = ThreeRecords();
  const Solution smallest = OffsetsAssignment{{8, 0, 8}, 24};
  const Solution large = OffsetsAssignment{{100, 0, 50}, 116};
  const auto kept = Solve(problem, "naive", From(smallest));
  ASSERT_THAT(kept, IsOk());
  EXPECT_THAT(kept->offsets()->offsets, ElementsAre(8, 0, 8));
  EXPECT_EQ(kept->found_by, "incumbent");
  EXPECT_EQ(kept->strategy, "naive");
  EXPECT_EQ(kept->status, SolutionStatus::kOptimal);
  EXPECT_EQ(kept->reason, "the total equals the bytes live at task 1");
  const auto replaced = Solve(problem, "naive", From(large));
  ASSERT_THAT(replaced, IsOk());
  EXPECT_EQ(replaced->total_size, 40);
  EXPECT_EQ(replaced->found_by, "naive");
  EXPECT_EQ(replaced->status, SolutionStatus::kFeasible);
  // The incumbent is preferred to another plan of the same size.
  const Solution same = OffsetsAssignment{{24, 16, 0}, 40};
  const auto equal = Solve(problem, "naive", From(same));
  ASSERT_THAT(equal, IsOk());
  EXPECT_THAT(equal->offsets()->offsets, ElementsAre(24, 16, 0));
  EXPECT_EQ(equal->status, SolutionStatus::kFeasible);
}

TEST(IncumbentTest, AtTheBoundNeedsNoStrategy) {
  const ScriptedStrategy unasked(
      "unasked", OffsetsOnly(),
      [](const Problem&, const SolveOptions&) -> absl::StatusOr<Solution> {
        ADD_FAILURE() << "it is called";
        return Solution();
      });
  const Solution smallest = OffsetsAssignment{{8, 0, 8}, 24};
  const auto kept = Solve(ThreeRecords(), unasked, From(smallest));
  ASSERT_THAT(kept, IsOk());
  EXPECT_EQ(kept->status, SolutionStatus::kOptimal);
  EXPECT_EQ(kept->lower_bound, 24);
}

TEST(IncumbentTest, IsNotSeenByStrategies) {
  const ScriptedStrategy checks(
      "looks", OffsetsOnly(), [](const Problem&, const SolveOptions& options) {
        EXPECT_EQ(options.incumbent, nullptr);
        return Solution(OffsetsAssignment{{0, 16, 24}, 40});
      });
  const Solution large = OffsetsAssignment{{100, 0, 50}, 116};
  EXPECT_THAT(Solve(ThreeRecords(), checks, From(large)), IsOk());
}

TEST(IncumbentTest, ThatIsUnsafeIsRefusedWithItsViolation) {
  const Solution overlapping = OffsetsAssignment{{0, 8, 0}, 24};
  const absl::Status status =
      Solve(ThreeRecords(), "naive", From(overlapping)).status();
  EXPECT_THAT(status,
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "incumbent: tensor 0 and tensor 1 both hold bytes "
                        "[8, 16) at task 1"));
  ASSERT_TRUE(ViolationOf(status));
  EXPECT_EQ(ViolationOf(status)->kind, Violation::Kind::kOverlappingBytes);
}

TEST(IncumbentTest, ViolationsConcernNoGroupsThatFollowFromPairs) {
  ProblemSpec spec;
  spec.records = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  spec.constraints.same_or_apart = {{1, 2}, {0, 1}};
  const Solution all_in_one = OffsetsAssignment{{0, 0, 0}, 1};
  EXPECT_THAT(Solve(*Problem::Create(spec), "skyline", From(all_in_one)),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "incumbent: tensor 0 and tensor 2 both hold bytes "
                        "[0, 1) at task 1"));
}

TEST(IncumbentTest, OfAnotherKindIsRefused) {
  const Solution objects = ObjectsAssignment<size_t>{{0, 1, 0}, {16, 8}};
  const Solution none;
  for (const Solution* solution : {&objects, &none}) {
    EXPECT_THAT(
        Solve(ThreeRecords(), "naive", From(*solution)),
        FailsWith(
            absl::StatusCode::kInvalidArgument,
            "incumbent: there is no plan; expected one of the problem's kind"));
  }
}

TEST(IncumbentTest, AboveTheCapacityCountsAsNone) {
  const Problem problem = ThreeRecords(30);
  const Solution large = OffsetsAssignment{{100, 0, 50}, 116};
  const auto over = Solve(problem, "naive", From(large));
  ASSERT_THAT(over, IsOk());
  EXPECT_EQ(over->status, SolutionStatus::kOverCapacity);
  EXPECT_FALSE(over->has_plan());
  const auto found = Solve(problem, "optimal", From(large));
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->total_size, 24);
}

TEST(IncumbentTest, StandsInWhereNoPlanIsFoundWithinTheCapacity) {
  const Problem problem = ThreeRecords(30);
  const Solution fits = OffsetsAssignment{{8, 0, 10}, 26};
  for (const char* strategy : {"naive", "optimal"}) {
    SolveOptions options = From(fits);
    options.node_budget = 0;
    const auto found = Solve(problem, strategy, options);
    ASSERT_THAT(found, IsOk());
    ASSERT_TRUE(found->has_plan());
    EXPECT_LE(found->total_size, 26);
  }
  const auto naive = Solve(problem, "naive", From(fits));
  EXPECT_EQ(naive->status, SolutionStatus::kFeasible);
  EXPECT_EQ(naive->reason, "");
  EXPECT_EQ(naive->lower_bound, 24);
}

TEST(IncumbentTest, KeepsConstraintsAndTheirCost) {
  ProblemSpec spec;
  spec.records = {{16, 0, 1}, {16, 2, 3}};
  spec.constraints.prefer_apart = {{0, 1, 5}};
  const Problem problem = *Problem::Create(spec);
  const Solution apart = OffsetsAssignment{{16, 0}, 32};
  const Solution together = OffsetsAssignment{{0, 0}, 16};
  const auto kept = Solve(problem, "optimal", From(apart));
  ASSERT_THAT(kept, IsOk());
  EXPECT_THAT(kept->offsets()->offsets, ElementsAre(16, 0));
  EXPECT_EQ(kept->cost, 0);
  EXPECT_EQ(kept->status, SolutionStatus::kOptimal);
  const auto replaced = Solve(problem, "optimal", From(together));
  ASSERT_THAT(replaced, IsOk());
  EXPECT_EQ(replaced->cost, 0);
  EXPECT_EQ(replaced->total_size, 32);
}

TEST(IncumbentTest, BringsItsOrderOfTheTasks) {
  ProblemSpec spec;
  spec.records = {{10, 0, 0}, {10, 0, 0}};
  spec.free_order = FreeOrder{
      4, {}, UserLists(std::vector<std::vector<TaskId>>{{0, 2}, {1, 3}})};
  const Problem problem = *Problem::Create(spec);
  Solution incumbent = OffsetsAssignment{{0, 0}, 10};
  incumbent.order = {3, 1, 2, 0};
  const auto kept = Solve(problem, "naive", From(incumbent));
  ASSERT_THAT(kept, IsOk());
  EXPECT_EQ(kept->total_size, 10);
  EXPECT_THAT(kept->order, ElementsAre(3, 1, 2, 0));
  EXPECT_EQ(kept->status, SolutionStatus::kOptimal);
  incumbent.order = {0, 1, 2, 3};
  EXPECT_THAT(Solve(problem, "naive", From(incumbent)),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "incumbent: tensor 0 and tensor 1 both hold bytes "
                        "[0, 10) at task 1"));
  incumbent.order = {0, 1};
  EXPECT_THAT(Solve(problem, "naive", From(incumbent)),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        ::testing::StartsWith("incumbent: order ")));
}

TEST(IncumbentTest, BringsTheGroupsThatItKeeps) {
  ProblemSpec spec;
  spec.records = {{1, 0, 0}, {1, 1, 1}, {9, 0, 1}};
  spec.constraints.places.resize(3);
  spec.constraints.places[0].group = 0;
  spec.constraints.places[1].group = 0;
  spec.constraints.places[1].at = 9;
  spec.groups_are_optional = true;
  const Problem problem = *Problem::Create(spec);
  const Solution loose = OffsetsAssignment{{0, 0, 1}, 10};
  const auto kept = Solve(problem, "skyline", From(loose));
  ASSERT_THAT(kept, IsOk());
  EXPECT_EQ(kept->total_size, 10);
  Solution grouped = OffsetsAssignment{{0, 9, 10}, 19};
  grouped.places = spec.constraints.places;
  const auto found = Solve(problem, "skyline", From(grouped));
  ASSERT_THAT(found, IsOk());
  EXPECT_LE(found->total_size, 19);
  grouped = OffsetsAssignment{{0, 8, 10}, 19};
  grouped.places = spec.constraints.places;
  EXPECT_THAT(Solve(problem, "skyline", From(grouped)),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        ::testing::StartsWith("incumbent: ")));
}

// The places of a solution only select groups of the problem. They neither
// permit anything else nor remove anything else.
TEST(IncumbentTest, MayOnlyKeepGroupsOfTheProblem) {
  ProblemSpec spec;
  spec.records = {{16, 0, 1}, {16, 0, 1}};
  spec.groups_are_optional = true;
  Solution sharing = OffsetsAssignment{{0, 0}, 16};
  sharing.places = {{0, absl::nullopt, 0, 0}, {0, absl::nullopt, 0, 0}};
  EXPECT_THAT(
      Solve(*Problem::Create(spec), "skyline", From(sharing)),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "incumbent: records 0 and 0: a group of the solution; expected "
                "a part of one group of the problem, with the same distances"));
  // The group of the problem has different distances.
  spec.constraints.places = {{0, absl::nullopt, 0, 0},
                             {0, absl::nullopt, 0, 8}};
  EXPECT_THAT(Solve(*Problem::Create(spec), "skyline", From(sharing)),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        ::testing::HasSubstr("records 0 and 1")));
}

TEST(IncumbentTest, KeepsTheRangesOfTheProblem) {
  ProblemSpec spec;
  spec.records = {{64, 0, 1}};
  spec.constraints.places.resize(1);
  spec.constraints.places[0].min = 128;
  spec.groups_are_optional = true;
  const Solution below = OffsetsAssignment{{0}, 64};
  EXPECT_THAT(Solve(*Problem::Create(spec), "skyline", From(below)),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        ::testing::StartsWith("incumbent: ")));
}

TEST(IncumbentTest, IsRefusedWithAReallocationGraph) {
  ProblemSpec spec;
  spec.kind = PlanKind::kObjects;
  spec.records = {{64, 0, 0}, {64, 1, 1}};
  spec.reallocation_graph = UsageGraph(2);
  const Solution shared = ObjectsAssignment<size_t>{{0, 0}, {64}};
  EXPECT_THAT(Solve(*Problem::Create(spec), "greedy_in_order", From(shared)),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        ::testing::HasSubstr("reallocation graph")));
}

TEST(IncumbentTest, WithinTheCapacityDecides) {
  const ScriptedStrategy unasked(
      "unasked", OffsetsOnly(),
      [](const Problem&, const SolveOptions&) -> absl::StatusOr<Solution> {
        ADD_FAILURE() << "it is called";
        return Solution();
      });
  const Solution fits = OffsetsAssignment{{8, 0, 10}, 26};
  SolveOptions options = From(fits);
  options.decide = true;
  const auto decided = Solve(ThreeRecords(30), unasked, options);
  ASSERT_THAT(decided, IsOk());
  EXPECT_EQ(decided->total_size, 26);
  EXPECT_EQ(decided->status, SolutionStatus::kFeasible);
}

TEST(IncumbentTest, StandsInWhereRecordsAreTooMany) {
  const ScriptedStrategy overwhelmed(
      "overwhelmed", OffsetsOnly(),
      [](const Problem&, const SolveOptions&) -> absl::StatusOr<Solution> {
        return absl::ResourceExhaustedError("too many");
      });
  const Solution fits = OffsetsAssignment{{8, 0, 10}, 26};
  const auto found = Solve(ThreeRecords(), overwhelmed, From(fits));
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->total_size, 26);
}

TEST(DecidedProblemTest, KeepsTheNamesOfGroups) {
  ProblemSpec spec;
  spec.records = {{16, 0, 1}, {16, 0, 1}, {8, 0, 1}, {8, 0, 1}};
  spec.constraints.places = {{0, absl::nullopt, 0, 0},
                             {0, absl::nullopt, 0, 0},
                             {0, absl::nullopt, 1, 0},
                             {0, absl::nullopt, 1, 8}};
  spec.labels.groups = {"a", "b"};
  spec.groups_are_optional = true;
  const Problem problem = *Problem::Create(spec);
  Solution solution = OffsetsAssignment{{0, 16, 32, 40}, 48};
  solution.places = {
      {}, {}, {0, absl::nullopt, 0, 0}, {0, absl::nullopt, 0, 8}};
  const auto decided = DecidedProblem(problem, solution);
  ASSERT_THAT(decided, IsOk());
  EXPECT_THAT(decided->labels().groups, ElementsAre("b"));
  EXPECT_EQ(decided->constraints()->places[2].group, 0u);
}

}  // namespace
}  // namespace stowage
