// SPDX-License-Identifier: Apache-2.0
// Checks a plan from any source for all values of the parameters of a problem.
// The plan is either an order, or a list of offsets that are formulas or
// numbers. To check a plan for fixed sizes, use verify.h.
//
//   StatusOr<DynamicVerdict> verdict = VerifyOrder(*problem, order, reserve);
//   if (verdict.ok() && !verdict->fault) Use(order);
#ifndef STOWAGE_DYNAMIC_VERIFY_DYNAMIC_H_
#define STOWAGE_DYNAMIC_VERIFY_DYNAMIC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/verify.h"

namespace stowage {

// The argument that proves that records in conflict do not overlap at any
// value.
enum class SafetyRule : uint8_t {
  // The plan is an order. If two records conflict, the later one begins at or
  // above the end of the earlier one.
  kOrder,
  // The offsets are the same for all values, and are safe if each record has
  // its largest size. They are therefore safe for all sizes, because a smaller
  // size only removes bytes from a record.
  kLargestSizes,
  // All values have been tried.
  kAllValues,
};

// Returns "order", "largest sizes" or "all values".
string_view SafetyRuleName(SafetyRule rule);

// Returns a text that explains why every order of a problem is safe. This is
// the argument of SafetyRule::kOrder.
string_view SafetyOfOrders(const DynamicProblem& problem);

// A value at which a plan is wrong, and the reason.
struct DynamicFault {
  ParameterValues values;
  // Set if the plan is unsafe at `values`.
  optional<Violation> violation;
  // Set if the formula of an offset has no value or a negative value at
  // `values`. `record` is the record with this offset, and `cause` is the
  // reason.
  optional<size_t> record;
  std::string cause;
  // Set if the height exceeds `limit`, which is the reserve or, if
  // `is_above_capacity`, the capacity of the problem. Both numbers are in
  // bytes.
  optional<size_t> height;
  size_t limit = 0;
  bool is_above_capacity = false;
};

struct DynamicVerdict {
  SafetyRule safety = SafetyRule::kOrder;
  LargestRule reserve = LargestRule::kAllValues;
  optional<size_t> values;  // the number within the limits, if tried
  size_t height = 0;        // the largest height; for kUnion, an upper bound
  ParameterValues largest;  // the value of the height; empty for kUnion
  optional<DynamicFault> fault;
};

// Checks an order. Also checks that the largest height is at most `reserve`, if
// it is given, and at most the capacity of the problem, if there is one.
// Errors: InvalidArgument if the order does not list each record once;
// ResourceExhausted if no rule proves the reserve and there are more than
// kMaxTriedValues values.
StatusOr<DynamicVerdict> VerifyOrder(const DynamicProblem& problem,
                                     Span<const size_t> order,
                                     optional<size_t> reserve);

// Checks offsets that are given as an expression (expression.h) for each
// record, in bytes. Errors: InvalidArgument for an expression with an error;
// ResourceExhausted if no rule proves the plan and there are more than
// kMaxTriedValues values.
StatusOr<DynamicVerdict> VerifyFormulas(const DynamicProblem& problem,
                                        Span<const std::string> offsets,
                                        optional<size_t> reserve);

// Returns one line that describes a fault, such as "at seq=128: tensor ...".
std::string Describe(const DynamicProblem& problem, const DynamicFault& fault);

}  // namespace stowage

#endif  // STOWAGE_DYNAMIC_VERIFY_DYNAMIC_H_
