// SPDX-License-Identifier: Apache-2.0
// Places the records with fixed offsets, before a planner places the other
// records around them.
#ifndef STOWAGE_SRC_CONSTRUCT_PLACE_FIXED_H_
#define STOWAGE_SRC_CONSTRUCT_PLACE_FIXED_H_

#include "src/construct/placed_records.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a plan in which only the fixed records are placed. The plan has the
// offsets of these records, and its total is their highest end. Adds the fixed
// records that have bytes to `placed`. Requires that `placed` uses the ranks of
// the problem. O(n), and O(log n) for each fixed record.
OffsetsAssignment PlaceFixed(const Problem& problem, PlacedRecords* placed);

// Returns the same plan as the function above, for planners that have no
// PlacedRecords. O(n).
OffsetsAssignment PlaceFixed(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_PLACE_FIXED_H_
