// SPDX-License-Identifier: Apache-2.0
// Declares those steps of Solve (stowage/planner.h) that are the same with and
// without constraints: check that the strategy supports the problem, call the
// strategy, verify the plan, and state what is known about the plan.
#ifndef STOWAGE_SRC_PLAN_SOLVE_STEPS_H_
#define STOWAGE_SRC_PLAN_SOLVE_STEPS_H_

#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Checks that the strategy supports everything that the problem requires.
// Error: Unimplemented, with the missing features and the names of the
// strategies that have them.
Status CheckSupport(const Strategy& strategy, const Problem& problem);

// Returns the error for an unsafe plan, which `error` describes.
Status UnsafePlanOf(const Strategy& strategy, const Status& error);

// Calls the strategy and verifies its answer.
StatusOr<Solution> CallStrategy(const Problem& problem,
                                const Strategy& strategy,
                                const SolveOptions& options);

// Replaces the bound of the solution by that of the problem, unless the
// strategy has proved a higher bound, or has proved the same bound by a search.
void TakeBound(const LowerBound& bound, Solution* solution);

// Sets the status to kOptimal, with a reason, if the total equals the bound of
// the solution. `bound` is the bound of the problem.
void ClaimOptimum(const LowerBound& bound, Solution* solution);

// If the solution has a plan within the capacity, sets the status of the
// solution. Otherwise, states why there is no such plan.
using Settle = void (*)(const Problem& problem, const Strategy& strategy,
                        Solution* solution);

// Solves the problem by one call of the strategy, or without a call if the
// bound is above the capacity. If there is a plan within the capacity, `settle`
// sets its status. If there is none, `settle` is called only if the reason may
// be something other than the capacity.
StatusOr<Solution> SolveByStrategy(const Problem& problem,
                                   const Strategy& strategy,
                                   const SolveOptions& options, Settle settle);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_SOLVE_STEPS_H_
