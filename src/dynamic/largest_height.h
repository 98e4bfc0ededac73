// SPDX-License-Identifier: Apache-2.0
// The largest height of a stack over all values, and what proves it.
#ifndef STOWAGE_SRC_DYNAMIC_LARGEST_HEIGHT_H_
#define STOWAGE_SRC_DYNAMIC_LARGEST_HEIGHT_H_

#include <cstddef>

#include "stowage/base/optional.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/stack_plan.h"

namespace stowage {

struct LargestHeight {
  size_t height = 0;  // in bytes; of the union, no height is larger
  LargestRule rule = LargestRule::kAllValues;
  ParameterValues values;  // where it is; empty for kUnion
  optional<size_t> count;  // of the values that were tried
};

// Uses the first rule that applies, in the order of LargestRule. The height of
// a stack rises with each size: every bound of an offset is a sum of sizes,
// rounded up. O(n + edges), times the corners or values that are tried.
LargestHeight LargestHeightOf(const DynamicProblem& problem,
                              const StackPlan& stack);

// Uses this rule. Returns nothing if it does not apply to the problem.
optional<LargestHeight> LargestHeightBy(LargestRule rule,
                                        const DynamicProblem& problem,
                                        const StackPlan& stack);

}  // namespace stowage

#endif  // STOWAGE_SRC_DYNAMIC_LARGEST_HEIGHT_H_
