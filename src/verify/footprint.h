// SPDX-License-Identifier: Apache-2.0
// Describes when records are live, as points and ranges on one axis. Only the
// verifier uses this description; strategies use interval_ranks.h.
//
// Two records conflict iff a point of one lies in a range of the other. This
// holds both for intervals and for users in a partial order:
//
// - With intervals, the axis consists of the distinct first tasks. The point of
//   a record is its first task, and its range is its interval: if two intervals
//   intersect, the later one begins within the other.
// - With a partial order, the axis consists of the chains of the order, one
//   after the other. The points of a record are its users. Its range on each
//   chain consists of the tasks that neither precede all its users nor follow
//   all its users.
//   To see why this is correct, suppose that no user of record A is in a range
//   of record B, and vice versa. Then each user of A either precedes all users
//   of B or follows all of them. All users of A are on the same side: if one
//   preceded all users of B and another one followed all of them, the users of
//   B would lie between these two, and thus in a range of A. So either A ends
//   before B begins, or B ends before A begins, and they do not conflict.
//
// The verifier can therefore count hits, which are pairs of a point and a range
// that contains the point. It never has to list conflicts.
#ifndef STOWAGE_SRC_VERIFY_FOOTPRINT_H_
#define STOWAGE_SRC_VERIFY_FOOTPRINT_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/constraints.h"
#include "stowage/usage_record.h"

namespace stowage {

struct Footprint {
  // One point for the first task. With a partial order, one point for each
  // user, in the order of the users.
  std::vector<size_t> points;
  // Half-open, in rising order, and disjoint.
  std::vector<std::pair<size_t, size_t>> ranges;
};

// Returns whether the point is in any range of the footprint. O(log ranges).
bool HasInRange(const Footprint& footprint, size_t point);

// Returns the number of points of either footprint that are in a range of the
// other one. O(points * log ranges).
size_t CountHits(const Footprint& a, const Footprint& b);

// Computes the footprints of some records and of all holes. The records are
// numbered from 0 in the order given; the numbers of the holes follow.
class Footprints {
 public:
  // Computes the footprints of `records`, which are indices into `all`. All
  // arguments must outlive the object. O(n log n) time and O(n) memory for n
  // records and holes.
  Footprints(Span<const ByteRecord> all, const Constraints& constraints,
             Span<const size_t> records);

  // Returns the length of the axis.
  size_t length() const { return length_; }
  // Sets `footprint` to the footprint of a record or hole. O(users * chains).
  void Read(size_t item, Footprint* footprint) const;

 private:
  void RankFirstTasks();
  void ReadUsers(size_t record, Footprint* footprint) const;

  Span<const ByteRecord> all_;
  const Constraints& constraints_;
  Span<const size_t> records_;
  size_t length_ = 0;
  // Without a partial order, this list has the range of each item. The begin of
  // the range is the point of the item.
  std::vector<std::pair<uint32_t, uint32_t>> ranges_;
  // With a partial order, this list has the point at which each chain begins.
  std::vector<size_t> chain_begins_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_VERIFY_FOOTPRINT_H_
