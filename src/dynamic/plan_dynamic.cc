// SPDX-License-Identifier: Apache-2.0
#include "stowage/dynamic/plan_dynamic.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/str_cat.h"
#include "src/dynamic/compared_values.h"
#include "src/dynamic/largest_height.h"
#include "src/dynamic/order_score.h"
#include "src/dynamic/search_orders.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {
namespace {

// With more records than this, trying all orders takes too long.
constexpr size_t kMaxTriedRecords = 12;
// The number of orders times records times values that are stacked at most. To
// change an order takes as long as to stack it at some hundred values.
constexpr uint64_t kMaxStackedRecords = 150'000'000;
constexpr uint64_t kValuesOfAChange = 100;

// Puts together what is known of an order.
DynamicPlan PlanOf(const DynamicProblem& problem,
                   std::vector<ComparedValue> compared, StackPlan stack) {
  DynamicPlan plan;
  const std::vector<size_t> heights = HeightsOf(problem, stack, compared);
  // The stack is a plan, too.
  for (size_t v = 0; v < compared.size(); ++v) {
    compared[v].need = std::min(compared[v].need, heights[v]);
    plan.heights.push_back({compared[v].values, heights[v], compared[v].need,
                            compared[v].need == compared[v].bound});
  }
  const OrderScore score = ScoreOf(heights, compared);
  const OrderScore bound = BoundOfScores(compared);
  LargestHeight largest = LargestHeightOf(problem, stack);
  plan.reserve = largest.height;
  plan.rule = largest.rule;
  plan.largest = std::move(largest.values);
  plan.values = largest.count;
  plan.reserve_bound = bound.reserve;
  plan.bound_at = compared[bound.highest].values;
  if (plan.reserve == plan.reserve_bound) {
    plan.status = SolutionStatus::kOptimal;
  }
  plan.worst = plan.heights[score.worst];
  plan.stack = std::move(stack);
  return plan;
}

}  // namespace

std::string RatioText(const HeightAt& value) {
  const size_t divisor =
      std::max<size_t>(std::gcd(value.height, value.need), 1);
  if (value.height == value.need) return "1";
  const std::string height = StrCat(value.height / divisor);
  if (value.need == divisor) return height;
  return StrCat(height, "/", value.need / divisor);
}

StatusOr<DynamicPlan> EvaluateOrder(const DynamicProblem& problem,
                                    std::vector<size_t> order) {
  const ProblemSpec& spec = problem.spec().problem;
  StatusOr<StackPlan> stack =
      StackPlan::Create(spec.records, AlignmentsOf(spec), std::move(order));
  if (!stack.ok()) return stack.status();
  StatusOr<std::vector<ComparedValue>> compared = CompareValues(problem);
  if (!compared.ok()) return compared.status();
  return PlanOf(problem, *std::move(compared), *std::move(stack));
}

StatusOr<DynamicPlan> PlanForAllValues(const DynamicProblem& problem,
                                       const DynamicOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  StatusOr<std::vector<ComparedValue>> compared = CompareValues(problem);
  if (!compared.ok()) return compared.status();
  OrderBudget budget;
  budget.orders = options.max_orders;
  budget.go_on = [&] {
    if (options.go_on && !options.go_on()) return false;
    return !options.time_limit_ns ||
           std::chrono::steady_clock::now() - start <
               std::chrono::nanoseconds(*options.time_limit_ns);
  };
  FoundOrder best = BestCandidate(problem, *compared, options.aim);
  if (IsAsGood(options.aim, best.score, BoundOfScores(*compared))) {
    best.is_best = true;
  }
  if (!best.is_best && problem.size() <= kMaxTriedRecords) {
    TryAllOrders(problem, *compared, options.aim, &budget, &best);
  }
  if (!best.is_best) {
    const uint64_t stacked = std::max<uint64_t>(problem.size(), 1) *
                             (compared->size() + kValuesOfAChange);
    budget.orders = std::min(budget.orders, kMaxStackedRecords / stacked);
    ImproveOrder(problem, *compared, options.aim, &budget, &best);
  }
  const ProblemSpec& spec = problem.spec().problem;
  StatusOr<StackPlan> stack = StackPlan::Create(
      spec.records, AlignmentsOf(spec), std::move(best.order));
  if (!stack.ok()) return stack.status();
  DynamicPlan plan = PlanOf(problem, *std::move(compared), *std::move(stack));
  plan.is_best_order = best.is_best;
  return plan;
}

}  // namespace stowage
