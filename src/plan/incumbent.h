// SPDX-License-Identifier: Apache-2.0
// The plan that a caller of Solve has already (SolveOptions::incumbent).
#ifndef STOWAGE_SRC_PLAN_INCUMBENT_H_
#define STOWAGE_SRC_PLAN_INCUMBENT_H_

#include "absl/status/statusor.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Verifies the plan of `given`, with the order of its tasks and its places.
// Returns a solution that has only these, and the total and the cost of the
// plan. It has no plan if the total is above the capacity. Errors:
// InvalidArgument, with the violation (ViolationOf) if the plan is unsafe or
// missing; those of DecidedProblem.
absl::StatusOr<Solution> CheckedIncumbent(const Problem& problem,
                                          const Solution& given);

// Returns what was found, with the plan of the incumbent unless the plan that
// was found is better. Requires a checked incumbent.
Solution BetterOf(Solution incumbent, Solution found);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_INCUMBENT_H_
