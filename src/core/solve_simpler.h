// SPDX-License-Identifier: Apache-2.0
// Plans a problem by simpler ones: those of its pools, one without what can be
// lowered (lower_problem.h), or hulls if they are asked for. For Solve, which
// asks the strategy itself if there is none.
#ifndef STOWAGE_CORE_SOLVE_SIMPLER_H_
#define STOWAGE_CORE_SOLVE_SIMPLER_H_

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {

// Nothing if there is no simpler problem. Requires constraints. Errors: those
// of Solve.
absl::optional<absl::StatusOr<Solution>> SolveSimpler(
    const Problem& problem, const Strategy& strategy,
    const SolveOptions& options);

}  // namespace stowage

#endif  // STOWAGE_CORE_SOLVE_SIMPLER_H_
