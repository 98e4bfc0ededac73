// SPDX-License-Identifier: Apache-2.0
// Completes and reduces the conflict of a problem with constraints that has no
// plan. Solve (planner.cc) calls this function through the table in
// src/model/constraint_support.h.
#ifndef STOWAGE_SRC_PLAN_SETTLE_CONFLICT_H_
#define STOWAGE_SRC_PLAN_SETTLE_CONFLICT_H_

#include <cstdint>

#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Changes the conflict of a solution with the status kInfeasible, so that its
// records have no plan even without all other records:
//
// - If a bound or a contradiction of the constraints proved the status, the
//   conflict may lack records that belong to the groups of its records. These
//   records are added, unless the conflict provably has no plan without them.
//   If the records then provably have a plan, all other records are added.
// - If records were added, or if a search proved the status, the conflict is
//   reduced: it loses records for as long as the remaining ones provably have
//   no plan.
//
// If the conflict is reduced, also determines whether it is irreducible. Does
// nothing if the solution has no conflict. `spent_ns` is the time that was
// spent on the solution; the reduction ends with the time limit or the node
// budget of `options`; its nodes are not added to Solution::nodes. Solves
// O(c^2) problems of up to c records for a conflict of c records, and few if
// the reduced conflict is small.
void SettleConflict(const Problem& problem, const Strategy& strategy,
                    const SolveOptions& options, int64_t spent_ns,
                    Solution* solution);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_SETTLE_CONFLICT_H_
