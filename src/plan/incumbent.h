// SPDX-License-Identifier: Apache-2.0
// Checks SolveOptions::incumbent, a plan that the caller of Solve already has,
// and compares it with the plan that Solve found.
#ifndef STOWAGE_SRC_PLAN_INCUMBENT_H_
#define STOWAGE_SRC_PLAN_INCUMBENT_H_

#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Verifies the plan, the order and the places of `given`. Returns a solution
// that has only this plan, order and places, with the total and the cost of the
// plan. If the total is above the capacity, the returned solution has no plan.
// Errors: InvalidArgument if the plan is unsafe or missing, with the violation
// (ViolationOf) as payload; those of DecidedProblem.
StatusOr<Solution> CheckedIncumbent(const Problem& problem,
                                    const Solution& given);

// Returns `found`, with its plan replaced by the plan of the incumbent if the
// latter is at least as good. Requires a checked incumbent.
Solution BetterOf(Solution incumbent, Solution found);

// Returns `found` with its plan replaced by the plan of the incumbent. Requires
// a checked incumbent with a plan.
Solution WithPlanOf(Solution incumbent, Solution found);

// Returns a solution that has no plan, only the lower bound that is known
// without a search.
Solution NothingFound(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_INCUMBENT_H_
