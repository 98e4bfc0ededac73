// SPDX-License-Identifier: Apache-2.0
// Explains for Solve (planner.h) why a problem has no plan if its lower bound
// is above the capacity. To find requests that contradict each other, use
// FindContradiction (contradiction.h).
#ifndef STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_
#define STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_

#include <cstddef>

#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns a kInfeasible solution: the bound proves that no plan fits the
// capacity. Requires a bound above the capacity. With constraints, the conflict
// consists of the records of the bound (LowerBound::records). Without
// constraints, it consists of the records that end above the capacity wherever
// they lie. If there are none, it consists of records that are live at the task
// of the proof, or is empty if the proof has no task. O(n log n).
Solution InfeasibleByBound(const Problem& problem, size_t capacity);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_
