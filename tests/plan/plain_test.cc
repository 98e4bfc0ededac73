// SPDX-License-Identifier: Apache-2.0
// Tests stowage::plain: how the library behaves in a program that does not link
// stowage::constraints. The test is a separate program that links no other
// library of this project.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/model/constraint_support.h"
#include "stowage/compare.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;

ProblemSpec ThreeRecords() {
  ProblemSpec spec;
  spec.records = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  spec.alignment = 64;
  return spec;
}

Problem Create(const ProblemSpec& spec) {
  const absl::StatusOr<Problem> problem = Problem::Create(spec);
  EXPECT_TRUE(problem.ok()) << problem.status();
  return *problem;
}

TEST(PlainTest, HasNoConstraints) { EXPECT_EQ(LinkedConstraints(), nullptr); }

struct RefusalCase {
  const char* name;
  std::function<void(ProblemSpec*)> change;
  const char* what;
};

class RefusalTest : public ::testing::TestWithParam<RefusalCase> {};

TEST_P(RefusalTest, NamesTheLibrary) {
  ProblemSpec spec = ThreeRecords();
  GetParam().change(&spec);
  const absl::Status status = Problem::Create(spec).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(status.message(), std::string(GetParam().what) +
                                  ": not linked into this program; expected "
                                  "stowage::constraints among its libraries");
}

INSTANTIATE_TEST_SUITE_P(
    PlainTest, RefusalTest,
    ::testing::Values(
        RefusalCase{
            "places",
            [](ProblemSpec* spec) { spec->constraints.places.resize(3); },
            "constraints"},
        RefusalCase{"holes",
                    [](ProblemSpec* spec) {
                      spec->constraints.holes = {{0, 64, 0, 1}};
                    },
                    "constraints"},
        RefusalCase{"apart",
                    [](ProblemSpec* spec) {
                      spec->constraints.apart = {{0, 2}};
                    },
                    "constraints"},
        RefusalCase{"never",
                    [](ProblemSpec* spec) {
                      spec->constraints.never = {{0, 1}};
                    },
                    "constraints"},
        RefusalCase{"pools",
                    [](ProblemSpec* spec) {
                      spec->constraints.pools = {{"fast", 4096}, {"slow", {}}};
                    },
                    "constraints"},
        RefusalCase{"users",
                    [](ProblemSpec* spec) {
                      spec->constraints.users = {{{0}, {2}, {3}}};
                    },
                    "constraints"},
        RefusalCase{"free_order",
                    [](ProblemSpec* spec) {
                      spec->free_order.emplace();
                      spec->free_order->tasks = 1;
                      spec->free_order->users = {{{0}, {0}, {0}}};
                    },
                    "free order"},
        RefusalCase{"optional_groups",
                    [](ProblemSpec* spec) { spec->groups_are_optional = true; },
                    "optional groups"}),
    [](const auto& row) { return row.param.name; });

TEST(PlainTest, EveryStrategyPlans) {
  const std::vector<const Strategy*> strategies = AllStrategies();
  EXPECT_GE(strategies.size(), 9u);
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    ProblemSpec spec = ThreeRecords();
    spec.kind = kind;
    const Problem problem = Create(spec);
    for (const Strategy* strategy : strategies) {
      if (!problem.Requires().Without(strategy->info().features).empty()) {
        continue;
      }
      const auto solution = Solve(problem, *strategy);
      ASSERT_TRUE(solution.ok()) << solution.status();
      EXPECT_TRUE(solution->has_plan()) << strategy->info().name;
    }
  }
}

TEST(PlainTest, PlansAsWithConstraintsLinked) {
  const auto solution = Solve(Create(ThreeRecords()), "skyline");
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->status, SolutionStatus::kOptimal);
  EXPECT_THAT(solution->offsets()->offsets, ElementsAre(0, 4096, 0));
  EXPECT_EQ(AlignedLowerBound(Create(ThreeRecords())), 5120u);
}

TEST(PlainTest, HonoursFixedOffsets) {
  ProblemSpec spec = ThreeRecords();
  spec.fixed_offsets = {absl::nullopt, 0, absl::nullopt};
  const Problem problem = Create(spec);
  const auto solution = Solve(problem, "skyline");
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_THAT(solution->offsets()->offsets, ElementsAre(1024, 0, 1024));
  OffsetsAssignment moved = *solution->offsets();
  moved.offsets[1] = 64;
  EXPECT_TRUE(FindViolation(problem, moved));
}

TEST(PlainTest, FindsContradictionsOfFixedOffsets) {
  ProblemSpec spec = ThreeRecords();
  spec.fixed_offsets = {0, 64, absl::nullopt};
  const auto solution = Solve(Create(spec), "skyline");
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
  EXPECT_THAT(solution->conflict, ElementsAre(0, 1));
  EXPECT_EQ(solution->reason,
            "at fixed offsets, tensor 0 and tensor 1 both hold bytes [64, "
            "1088) at task 2");
}

TEST(PlainTest, KeepsTheCapacity) {
  ProblemSpec spec = ThreeRecords();
  spec.capacity = 5119;
  const auto solution = Solve(Create(spec), "skyline");
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
}

TEST(PlainTest, TakesAnIncumbent) {
  const Problem problem = Create(ThreeRecords());
  const Solution incumbent = *Solve(problem, "skyline");
  SolveOptions options;
  options.incumbent = &incumbent;
  const auto solution = Solve(problem, "naive", options);
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->total_size, 5120u);
  EXPECT_TRUE(DecidedProblem(problem, *solution).ok());
}

TEST(PlainTest, PlansWithReallocationGraphs) {
  const std::vector<TensorUsageRecord<size_t>> records = {
      {64, 0, 0}, {64, 1, 1}, {64, 2, 2}};
  const UsageGraph graph = {{1}, {}, {}};
  ObjectsAssignment<size_t> objects;
  ASSERT_TRUE(AssignObjectsToTensors(records, MemoryStrategy::GREEDY_IN_ORDER,
                                     &objects, &graph)
                  .ok());
  EXPECT_THAT(objects.object_ids, ElementsAre(0, 0, 1));
}

TEST(PlainTest, StrategiesRefuseWhatIsNotLinked) {
  const auto solution =
      SolveUnderConstraints("skyline", Create(ThreeRecords()), {});
  EXPECT_EQ(solution.status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace stowage
