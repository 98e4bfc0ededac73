// SPDX-License-Identifier: Apache-2.0
// Finds contradictions that no plan can honour before a planner is called. Used
// by planner.cc and by the check of certificates.
#ifndef STOWAGE_SRC_CORE_CONTRADICTION_H_
#define STOWAGE_SRC_CORE_CONTRADICTION_H_

#include "absl/types/optional.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns a solution that is kInfeasible, with the records of the conflict, in
// one of these cases:
//
// - Records with fixed offsets, either their own or those of their group, share
//   bytes that they may not share, or one is in a hole. Records that may go to
//   several pools are not examined.
// - No start of a record or a group satisfies all ranges, alignments and fixed
//   offsets.
// - No pool may be used by all members of a group, or none of those is large
//   enough for a record or a group alone.
//
// Other sums of sizes and capacities are not examined; see
// Problem::lower_bound. O(n log n + size of the constraints); O(1) without
// fixed offsets and constraints.
absl::optional<Solution> FindContradiction(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_CONTRADICTION_H_
