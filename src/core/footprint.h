// SPDX-License-Identifier: Apache-2.0
// When records are live, as points and ranges of one axis: for the verifier
// alone. Strategies have interval_ranks.h.
//
// Two records conflict iff a point of one lies in a range of the other, whether
// they have intervals or users in a partial order:
//
// - By intervals the axis is the distinct first tasks. A record has its first
//   task as its point and its interval as its range: where two intervals meet,
//   the later one begins within the other.
// - By a partial order the axis is its chains, one after the other. The points
//   of a record are its users. On each chain it has as its range the tasks that
//   neither precede all users nor follow all of them. If no user of one record
//   is in a range of the other and no user of the other in a range of the
//   first, then each user precedes all users of the other record or follows all
//   of them, and a mixture of both would put these between.
//
// So hits, pairs of a point and a range that has it, can be counted instead of
// conflicts, which no one ever lists.
#ifndef STOWAGE_SRC_CORE_FOOTPRINT_H_
#define STOWAGE_SRC_CORE_FOOTPRINT_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "stowage/constraints.h"
#include "stowage/profile.h"

namespace stowage {

struct Footprint {
  std::vector<size_t> points;  // with users: one for each, in their order
  std::vector<std::pair<size_t, size_t>> ranges;  // half-open, rising, disjoint
};

// Whether the point is in a range of the footprint. O(log ranges).
bool HasInRange(const Footprint& footprint, size_t point);

// The pairs of a point of one and a range of the other that has it. O(points *
// log ranges).
size_t CountHits(const Footprint& a, const Footprint& b);

// The footprints of some records, which are numbered from 0 in the order given,
// and after them those of all holes.
class Footprints {
 public:
  // Of `records`, by index among `all`. All live longer than this. O(n log n)
  // time and O(n) memory for n records and holes.
  Footprints(absl::Span<const ByteRecord> all, const Constraints& constraints,
             absl::Span<const size_t> records);

  // Of the axis.
  size_t length() const { return length_; }
  // O(users * chains).
  void Read(size_t item, Footprint* footprint) const;

 private:
  void RankFirstTasks();
  void ReadUsers(size_t record, Footprint* footprint) const;

  absl::Span<const ByteRecord> all_;
  const Constraints& constraints_;
  absl::Span<const size_t> records_;
  size_t length_ = 0;
  // By intervals: the range of each item, which begins at its point.
  std::vector<std::pair<uint32_t, uint32_t>> ranges_;
  // By a partial order: where each chain begins.
  std::vector<size_t> chain_begins_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_FOOTPRINT_H_
