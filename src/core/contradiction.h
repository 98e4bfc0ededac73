// SPDX-License-Identifier: Apache-2.0
// Finds what no plan can honour before a planner is asked: for planner.cc, and
// for the check of certificates.
#ifndef STOWAGE_SRC_CORE_CONTRADICTION_H_
#define STOWAGE_SRC_CORE_CONTRADICTION_H_

#include "absl/types/optional.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// A solution that is kInfeasible, with the records of the conflict, if
//
// - records with fixed offsets, their own or those of their group, share bytes
//   that they may not share, or one is in a hole; of records that may go to
//   several pools nothing is said;
// - no start of a record or a group suits all ranges, alignments and fixed
//   offsets;
// - no pool may be used by all of a group, or none of those is large enough
//   for a record or a group alone.
//
// Not of other sizes and capacities: see Problem::lower_bound. O(n log n + size
// of the constraints), and nothing without fixed offsets and constraints.
absl::optional<Solution> FindContradiction(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_CONTRADICTION_H_
