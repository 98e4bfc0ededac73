// SPDX-License-Identifier: Apache-2.0
// Solves a problem by solving simpler problems: one for each pool, one with
// lowered constraints (lower_problem.h), or the relaxation to bounding
// intervals if the request allows it. Solve calls this function first, and
// calls the strategy itself only if there is no simpler problem.
#ifndef STOWAGE_SRC_PLAN_SOLVE_SIMPLER_H_
#define STOWAGE_SRC_PLAN_SOLVE_SIMPLER_H_

#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Returns the solution, or nothing if there is no simpler problem. Requires a
// problem with constraints. Errors: those of Solve.
optional<StatusOr<Solution>> SolveSimpler(const Problem& problem,
                                          const Strategy& strategy,
                                          const SolveOptions& options);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_SOLVE_SIMPLER_H_
