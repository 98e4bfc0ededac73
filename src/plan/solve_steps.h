// SPDX-License-Identifier: Apache-2.0
// The steps of Solve (stowage/planner.h) that are the same with and without
// constraints: checking that the strategy supports the problem, calling the
// strategy, verifying the plan, and stating what is known about the plan.
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
// Errors: Unimplemented, with the missing features and the names of the
// strategies that support all required features.
Status CheckSupport(const Strategy& strategy, const Problem& problem);

// Returns the error for an unsafe plan of the strategy. `error` describes why
// the plan is unsafe.
Status UnsafePlanOf(const Strategy& strategy, const Status& error);

// Calls the strategy and verifies the solution that it returns.
StatusOr<Solution> CallStrategy(const Problem& problem,
                                const Strategy& strategy,
                                const SolveOptions& options);

// Replaces the bound of the solution with the bound of the problem, unless the
// strategy has proved a higher bound, or has proved a bound by a search.
void TakeBound(const LowerBound& bound, Solution* solution);

// Sets the status to kOptimal, with a reason, if the total equals the lower
// bound of the solution. `bound` is the bound of the problem.
void ClaimOptimum(const LowerBound& bound, Solution* solution);

// A function that sets the status of a solution with a plan within the
// capacity, or states why there is no such plan.
using Settle = void (*)(const Problem& problem, const Strategy& strategy,
                        Solution* solution);

// Solves the problem by calling the strategy once, or without calling it if the
// bound is above the capacity. If there is a plan within the capacity, calls
// `settle` to set its status. Otherwise calls `settle` only if the reason may
// be something other than the capacity.
StatusOr<Solution> SolveByStrategy(const Problem& problem,
                                   const Strategy& strategy,
                                   const SolveOptions& options, Settle settle);

// Returns the same result as Solve, except that the conflict of a problem with
// constraints may lack records and is not reduced (settle_conflict.h). Use it
// to solve problems on the way to the solution of another problem.
StatusOr<Solution> SolveUnsettled(const Problem& problem,
                                  const Strategy& strategy,
                                  const SolveOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_SOLVE_STEPS_H_
