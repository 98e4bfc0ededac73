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
#include "src/dynamic/dynamic_state.h"
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

// The maximum number of records for which all orders are tried. With more
// records, trying all orders takes too long.
constexpr size_t kMaxTriedRecords = 12;
// Limits the search for a better order. The product of the number of evaluated
// orders, the number of records, and the number of values at which each order
// is stacked is at most kMaxStackedRecords. Changing an order counts as
// stacking it at kValuesOfAChange more values.
constexpr uint64_t kMaxStackedRecords = 150'000'000;
constexpr uint64_t kValuesOfAChange = 100;

// If only a sample of the values is compared, the search runs for at most
// kMaxRounds rounds. After each round, the value at which the best order is
// highest is added to the sample. Finding that value takes long if all values
// are tried and there are more than kFewValues of them, so there are then at
// most two rounds.
constexpr int kMaxRounds = 4;
constexpr size_t kFewValues = size_t{1} << 16;

SolutionStatus StatusOf(const DynamicPlan& plan,
                        const optional<size_t>& capacity) {
  if (capacity && plan.reserve > *capacity) {
    return plan.reserve_bound > *capacity ? SolutionStatus::kInfeasible
                                          : SolutionStatus::kOverCapacity;
  }
  return plan.reserve == plan.reserve_bound ? SolutionStatus::kOptimal
                                            : SolutionStatus::kFeasible;
}

// Returns a plan that contains everything known about an order.
DynamicPlan PlanOf(const DynamicProblem& problem,
                   std::vector<ComparedValue> compared, LargestHeight largest,
                   const std::vector<size_t>& heights, StackPlan stack) {
  DynamicPlan plan;
  // The stack is also a plan for each single value, so its height may lower the
  // need at that value.
  for (size_t v = 0; v < compared.size(); ++v) {
    compared[v].need = std::min(compared[v].need, heights[v]);
    plan.heights.push_back({compared[v].values, heights[v], compared[v].need,
                            compared[v].need == compared[v].bound});
  }
  const OrderScore score = ScoreOf(heights, compared);
  const OrderScore bound = BoundOfScores(compared);
  plan.reserve = largest.height;
  plan.rule = largest.rule;
  plan.largest = std::move(largest.values);
  plan.values = largest.count;
  plan.reserve_bound = bound.reserve;
  plan.bound_at = compared[bound.highest].values;
  plan.status = StatusOf(plan, problem.spec().problem.capacity);
  plan.worst = plan.heights[score.worst];
  plan.stack = std::move(stack);
  return plan;
}

bool IsCompared(Span<const ComparedValue> compared,
                const ParameterValues& values) {
  return std::any_of(
      compared.begin(), compared.end(),
      [&](const ComparedValue& value) { return value.values == values; });
}

// Adds `values` to `compared` unless it is already there. Returns whether it
// was added.
StatusOr<bool> AddCompared(const DynamicProblem& problem,
                           const ParameterValues& values,
                           std::vector<ComparedValue>* compared) {
  if (values.empty() || IsCompared(*compared, values)) return false;
  StatusOr<std::vector<size_t>> sizes = problem.SizesAt(values);
  if (!sizes.ok()) return sizes.status();
  StatusOr<ComparedValue> value =
      PlanForSizes(problem, values, *std::move(sizes), SearchNodesFor(1));
  if (!value.ok()) return value.status();
  compared->push_back(*std::move(value));
  std::sort(compared->begin(), compared->end(),
            [](const ComparedValue& a, const ComparedValue& b) {
              return a.values < b.values;
            });
  return true;
}

// Returns whether `compared` values are all values of the problem.
bool AreAllCompared(const DynamicProblem& problem, const LargestHeight& largest,
                    size_t compared) {
  if (largest.count) return *largest.count == compared;
  return problem.spec().where.empty() && problem.CountValues() == compared;
}

// Searches for the order that is best at the compared values.
FoundOrder SearchOrders(const DynamicProblem& problem,
                        Span<const ComparedValue> compared, DynamicAim aim,
                        OrderBudget* budget) {
  FoundOrder best = BestCandidate(problem, compared, aim);
  best.is_best = IsAsGood(aim, best.score, BoundOfScores(compared));
  if (!best.is_best && problem.size() <= kMaxTriedRecords &&
      HasNoGroups(problem.spec().problem)) {
    TryAllOrders(problem, compared, aim, budget, &best);
  }
  if (!best.is_best) {
    const uint64_t stacked = std::max<uint64_t>(problem.size(), 1) *
                             (compared.size() + kValuesOfAChange);
    budget->orders = std::min(budget->orders, kMaxStackedRecords / stacked);
    ImproveOrder(problem, compared, aim, budget, &best);
  }
  return best;
}

}  // namespace

std::string RatioText(const HeightAt& value) {
  const size_t divisor =
      std::max<size_t>(std::gcd(value.height, value.need), 1);
  if (value.height == value.need) return "1";
  const size_t height = value.height / divisor;
  if (value.need == divisor) return StrCat(height);
  return StrCat(height, "/", value.need / divisor);
}

StatusOr<DynamicPlan> EvaluateOrder(const DynamicProblem& problem,
                                    std::vector<size_t> order) {
  StatusOr<StackPlan> stack =
      StackPlan::Create(problem.spec().problem, std::move(order));
  if (!stack.ok()) return stack.status();
  StatusOr<std::vector<ComparedValue>> compared = CompareValues(problem);
  if (!compared.ok()) return compared.status();
  LargestHeight largest = LargestHeightOf(problem, *stack);
  const StatusOr<bool> is_added =
      AddCompared(problem, largest.values, &*compared);
  if (!is_added.ok()) return is_added.status();
  const std::vector<size_t> heights = HeightsOf(problem, *stack, *compared);
  return PlanOf(problem, *std::move(compared), std::move(largest), heights,
                *std::move(stack));
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
  const int rounds =
      problem.CountValues().value_or(0) <= kFewValues ? kMaxRounds : 2;
  for (int round = 1;; ++round) {
    FoundOrder best = SearchOrders(problem, *compared, options.aim, &budget);
    StatusOr<StackPlan> stack =
        StackPlan::Create(problem.spec().problem, std::move(best.order));
    if (!stack.ok()) return stack.status();
    LargestHeight largest = LargestHeightOf(problem, *stack);
    const StatusOr<bool> is_added =
        AddCompared(problem, largest.values, &*compared);
    if (!is_added.ok()) return is_added.status();
    if (*is_added && round < rounds && budget.go_on()) continue;
    const bool are_all = AreAllCompared(problem, largest, compared->size());
    const std::vector<size_t> heights = HeightsOf(problem, *stack, *compared);
    DynamicPlan plan = PlanOf(problem, *std::move(compared), std::move(largest),
                              heights, *std::move(stack));
    plan.are_all_compared = are_all;
    plan.is_best_order = best.is_best && are_all;
    return plan;
  }
}

}  // namespace stowage
