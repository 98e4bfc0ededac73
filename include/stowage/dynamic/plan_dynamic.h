// SPDX-License-Identifier: Apache-2.0
// Finds one order for all values of the parameters of a problem. Planning again
// for each value that occurs needs no order: use plan_cache.h.
//
//   StatusOr<DynamicPlan> plan = PlanForAllValues(*problem);
//   plan->reserve;  // in bytes, for all values
//   plan->stack.Offsets(*problem->SizesAt({8, 128}), MakeSpan(offsets));
//
// Source: own. An order that is made from a plan for one value stacks to at
// most its total at that value, so orders of plans for a few values begin the
// search; moving records in the order improves it.
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
  kReserve,  // the least reserve, and of these the least ratio
  kRatio,    // the least ratio, and of these the least reserve
};

struct DynamicOptions {
  DynamicAim aim = DynamicAim::kReserve;
  // The number of orders that the search evaluates at most, beyond those that
  // it begins with.
  uint64_t max_orders = 20'000;
  // In nanoseconds, from the call on; without it only the number counts.
  optional<int64_t> time_limit_ns;
  // Called now and then; the search ends if it returns false. May be empty.
  std::function<bool()> go_on;
};

// A plan for one value beside the least that is known to be needed there.
struct HeightAt {
  ParameterValues values;
  size_t height = 0;            // of the stack, in bytes
  size_t need = 0;              // the bytes of the smallest plan that was found
  bool is_need_proved = false;  // no plan for this value is smaller
};

// Returns the quotient of the height and the need without common factors:
// "47/45", or "1".
std::string RatioText(const HeightAt& value);

struct DynamicPlan {
  StackPlan stack;
  // The bytes that suffice for every value, and how that is known. If the rule
  // is kUnion, it may be more than the largest height.
  size_t reserve = 0;
  LargestRule rule = LargestRule::kAllValues;
  // The value of the largest height, if the rule names one.
  ParameterValues largest;
  // No way to plan takes a smaller reserve: this many bytes are needed at
  // `bound_at`.
  size_t reserve_bound = 0;
  ParameterValues bound_at;
  // kOptimal if the reserve equals the bound.
  SolutionStatus status = SolutionStatus::kFeasible;
  // The value at which the height is most above the need, of all values that
  // were compared.
  HeightAt worst;
  // The values that were compared, in rising order, and the number of all
  // within the limits, if they were counted.
  std::vector<HeightAt> heights;
  optional<size_t> values;
  // Says whether these are all values within the limits.
  bool are_all_compared = false;
  // No order has a smaller reserve, or, with the same reserve, a smaller ratio
  // (kReserve; kRatio conversely): every order was ruled out, or nothing can be
  // smaller. Only set if all values were compared.
  bool is_best_order = false;
};

// Plans. Errors: those of Problem::Create, if sums of sizes are too large.
// O((orders + values) * records * log(records)) and the plans of some values.
StatusOr<DynamicPlan> PlanForAllValues(const DynamicProblem& problem,
                                       const DynamicOptions& options = {});

// Evaluates an order that is given, as PlanForAllValues evaluates those that it
// finds. Errors: those of StackPlan::Create.
StatusOr<DynamicPlan> EvaluateOrder(const DynamicProblem& problem,
                                    std::vector<size_t> order);

// The range of values that share one plan with fixed offsets.
struct SizeBucket {
  ParameterValues first;
  ParameterValues last;  // inclusive
  size_t reserve = 0;    // bytes of the plan for the largest sizes in the range
  std::vector<size_t> offsets;
  // The largest quotient of the reserve and the need of a value in the range.
  HeightAt worst;
};

// Divides the values of the only parameter, or the scenarios, into at most
// `count` ranges of neighbours, each with a plan of its own for the largest
// sizes in it. Runtimes that cannot compute offsets use the plan of the range
// of a value. The largest quotient of reserve and need is the least that is
// possible over the values that were compared. Errors: InvalidArgument for
// count 0, and for several parameters. O(values^2 * the time of a plan).
StatusOr<std::vector<SizeBucket>> PlanBuckets(const DynamicProblem& problem,
                                              size_t count);

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_PLAN_DYNAMIC_H_
