// SPDX-License-Identifier: Apache-2.0
// Finds the records of a growing set that conflict with an interval. It needs
// no conflict graph, so its memory is linear in the number of records. To visit
// conflicting records in the order of their offsets, use PlacedRecords
// (placed_records.h).
//
// The records are sorted by their first step, and a tree over them stores the
// latest end in each subtree. A query visits only the subtrees that begin
// before the interval ends and that contain a record that ends after the
// interval begins.
//
// Source: McCreight, "Priority search trees" (1985). Here, the tree is static
// in one dimension.
#ifndef STOWAGE_SRC_CONSTRUCT_CONFLICT_INDEX_H_
#define STOWAGE_SRC_CONSTRUCT_CONFLICT_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/bounds/interval_ranks.h"
#include "stowage/base/span.h"

namespace stowage {

class ConflictIndex {
 public:
  // Creates an empty set. `intervals` must outlive the index. O(n).
  explicit ConflictIndex(Span<const StepInterval> intervals);

  // Adds a record to the set. O(log n).
  void Insert(size_t record);

  // Calls visit(record) for each record of the set that conflicts with
  // `interval`, until a call returns true. Visits the records in the order of
  // their first steps, and by index if the first steps are equal. The set must
  // not change during the visit. O(log n + k log n) for k records visited.
  template <typename Visit>
  void VisitConflictsUntil(StepInterval interval, Visit visit) const {
    const size_t count = begun_before_[interval.end];
    VisitNode(latest_.size() - 1, 0, count, interval.begin, visit);
  }

 private:
  static constexpr uint32_t kAbsent = 0;  // no interval ends at step 0
  static constexpr size_t kFanOut = 16;   // the number of children of an entry

  // Returns a mask whose bit k is set if entries[k] is above `bound`. A plain
  // loop over a fixed number of entries compiles to vector instructions.
  static uint32_t AboveMask(const uint32_t* entries, uint32_t bound) {
    uint32_t mask = 0;
    for (uint32_t k = 0; k < kFanOut; ++k) {
      mask |= static_cast<uint32_t>(entries[k] > bound) << k;
    }
    return mask;
  }

  // Visits the records in the subtrees of kFanOut successive entries of
  // `level`, beginning with entry `first`. Skips records at position `count` or
  // later, and records that do not end after `begin`. Returns true if the visit
  // is over because the visitor has returned true or position `count` has been
  // reached.
  template <typename Visit>
  bool VisitNode(size_t level, size_t first, size_t count, uint32_t begin,
                 Visit& visit) const {
    uint32_t mask = AboveMask(latest_[level].data() + first, begin);
    for (; mask != 0; mask &= mask - 1) {
      const size_t entry = first + static_cast<size_t>(__builtin_ctz(mask));
      // The first position that an entry covers is entry * kFanOut^level.
      if (entry << (4 * level) >= count) return true;
      if (level == 0
              ? visit(size_t{records_[entry]})
              : VisitNode(level - 1, entry * kFanOut, count, begin, visit)) {
        return true;
      }
    }
    return false;
  }

  Span<const StepInterval> intervals_;
  std::vector<uint32_t> records_;   // is sorted by first step, then by index
  std::vector<uint32_t> position_;  // the position of every record in records_
  // For each step, the number of records that begin before it.
  std::vector<uint32_t> begun_before_;
  // Level 0 has the end of each record of records_, or kAbsent if the record is
  // not in the set. An entry of a higher level has the maximum of the kFanOut
  // entries below it. Every level is padded to a multiple of kFanOut.
  std::vector<std::vector<uint32_t>> latest_;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_CONFLICT_INDEX_H_
