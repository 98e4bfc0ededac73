// SPDX-License-Identifier: Apache-2.0
// Explains, for Solve (planner.h), why a problem with a lower bound above the
// capacity has no plan. To find requests that contradict each other, use
// FindContradiction (contradiction.h) instead.
#ifndef STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_
#define STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_

#include <cstddef>

#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns a kInfeasible solution, because the bound proves that no plan fits
// within the capacity. Requires a lower bound above the capacity. O(n log n).
//
// The conflict depends on the problem. With constraints, it consists of the
// records of the bound (LowerBound::records). Without constraints, it consists
// of the records that end above the capacity at any offset. If there are no
// such records, it consists of records that are live at the task of the proof,
// or is empty if the proof has no task.
Solution InfeasibleByBound(const Problem& problem, size_t capacity);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_
