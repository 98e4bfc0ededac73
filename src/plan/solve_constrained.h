// SPDX-License-Identifier: Apache-2.0
// Solves problems with constraints, a free order or optional groups. Solve
// (planner.cc) calls the functions of this header through the table in
// src/model/constraint_support.h.
#ifndef STOWAGE_SRC_PLAN_SOLVE_CONSTRAINED_H_
#define STOWAGE_SRC_PLAN_SOLVE_CONSTRAINED_H_

#include <string>

#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Returns the same result as Solve (stowage/planner.h) without an incumbent,
// except that SettleConflict has not been called.
StatusOr<Solution> SolveConstrained(const Problem& problem,
                                    const Strategy& strategy,
                                    const SolveOptions& options);

// Returns the reason that a problem with constraints has no plan, with the
// names of the records of the solution's conflict. Requires that this is
// proved, either by a complete search or without any search nodes.
std::string ReasonOfNoPlan(const Problem& problem, const Solution& solution);

// Returns the same result as DecidedProblem (stowage/planner.h). Requires a
// problem with a free order or optional groups.
StatusOr<Problem> DecideProblem(const Problem& problem,
                                const Solution& solution);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_SOLVE_CONSTRAINED_H_
