// SPDX-License-Identifier: Apache-2.0
// Explains why a problem has no plan if its lower bound is above the capacity,
// for Solve (planner.h). Problems whose requests contradict each other are
// found by FindContradiction (contradiction.h).
#ifndef STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_
#define STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_

#include <cstddef>

#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns a kInfeasible solution, which says that no plan fits the capacity, as
// the bound proves. Its conflict and reason name the records that exceed the
// capacity alone, or else the records of a task. Requires a bound above the
// capacity. O(n log n).
Solution InfeasibleByBound(const Problem& problem, size_t capacity);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_INFEASIBLE_BY_BOUND_H_
