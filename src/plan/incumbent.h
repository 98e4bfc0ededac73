// SPDX-License-Identifier: Apache-2.0
// Checks the plan that a caller of Solve already has (SolveOptions::incumbent),
// and compares it with the plan that Solve found.
#ifndef STOWAGE_SRC_PLAN_INCUMBENT_H_
#define STOWAGE_SRC_PLAN_INCUMBENT_H_

#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Verifies the plan of `given`, together with the order and the places of
// `given`. Returns a solution that has only this plan, order and places, with
// the total and the cost of the plan. If the total is above the capacity, the
// solution has no plan. Errors: InvalidArgument, with the violation
// (ViolationOf) if the plan is unsafe or missing; those of DecidedProblem.
StatusOr<Solution> CheckedIncumbent(const Problem& problem,
                                    const Solution& given);

// Returns `found`. If the plan of the incumbent is at least as good, it
// replaces the plan of `found`. Requires a checked incumbent.
Solution BetterOf(Solution incumbent, Solution found);

// Returns `found` with its plan replaced by the plan of the incumbent. Requires
// a checked incumbent with a plan.
Solution WithPlanOf(Solution incumbent, Solution found);

// Returns a solution that has no plan, but has the lower bound that is known
// without a search.
Solution NothingFound(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_INCUMBENT_H_
