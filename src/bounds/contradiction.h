// SPDX-License-Identifier: Apache-2.0
// Finds contradictions in a problem before any planner is called. A problem
// with a contradiction has no plan. Only the room `plan` and the check of
// certificates call this function.
#ifndef STOWAGE_SRC_BOUNDS_CONTRADICTION_H_
#define STOWAGE_SRC_BOUNDS_CONTRADICTION_H_

#include "stowage/base/optional.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns a solution that is kInfeasible, with the records of the conflict, in
// one of these cases:
//
// - Two records with fixed offsets share bytes that they may not share, or a
//   record with a fixed offset is in a hole. A record also counts as fixed if
//   another member of its group has a fixed offset. Records that may be placed
//   in several pools are not checked for this.
// - No start of a record or a group satisfies all ranges, alignments and fixed
//   offsets.
// - The members of a group have no common pool, or every pool that a record or
//   group may use is too small for that record or group alone.
// - At one task, the records that are restricted to certain pools need more
//   bytes than these pools have together (pool_shortage.h).
//
// Other sums of sizes and capacities are not examined; see LowerBoundOf. O(n
// log n + size of the constraints); O(1) without fixed offsets and constraints.
optional<Solution> FindContradiction(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_CONTRADICTION_H_
