// SPDX-License-Identifier: Apache-2.0
// Finds contradictions in a problem before a planner is called. A problem with
// a contradiction has no plan. Only solve_constrained.cc and the check of
// certificates use this function.
#ifndef STOWAGE_SRC_BOUNDS_CONTRADICTION_H_
#define STOWAGE_SRC_BOUNDS_CONTRADICTION_H_

#include "stowage/base/optional.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns a solution that is kInfeasible, with the records of the conflict, in
// one of these cases:
//
// - two records with fixed offsets share bytes that they may not share, or a
//   record with a fixed offset is in a hole; a record also counts as fixed if
//   another member of its group has a fixed offset, and records that may go to
//   several pools are not checked for this;
// - no start of a record or a group satisfies all ranges, alignments and fixed
//   offsets;
// - no pool may be used by all members of a group, or no pool that a record or
//   group may use is large enough for it alone;
// - some pools have less room than is needed at one task by the records that
//   may lie in no other pool (pool_shortage.h).
//
// Other sums of sizes and capacities are not examined; see LowerBoundOf.
// O(n log n + size of the constraints); O(1) without fixed offsets and
// constraints.
optional<Solution> FindContradiction(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_CONTRADICTION_H_
