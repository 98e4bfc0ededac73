// SPDX-License-Identifier: Apache-2.0
#include "src/construct/placed_records.h"

#include <algorithm>
#include <cstddef>

#include "stowage/base/span.h"

namespace stowage {

PlacedRecords::PlacedRecords(Span<const StepInterval> intervals)
    : intervals_(intervals), places_(intervals.size()), index_(intervals) {}

void PlacedRecords::Add(size_t record, size_t offset, size_t end) {
  const Place place = {offset, end, intervals_[record], count_++};
  places_[record] = place;
  index_.Insert(record);
  by_offset_.Insert(
      place, [&](const Place& other) { return other.offset <= place.offset; });
}

bool PlacedRecords::CollectFew(StepInterval interval) {
  // Finding a conflicting record and sorting it takes about kManyShare times as
  // long as skipping a record that does not conflict. If more than one in
  // kManyShare records conflicts, visiting all records is therefore faster.
  constexpr size_t kManyShare = 64;
  const size_t many = kManyShare + count_ / kManyShare;
  few_.clear();
  index_.VisitConflictsUntil(interval, [&](size_t record) {
    few_.push_back(places_[record]);
    return few_.size() == many;
  });
  if (few_.size() == many) return false;
  std::sort(few_.begin(), few_.end(), [](const Place& a, const Place& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.sequence < b.sequence;
  });
  return true;
}

}  // namespace stowage
