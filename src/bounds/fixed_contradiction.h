// SPDX-License-Identifier: Apache-2.0
// Finds conflicting records that share bytes because of their fixed offsets.
// This check runs before any planner is called, and handles only problems
// without constraints; for problems with constraints, see contradiction.h.
#ifndef STOWAGE_SRC_BOUNDS_FIXED_CONTRADICTION_H_
#define STOWAGE_SRC_BOUNDS_FIXED_CONTRADICTION_H_

#include "stowage/base/optional.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns a solution that is kInfeasible if two records with fixed offsets
// conflict and share bytes. The two records are the conflict of the solution.
// Requires a problem without constraints whose intervals are given. O(n log n);
// O(1) without fixed offsets.
optional<Solution> FindFixedContradiction(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_FIXED_CONTRADICTION_H_
