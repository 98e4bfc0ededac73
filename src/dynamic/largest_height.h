// SPDX-License-Identifier: Apache-2.0
// Computes the largest height of a stack over all values, and reports the rule
// that proves it.
#ifndef STOWAGE_SRC_DYNAMIC_LARGEST_HEIGHT_H_
#define STOWAGE_SRC_DYNAMIC_LARGEST_HEIGHT_H_

#include <cstddef>

#include "stowage/base/optional.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/stack_plan.h"

namespace stowage {

struct LargestHeight {
  size_t height = 0;  // in bytes; for kUnion, an upper bound of all heights
  LargestRule rule = LargestRule::kAllValues;
  ParameterValues values;  // where the largest height is; empty for kUnion
  optional<size_t> count;  // the number of values that were tried
};

// Returns the largest height by the first rule that applies, in the order of
// LargestRule. The rules rely on the fact that the height of a stack rises with
// each size, because every lower bound of an offset is a sum of sizes, rounded
// up. O(n + edges), times the number of corners or values that are tried.
LargestHeight LargestHeightOf(const DynamicProblem& problem,
                              const StackPlan& stack);

// Returns the largest height by this rule, or nullopt if the rule does not
// apply to the problem.
optional<LargestHeight> LargestHeightBy(LargestRule rule,
                                        const DynamicProblem& problem,
                                        const StackPlan& stack);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_LARGEST_HEIGHT_H_
