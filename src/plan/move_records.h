// SPDX-License-Identifier: Apache-2.0
// Updates a plan of offsets after some records have changed, without planning
// the other records again.
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
  // The records that changed or moved. Only their places have to be checked.
  std::vector<size_t> touched;
};

// Returns the records that have different sizes, intervals or alignments in the
// two problems, in rising order. Requires problems with the same number of
// records. O(n).
std::vector<size_t> ChangedRecords(const Problem& before, const Problem& after);

// Plans `problem` by moving some records of an earlier plan. `offsets` has the
// offsets of that plan, which must be safe apart from the records `changed`.
// `is_fixed` states for each record whether it may not move; it is empty if all
// records may move.
//
// A changed record keeps its offset if it fits there. Changed records that may
// not move are processed first, and then the others by decreasing size. Records
// that lose their places move to the lowest gap, the largest record first.
//
// Returns nothing if records that may not move overlap, if an offset would
// exceed 2^64 - 1, or if more than `max_visits` records would be visited.
// Requires a problem of offsets without constraints. O(n * (changed + moved +
// 1)), plus O(c log c) for each moved record, where c is the number of records
// that conflict with it.
optional<MovedRecords> MoveRecords(const Problem& problem,
                                   Span<const size_t> offsets,
                                   Span<const size_t> changed,
                                   const std::vector<bool>& is_fixed,
                                   size_t max_visits);

}  // namespace stowage

#endif  // STOWAGE_SRC_PLAN_MOVE_RECORDS_H_
