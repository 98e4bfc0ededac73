// SPDX-License-Identifier: Apache-2.0
// Tests the properties that are reported for plans for all values.
#include "stowage/dynamic/plan_dynamic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/solution.h"
#include "stowage/verify.h"
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns a chain of layers in which each tensor is live together with the next
// one. When the values rise, some sizes rise and others fall.
DynamicProblem Chain(size_t layers, std::vector<SizeParameter> parameters,
                     const std::vector<std::string>& sizes) {
  DynamicSpec spec;
  for (size_t i = 0; i < layers; ++i) {
    spec.problem.records.emplace_back(0, i, i + 1 + i % 3);
    spec.problem.names.push_back("t" + std::to_string(i));
    spec.sizes.push_back(sizes[i % sizes.size()]);
  }
  spec.problem.alignment = 16;
  spec.parameters = std::move(parameters);
  return *DynamicProblem::Create(std::move(spec));
}

TEST(PlanForAllValues, ServesNoRecords) {
  DynamicSpec spec;
  spec.parameters = {{"s", 1, 4}};
  const StatusOr<DynamicProblem> problem =
      DynamicProblem::Create(std::move(spec));
  ASSERT_THAT(problem, support::IsOk());
  const StatusOr<DynamicPlan> plan = PlanForAllValues(*problem);
  ASSERT_THAT(plan, support::IsOk());
  EXPECT_EQ(plan->reserve, 0u);
  EXPECT_EQ(plan->status, SolutionStatus::kOptimal);
  EXPECT_EQ(RatioText(plan->worst), "1");
}

// Two records of up to 64 bytes are live together at s = 4.
TEST(PlanForAllValues, ReportsWhetherTheCapacitySuffices) {
  const struct {
    size_t capacity;
    SolutionStatus status;
  } cases[] = {
      {127, SolutionStatus::kInfeasible},
      {128, SolutionStatus::kOptimal},
  };
  for (const auto& c : cases) {
    DynamicSpec spec;
    spec.problem.records = {{0, 0, 1}, {0, 1, 2}};
    spec.problem.names = {"a", "b"};
    spec.problem.capacity = c.capacity;
    spec.sizes = {"16*s", "16*s"};
    spec.parameters = {{"s", 1, 4}};
    const StatusOr<DynamicProblem> problem =
        DynamicProblem::Create(std::move(spec));
    ASSERT_THAT(problem, support::IsOk());
    const StatusOr<DynamicPlan> plan = PlanForAllValues(*problem);
    ASSERT_THAT(plan, support::IsOk());
    EXPECT_EQ(plan->reserve, 128u);
    EXPECT_EQ(plan->status, c.status) << c.capacity;
    const StatusOr<DynamicPlan> again = EvaluateOrder(
        *problem, {plan->stack.order().begin(), plan->stack.order().end()});
    ASSERT_THAT(again, support::IsOk());
    EXPECT_EQ(again->status, c.status) << c.capacity;
  }
}

// In this order, the three records of up to 64 bytes are stacked, although the
// first one and the last one could share their bytes.
TEST(EvaluateOrder, ReportsWhetherTheCapacitySuffices) {
  const struct {
    optional<size_t> capacity;
    SolutionStatus status;
  } cases[] = {
      {nullopt, SolutionStatus::kFeasible},
      {192, SolutionStatus::kFeasible},
      {191, SolutionStatus::kOverCapacity},
      {128, SolutionStatus::kOverCapacity},
      {127, SolutionStatus::kInfeasible},
  };
  for (const auto& c : cases) {
    DynamicSpec spec;
    spec.problem.records = {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}};
    spec.problem.names = {"a", "b", "c"};
    spec.problem.capacity = c.capacity;
    spec.sizes = {"16*s", "16*s", "16*s"};
    spec.parameters = {{"s", 1, 4}};
    const StatusOr<DynamicPlan> plan =
        EvaluateOrder(*DynamicProblem::Create(std::move(spec)), {0, 1, 2});
    ASSERT_THAT(plan, support::IsOk());
    EXPECT_EQ(plan->reserve, 192u);
    EXPECT_EQ(plan->reserve_bound, 128u);
    EXPECT_EQ(plan->status, c.status) << c.capacity.value_or(0);
  }
}

TEST(PlanForAllValues, IsTheSameOnEveryRun) {
  const DynamicProblem problem =
      Chain(40, {{"r", 1, 4}, {"s", 0, 30}},
            {"16*r*s", "32*(31-s)", "7*s+5", "64*min(s,9)"});
  DynamicOptions options;
  options.max_orders = 100;
  const StatusOr<DynamicPlan> first = PlanForAllValues(problem, options);
  const StatusOr<DynamicPlan> second = PlanForAllValues(problem, options);
  ASSERT_THAT(first, support::IsOk());
  EXPECT_EQ(first->stack.order(), second->stack.order());
  EXPECT_EQ(first->heights.size(), 124u);
}

TEST(PlanForAllValues, IsNotLargerThanItsEvaluation) {
  const DynamicProblem problem =
      Chain(30, {{"s", 0, 30}}, {"16*s", "32*(31-s)", "7*s+5"});
  const StatusOr<DynamicPlan> plan = PlanForAllValues(problem);
  ASSERT_THAT(plan, support::IsOk());
  const Span<const size_t> order = plan->stack.order();
  const StatusOr<DynamicPlan> again =
      EvaluateOrder(problem, std::vector<size_t>(order.begin(), order.end()));
  ASSERT_THAT(again, support::IsOk());
  EXPECT_EQ(plan->reserve, again->reserve);
  EXPECT_EQ(RatioText(plan->worst), RatioText(again->worst));
  // The search starts with orders that it derives from plans, but its result
  // must not be worse than the given order of the records.
  std::vector<size_t> given(problem.size());
  for (size_t i = 0; i < given.size(); ++i) given[i] = i;
  EXPECT_LE(plan->reserve, EvaluateOrder(problem, given)->reserve);
  for (const HeightAt& value : plan->heights) {
    EXPECT_LE(value.need, value.height);
    EXPECT_LE(value.height, plan->reserve);
  }
}

TEST(PlanForAllValues, EndsEarlyIfAsked) {
  const DynamicProblem problem =
      Chain(60, {{"s", 0, 30}}, {"16*s", "32*(31-s)", "7*s+5", "s*s"});
  DynamicOptions options;
  int calls = 0;
  options.go_on = [&] { return ++calls < 3; };
  EXPECT_THAT(PlanForAllValues(problem, options), support::IsOk());
  EXPECT_LE(calls, 3);
}

TEST(PlanForAllValues, IsSafeAtRandomValues) {
  const DynamicProblem problem =
      Chain(24, {{"r", 1, 5000}, {"s", 0, 100'000, 7}},
            {"16*r*s", "4*s+r", "9*min(r,s)", "r*r//3"});
  DynamicOptions options;
  options.max_orders = 20;
  const StatusOr<DynamicPlan> plan = PlanForAllValues(problem, options);
  ASSERT_THAT(plan, support::IsOk());
  EXPECT_EQ(plan->rule, LargestRule::kRising);
  const int runs = support::kIsSanitized ? 1000 : 100'000;
  Random random(7);
  std::vector<size_t> offsets(problem.size());
  for (int run = 0; run < runs; ++run) {
    const ParameterValues values = {1 + random.Below(5000),
                                    7 * random.Below(14286)};
    const StatusOr<std::vector<size_t>> sizes = problem.SizesAt(values);
    ASSERT_THAT(sizes, support::IsOk());
    const StatusOr<size_t> height =
        plan->stack.Offsets(*sizes, MakeSpan(offsets));
    ASSERT_THAT(height, support::IsOk());
    ASSERT_LE(*height, plan->reserve);
    if (run % 100 != 0) continue;
    ASSERT_FALSE(FindViolation(*problem.ProblemAt(values), {offsets, *height}));
  }
}

TEST(PlanBuckets, CoverAllValuesOnce) {
  const DynamicProblem problem =
      Chain(9, {{"s", 3, 900, 3}}, {"16*s", "s*s", "64"});
  const StatusOr<std::vector<SizeBucket>> buckets = PlanBuckets(problem, 4);
  ASSERT_THAT(buckets, support::IsOk());
  ASSERT_EQ(buckets->size(), 4u);
  uint64_t next = 3;
  for (const SizeBucket& bucket : *buckets) {
    EXPECT_EQ(bucket.first, ParameterValues{next});
    next = bucket.last[0] + 3;
    const Problem at = *problem.ProblemAt(bucket.last);
    EXPECT_FALSE(FindViolation(at, {bucket.offsets, bucket.reserve}));
  }
  EXPECT_EQ(next, 903u);
}

TEST(PlanBuckets, AreRefusedWhereTheyMeanNothing) {
  const auto message = [](std::vector<SizeParameter> parameters, size_t count) {
    return std::string(
        PlanBuckets(Chain(3, std::move(parameters), {"9-9"}), count)
            .status()
            .message());
  };
  EXPECT_THAT(message({{"s", 1, 2}}, 0), HasSubstr("expected at least 1"));
  EXPECT_THAT(
      message({{"r", 1, 2}, {"s", 1, 2}}, 2),
      HasSubstr("buckets for 2 parameters; expected a problem with one"));
  EXPECT_THAT(message({{"s", 1, uint64_t{1} << 30}}, 2),
              HasSubstr("buckets for more than 1048576 values"));
}

}  // namespace
}  // namespace stowage
