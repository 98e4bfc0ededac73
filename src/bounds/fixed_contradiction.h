// SPDX-License-Identifier: Apache-2.0
// Finds conflicting records that share bytes because of their fixed offsets.
// This check comes before a planner is called. It handles problems without
// constraints; for problems with constraints, see contradiction.h.
#ifndef STOWAGE_SRC_BOUNDS_FIXED_CONTRADICTION_H_
#define STOWAGE_SRC_BOUNDS_FIXED_CONTRADICTION_H_

#include "stowage/base/optional.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// If two records at fixed offsets conflict and share bytes, returns a solution
// that is kInfeasible, with these two records as its conflict. Requires a
// problem without constraints whose intervals are given. O(n log n); O(1)
// without fixed offsets.
optional<Solution> FindFixedContradiction(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_FIXED_CONTRADICTION_H_
