// SPDX-License-Identifier: Apache-2.0
// States that the lower bound of a problem excludes any plan, for Solve
// (planner.h). Problems that contradict themselves are found by
// FindContradiction (contradiction.h).
#ifndef STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_
#define STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_

#include <cstddef>

#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns a solution that says that the bound excludes any plan within the
// capacity. Its conflict and reason name the records that exceed the capacity
// alone, or else the records of a task. Requires a bound above the capacity.
// O(n log n).
Solution InfeasibleByBound(const Problem& problem, size_t capacity);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_
