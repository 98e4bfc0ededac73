// SPDX-License-Identifier: Apache-2.0
// Finds a single order in which the records can be stacked at all values of the
// parameters. If your runtime can plan again for each value, use plan_cache.h
// instead.
//
//   StatusOr<DynamicPlan> plan = PlanForAllValues(*problem);
//   plan->reserve;  // in bytes, for all values
//   plan->stack.Offsets(*problem->SizesAt({8, 128}), MakeSpan(offsets));
//
// The method was developed for this library. It is based on this fact: if an
// order is derived from a plan for one value, the height of its stack at this
// value is at most the total of the plan. The search therefore starts with the
// orders of plans for a few values, and then improves an order by moving
// records in it.
#ifndef STOWAGE_DYNAMIC_PLAN_DYNAMIC_H_
#define STOWAGE_DYNAMIC_PLAN_DYNAMIC_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/solution.h"

namespace stowage {

enum class DynamicAim : uint8_t {
  kReserve,  // the smallest reserve; of equal reserves, the smallest ratio
  kRatio,    // the smallest ratio; of equal ratios, the smallest reserve
};

struct DynamicOptions {
  DynamicAim aim = DynamicAim::kReserve;
  // The maximum number of orders that the search evaluates after the orders
  // with which it starts.
  uint64_t max_orders = 20'000;
  // The time limit in nanoseconds, measured from the start of the call. If it
  // is not set, only `max_orders` limits the search.
  optional<int64_t> time_limit_ns;
  // If set, the search calls this function from time to time, and stops if the
  // function returns false.
  std::function<bool()> go_on;
};

// The height of a stack at one value, and the smallest known plan for this
// value.
struct HeightAt {
  ParameterValues values;
  size_t height = 0;            // the height of the stack, in bytes
  size_t need = 0;              // the bytes of the smallest plan that was found
  bool is_need_proved = false;  // no plan for this value is smaller
};

// Returns height / need as a fraction in lowest terms, such as "47/45" or "1".
std::string RatioText(const HeightAt& value);

struct DynamicPlan {
  StackPlan stack;
  // The number of bytes that suffices for every value, and the rule that proves
  // this. If the rule is kUnion, the reserve may exceed the largest height.
  size_t reserve = 0;
  LargestRule rule = LargestRule::kAllValues;
  // The value with the largest height, if the rule determines this value.
  ParameterValues largest;
  // A proved lower bound of the reserve: at the value `bound_at`, every plan
  // needs at least this number of bytes.
  size_t reserve_bound = 0;
  ParameterValues bound_at;
  // kOptimal if the reserve equals `reserve_bound`. If the reserve exceeds the
  // capacity of the problem, kInfeasible if `reserve_bound` exceeds it as well,
  // and kOverCapacity otherwise; the plan is then stored nevertheless.
  SolutionStatus status = SolutionStatus::kFeasible;
  // The compared value with the largest ratio of height to need.
  HeightAt worst;
  // `heights` has an entry for each compared value, in rising order. `values`
  // is the number of all values within the limits, if they were counted.
  std::vector<HeightAt> heights;
  optional<size_t> values;
  // True if `heights` has all values within the limits.
  bool are_all_compared = false;
  // True if it is proved that no order is better for DynamicOptions::aim,
  // because every other order was ruled out or the result equals a lower bound.
  // For kReserve, a better order has a smaller reserve or, with the same
  // reserve, a smaller ratio; for kRatio, the ratio is compared first. Set only
  // if all values were compared.
  bool is_best_order = false;
};

// Finds an order for all values. Errors: those of Problem::Create if sums of
// sizes are too large. O((orders + values) * records * log(records)), plus the
// time to plan for a few values.
StatusOr<DynamicPlan> PlanForAllValues(const DynamicProblem& problem,
                                       const DynamicOptions& options = {});

// Evaluates the given order in the way in which PlanForAllValues evaluates the
// order that it finds. Errors: those of StackPlan::Create.
StatusOr<DynamicPlan> EvaluateOrder(const DynamicProblem& problem,
                                    std::vector<size_t> order);

// A range of consecutive values that share one plan with fixed offsets.
struct SizeBucket {
  ParameterValues first;
  ParameterValues last;  // inclusive
  size_t reserve = 0;    // bytes of the plan for the largest sizes in the range
  std::vector<size_t> offsets;
  // The value in the range with the largest ratio of reserve to need.
  HeightAt worst;
};

// Divides the values of the only parameter, or the scenarios, into at most
// `count` ranges of consecutive values. Each range has its own plan for the
// largest sizes in the range. Use it for a runtime that cannot compute offsets:
// the runtime finds the range of a value and uses its plan. The division
// minimizes the largest ratio of reserve to need over all compared values.
// Errors: InvalidArgument for count 0, and for several parameters. O(values^2 *
// the time of a plan).
StatusOr<std::vector<SizeBucket>> PlanBuckets(const DynamicProblem& problem,
                                              size_t count);

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_PLAN_DYNAMIC_H_
