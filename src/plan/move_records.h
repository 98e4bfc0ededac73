// SPDX-License-Identifier: Apache-2.0
// Changes a plan of offsets after records have changed, without planning the
// other records again.
#ifndef STOWAGE_SRC_PLAN_MOVE_RECORDS_H_
#define STOWAGE_SRC_PLAN_MOVE_RECORDS_H_

#include <cstddef>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage {

// A plan that keeps most offsets of an earlier plan.
struct MovedRecords {
  OffsetsAssignment plan;
  std::vector<size_t> moved;  // has records at other offsets, in rising order
  // The records whose places have to be checked: those that changed or moved.
  std::vector<size_t> touched;
};

// Returns the records whose size, interval or alignment differs between the two
// problems, in rising order. Both problems must have the same number of
// records. O(n).
std::vector<size_t> ChangedRecords(const Problem& before, const Problem& after);

// Plans `problem` by moving records of an earlier plan. `offsets` has the
// offsets of that plan, which is safe if the records `changed` are left out. A
// changed record keeps its offset if it fits there. Changed records that may
// not move are considered first, and then the other ones by decreasing size.
// Records that lose their places move to the lowest gap, the largest first.
// `is_fixed` says for each record whether it may not move; the list is empty if
// all records may move. Returns nothing if records that may not move overlap,
// if an offset would exceed 2^64 - 1, or if more than `max_visits` records
// would be visited. Requires a problem of offsets without constraints. O(n *
// (changed + moved + 1)), and O(c log c) for each moved record, where c is the
// number of records that conflict with it.
optional<MovedRecords> MoveRecords(const Problem& problem,
                                   Span<const size_t> offsets,
                                   Span<const size_t> changed,
                                   const std::vector<bool>& is_fixed,
                                   size_t max_visits);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_MOVE_RECORDS_H_
