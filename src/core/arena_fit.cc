// SPDX-License-Identifier: Apache-2.0
#include "src/core/arena_fit.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/placed_records.h"

namespace stowage {
namespace {

// The search for a gap, as the walk passes conflicting records by offset.
class ArenaGapSearch {
 public:
  ArenaGapSearch(size_t size, size_t alignment)
      : size_(size), alignment_(alignment) {}

  // Passes one record. Returns whether the search is over: no offset above the
  // records passed is aligned.
  bool Pass(const Place& place) {
    const absl::optional<size_t> start = CheckedAlignUp(end_, alignment_);
    if (!start) return true;
    // The original remembers a gap from the unaligned end and compares it with
    // the next from an aligned one; plans depend on it.
    if (*start <= place.offset && place.offset - *start >= size_ &&
        place.offset - *start < tightest_) {
      tightest_ = place.offset - end_;
      best_ = start;
    }
    end_ = std::max(end_, place.end);
    return false;
  }

  absl::optional<size_t> Offset() const {
    return best_ ? best_ : CheckedAlignUp(end_, alignment_);
  }

 private:
  size_t size_;
  size_t alignment_;
  size_t end_ = 0;  // of all that was passed
  size_t tightest_ = std::numeric_limits<size_t>::max();
  absl::optional<size_t> best_;
};

}  // namespace

ArenaFit PlaceArenaFit(absl::Span<const ByteRecord> records,
                       const IntervalRanks& ranks,
                       absl::Span<const size_t> order,
                       const Alignments& alignments,
                       absl::Span<const absl::optional<size_t>> fixed) {
  ArenaFit result;
  result.plan.offsets.resize(records.size(), 0);
  PlacedRecords placed(ranks.intervals);
  const auto place = [&](size_t i, absl::optional<size_t> offset) {
    const absl::optional<size_t> end =
        offset ? CheckedAdd(*offset, records[i].tensor_size) : absl::nullopt;
    if (!end) {
      result.misfit = i;
      return;
    }
    result.plan.offsets[i] = *offset;
    result.plan.total_size = std::max(result.plan.total_size, *end);
    placed.Add(i, *offset, *end);
  };
  for (size_t i = 0; i < fixed.size() && !result.misfit; ++i) {
    if (fixed[i]) place(i, fixed[i]);
  }
  for (const size_t i : order) {
    if (result.misfit) break;
    const size_t size = records[i].tensor_size;
    if (size == 0) continue;
    ArenaGapSearch search(size, alignments.Of(i));
    placed.WalkUntil(ranks.intervals[i],
                     [&](const Place& other) { return search.Pass(other); });
    place(i, search.Offset());
  }
  return result;
}

}  // namespace stowage
