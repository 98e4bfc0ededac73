// SPDX-License-Identifier: Apache-2.0
// Places the records that a problem gives an offset, before a planner places
// the others around them.
#ifndef STOWAGE_CORE_PLACE_FIXED_H_
#define STOWAGE_CORE_PLACE_FIXED_H_

#include "src/core/placed_records.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage {

// Begins a plan: no record is placed but the fixed ones. Sets their offsets,
// and the total to their highest end; adds those with bytes to `placed`, which
// is of the problem's ranks. O(n), and O(log n) for each fixed record.
OffsetsAssignment PlaceFixed(const Problem& problem, PlacedRecords* placed);

// The same without a list of what is placed. O(n).
OffsetsAssignment PlaceFixed(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_CORE_PLACE_FIXED_H_
