// SPDX-License-Identifier: Apache-2.0
// Tests the rows of a comparison of strategies: the plans, the refusals, and
// the options that are passed to a search.
#include "stowage/compare.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "tests/plan/scripted_strategy.h"

namespace stowage {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Outcome = ComparedPlan::Outcome;

Problem TwoRecords(ProblemSpec spec = {}) {
  spec.records = std::vector<TensorUsageRecord<size_t>>{{64, 0, 0}, {32, 1, 1}};
  return Problem::Create(std::move(spec)).value();
}

std::vector<ComparedPlan> Compare(const Problem& problem,
                                  std::vector<std::string> strategies) {
  CompareOptions options;
  options.strategies = std::move(strategies);
  return CompareStrategies(problem, options).value();
}

TEST(CompareStrategies, HasARowForEachStrategyInTheOrderGiven) {
  const auto rows = Compare(TwoRecords(), {"naive", "greedy_by_size"});
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].strategy, "naive");
  EXPECT_EQ(rows[0].total_size, 96);
  EXPECT_EQ(rows[0].StatusName(), "feasible");
  EXPECT_EQ(rows[1].strategy, "greedy_by_size");
  EXPECT_EQ(rows[1].total_size, 64);
  EXPECT_EQ(rows[1].lower_bound, 64);
  EXPECT_EQ(rows[1].StatusName(), "optimal");
}

TEST(CompareStrategies, ARefusalIsARowWithItsReason) {
  ProblemSpec spec;
  spec.kind = PlanKind::kObjects;
  const auto rows = Compare(TwoRecords(std::move(spec)), {"skyline"});
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].outcome, Outcome::kUnsupported);
  EXPECT_EQ(rows[0].StatusName(), "unsupported");
  EXPECT_FALSE(rows[0].total_size.has_value());
  EXPECT_THAT(rows[0].reason, HasSubstr("does not support objects"));
}

TEST(CompareStrategies, GivingUpIsARowWithItsReason) {
  ASSERT_TRUE(
      RegisterStrategy(std::make_unique<ScriptedStrategy>(
                           "compare_gives_up", FeatureSet{Feature::kOffsets},
                           [](const Problem&, const SolveOptions&) {
                             return absl::ResourceExhaustedError("too many");
                           }))
          .ok());
  const auto rows = Compare(TwoRecords(), {"compare_gives_up", "naive"});
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].outcome, Outcome::kGaveUp);
  EXPECT_EQ(rows[0].StatusName(), "gave_up");
  EXPECT_EQ(rows[0].reason, "too many");
  EXPECT_EQ(rows[1].total_size, 96);
}

TEST(CompareStrategies, NoPlanWithinTheCapacityIsARow) {
  ProblemSpec spec;
  spec.capacity = 63;
  const auto rows = Compare(TwoRecords(std::move(spec)), {"naive"});
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].StatusName(), "infeasible");
  EXPECT_FALSE(rows[0].total_size.has_value());
  EXPECT_THAT(rows[0].reason, HasSubstr("exceeds the capacity 63"));
}

TEST(CompareStrategies, APlanAboveTheCapacityIsARowWithoutATotal) {
  ProblemSpec spec;
  spec.capacity = 95;
  const auto rows = Compare(TwoRecords(std::move(spec)), {"naive"});
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].status, SolutionStatus::kOverCapacity);
  EXPECT_EQ(rows[0].StatusName(), "over_capacity");
  EXPECT_FALSE(rows[0].total_size.has_value());
  EXPECT_EQ(rows[0].reason,
            "naive: the plan takes 96 bytes, more than the capacity of 95");
}

TEST(CompareStrategies, AnUnknownNameIsAnError) {
  CompareOptions options;
  options.strategies = {"naive", "nosuch"};
  EXPECT_TRUE(
      absl::IsNotFound(CompareStrategies(TwoRecords(), options).status()));
}

TEST(CompareStrategies, WithoutNamesComparesAllThatSupportTheProblem) {
  ProblemSpec spec;
  spec.fixed_offsets = {0, absl::nullopt};
  const Problem problem = TwoRecords(std::move(spec));
  const std::vector<std::string> names = SupportersOf(problem);
  EXPECT_THAT(names, Contains("micro_first_fit"));
  EXPECT_THAT(names, Not(Contains("naive")));
  const auto rows = CompareStrategies(problem);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->size(), names.size());
}

TEST(CompareStrategies, HandsSearchesWhatTheyAreGiven) {
  SolveOptions seen;
  ASSERT_TRUE(
      RegisterStrategy(
          std::make_unique<ScriptedStrategy>(
              "compare_looks", FeatureSet{Feature::kOffsets},
              [&seen](const Problem& problem, const SolveOptions& given) {
                seen = given;
                OffsetsAssignment plan;
                for (const auto& record : problem.records()) {
                  plan.offsets.push_back(plan.total_size);
                  plan.total_size += record.tensor_size;
                }
                return Solution(plan);
              }))
          .ok());
  CompareOptions options;
  options.strategies = {"compare_looks"};
  options.solve.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(3));
  options.solve.node_budget = 7;
  options.solve.seed = 5;
  options.solve.threads = 2;
  ASSERT_TRUE(CompareStrategies(TwoRecords(), options).ok());
  EXPECT_EQ(seen.time_limit_ns, 3'000'000'000);
  EXPECT_EQ(seen.node_budget, 7);
  EXPECT_EQ(seen.seed, 5);
  EXPECT_EQ(seen.threads, 2);
}

TEST(CompareStrategies, EndsWhereItIsTold) {
  CompareOptions options;
  options.strategies = {"naive", "equality", "greedy_by_size"};
  std::vector<std::string> seen;
  options.begin = [](absl::string_view name) {
    return name != "greedy_by_size";
  };
  options.progress = [&seen](const ComparedPlan& row) {
    seen.push_back(row.strategy);
  };
  EXPECT_EQ(CompareStrategies(TwoRecords(), options)->size(), 2);
  EXPECT_THAT(seen, ElementsAre("naive", "equality"));
}

}  // namespace
}  // namespace stowage
