// SPDX-License-Identifier: Apache-2.0
// Finds one order of the records in which they can be stacked at all values of
// the parameters. A runtime that plans again for each value needs no such
// order, and uses plan_cache.h instead.
//
//   StatusOr<DynamicPlan> plan = PlanForAllValues(*problem);
//   plan->reserve;  // in bytes, for all values
//   plan->stack.Offsets(*problem->SizesAt({8, 128}), MakeSpan(offsets));
//
// The method was developed for this library. If an order is made from a plan
// for one value, the height of its stack at that value is at most the total of
// the plan. Therefore the search begins with the orders of plans for a few
// values. It then moves records in the order.
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
  // The maximum number of orders that the search evaluates after its initial
  // orders.
  uint64_t max_orders = 20'000;
  // The time limit in nanoseconds, counted from the beginning of the call. If
  // it is not set, only `max_orders` limits the search.
  optional<int64_t> time_limit_ns;
  // A function that the search calls from time to time. If the function returns
  // false, the search ends. The function may be empty.
  std::function<bool()> go_on;
};

// Compares the height of a stack at one value with the smallest plan known for
// this value.
struct HeightAt {
  ParameterValues values;
  size_t height = 0;            // the height of the stack, in bytes
  size_t need = 0;              // the bytes of the smallest plan that was found
  bool is_need_proved = false;  // no plan for this value is smaller
};

// Returns height / need as a fraction in lowest terms: "47/45", or "1".
std::string RatioText(const HeightAt& value);

struct DynamicPlan {
  StackPlan stack;
  // The bytes that suffice for every value, and the rule that proves this. If
  // the rule is kUnion, the reserve may be more than the largest height.
  size_t reserve = 0;
  LargestRule rule = LargestRule::kAllValues;
  // The value at which the height is largest, if the rule determines one.
  ParameterValues largest;
  // A proved lower bound of the reserve: at the value `bound_at`, every plan
  // needs at least this number of bytes.
  size_t reserve_bound = 0;
  ParameterValues bound_at;
  // kOptimal if the reserve equals the bound.
  SolutionStatus status = SolutionStatus::kFeasible;
  // The value with the largest ratio of height to need among the compared
  // values.
  HeightAt worst;
  // `heights` has the values that were compared, in rising order. `values` is
  // the number of all values within the limits, if they were counted.
  std::vector<HeightAt> heights;
  optional<size_t> values;
  // True if `heights` has all values within the limits.
  bool are_all_compared = false;
  // True if it is proved that no order is better under DynamicOptions::aim:
  // every other order was ruled out, or the result equals a lower bound. For
  // kReserve, a better order has a smaller reserve or, with the same reserve, a
  // smaller ratio; for kRatio, the ratio is compared first. It is set only if
  // all values were compared.
  bool is_best_order = false;
};

// Finds an order for all values. Errors: those of Problem::Create, if sums of
// sizes are too large. O((orders + values) * records * log(records)), plus the
// time to plan for some values.
StatusOr<DynamicPlan> PlanForAllValues(const DynamicProblem& problem,
                                       const DynamicOptions& options = {});

// Evaluates the given order in the same way as PlanForAllValues evaluates the
// orders that it finds. Errors: those of StackPlan::Create.
StatusOr<DynamicPlan> EvaluateOrder(const DynamicProblem& problem,
                                    std::vector<size_t> order);

// A range of values that share one plan with fixed offsets.
struct SizeBucket {
  ParameterValues first;
  ParameterValues last;  // inclusive
  size_t reserve = 0;    // bytes of the plan for the largest sizes in the range
  std::vector<size_t> offsets;
  // The value in the range with the largest ratio of reserve to need.
  HeightAt worst;
};

// Divides the values of the only parameter, or the scenarios, into at most
// `count` ranges of consecutive values. Each range has its own plan, for the
// largest sizes in the range. A runtime that cannot compute offsets looks up
// the range of a value and uses the plan of this range. The division minimizes
// the largest ratio of reserve to need over the values that were compared.
// Errors: InvalidArgument for count 0, and for several parameters. O(values^2 *
// the time of a plan).
StatusOr<std::vector<SizeBucket>> PlanBuckets(const DynamicProblem& problem,
                                              size_t count);

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_PLAN_DYNAMIC_H_
