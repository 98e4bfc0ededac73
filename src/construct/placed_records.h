// SPDX-License-Identifier: Apache-2.0
// Stores the records that have been placed in an arena so far, and visits them
// in order of offset. To look only for gaps, use FreeSpace (free_space.h).
#ifndef STOWAGE_SRC_CONSTRUCT_PLACED_RECORDS_H_
#define STOWAGE_SRC_CONSTRUCT_PLACED_RECORDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/sorted_blocks.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/conflict_index.h"
#include "stowage/base/span.h"

namespace stowage {

// A record that occupies bytes [offset, end) of an arena.
struct Place {
  size_t offset = 0;
  size_t end = 0;
  StepInterval steps;
  uint32_t sequence = 0;  // the number of records that were placed before it
};

class PlacedRecords {
 public:
  // Creates an empty arena. `intervals` must outlive the object.
  explicit PlacedRecords(Span<const StepInterval> intervals);

  // Places a record. O(log n), amortized.
  void Add(size_t record, size_t offset, size_t end);

  // Calls pass(place) for each record that conflicts with `interval`, until a
  // call returns true. Visits the records in the order of their offsets, and in
  // the order in which they were added if the offsets are equal. O(c log n) for
  // c such records, but at most O(n).
  template <typename Pass>
  void WalkUntil(StepInterval interval, Pass pass) {
    if (CollectFew(interval)) {
      for (const Place& place : few_) {
        if (pass(place)) return;
      }
      return;
    }
    by_offset_.VisitUntil([&](const Place& place) {
      return place.steps.begin < interval.end &&
             interval.begin < place.steps.end && pass(place);
    });
  }

 private:
  // Fills few_ with the conflicting records in order. Returns false if there
  // are so many that visiting all records is faster.
  bool CollectFew(StepInterval interval);

  Span<const StepInterval> intervals_;
  std::vector<Place> places_;  // is indexed by record
  ConflictIndex index_;
  SortedBlocks<Place> by_offset_;
  std::vector<Place> few_;  // is scratch memory of WalkUntil
  uint32_t count_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_PLACED_RECORDS_H_
