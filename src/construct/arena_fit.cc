// SPDX-License-Identifier: Apache-2.0
#include "src/construct/arena_fit.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/base/chunk_pool.h"
#include "src/construct/free_space.h"
#include "src/construct/local_order.h"

namespace stowage {
namespace {

// Searches for a gap while free stretches are passed from the lowest on.
class ArenaGapSearch {
 public:
  ArenaGapSearch(size_t size, size_t alignment)
      : size_(size), alignment_(alignment) {}

  // Passes the next free stretch. Returns the number of bytes from which on
  // further stretches are too large to be a better choice. Returns `size` to
  // end the search, because no gap can be tighter or no offset above is
  // aligned.
  size_t Pass(Stretch gap) {
    const absl::optional<size_t> start = CheckedAlignUp(gap.begin, alignment_);
    if (!start) return size_;
    // The original stores a gap from its unaligned beginning but compares it
    // with the next gap from an aligned one. Plans depend on this.
    if (*start <= gap.end && gap.end - *start >= size_ &&
        gap.end - *start < tightest_) {
      tightest_ = gap.end - gap.begin;
      best_ = *start;
    }
    return TooManyBytes(size_, tightest_, alignment_);
  }

  // Returns the offset of the record. `top` is the highest end of the records
  // that were passed.
  absl::optional<size_t> Offset(size_t top) const {
    if (tightest_ != kNoGap) return best_;
    return CheckedAlignUp(top, alignment_);
  }

 private:
  static constexpr size_t kNoGap = std::numeric_limits<size_t>::max();

  size_t size_;
  size_t alignment_;
  size_t tightest_ = kNoGap;
  size_t best_ = 0;
};

ArenaFit PlaceInOrder(absl::Span<const ByteRecord> records,
                      const IntervalRanks& ranks,
                      absl::Span<const size_t> order,
                      const Alignments& alignments,
                      absl::Span<const absl::optional<size_t>> fixed) {
  ArenaFit result;
  result.plan.offsets.resize(records.size(), 0);
  FreeSpace space(ranks.intervals);
  const auto place = [&](size_t i, absl::optional<size_t> offset) {
    const absl::optional<size_t> end =
        offset ? CheckedAdd(*offset, records[i].tensor_size) : absl::nullopt;
    if (!end) {
      result.misfit = i;
      return;
    }
    result.plan.offsets[i] = *offset;
    result.plan.total_size = std::max(result.plan.total_size, *end);
    if (*offset < *end) space.Occupy(ranks.intervals[i], {*offset, *end});
  };
  for (size_t i = 0; i < fixed.size() && !result.misfit; ++i) {
    if (fixed[i]) place(i, fixed[i]);
  }
  for (size_t k = 0; k < order.size() && !result.misfit; ++k) {
    constexpr size_t kAhead = 8;
    if (k + kAhead < order.size()) {
      // Loads the data of a later record ahead of time, since the data is
      // scattered in memory.
      Prefetch(&records[order[k + kAhead]]);
      Prefetch(&ranks.intervals[order[k + kAhead]]);
      Prefetch(&result.plan.offsets[order[k + kAhead]]);
    }
    if (k + kAhead / 2 < order.size()) {
      space.PrefetchEntries(ranks.intervals[order[k + kAhead / 2]]);
    }
    if (k + 1 < order.size()) {
      space.PrefetchChunks(ranks.intervals[order[k + 1]]);
    }
    const size_t i = order[k];
    const size_t size = records[i].tensor_size;
    if (size == 0) continue;
    ArenaGapSearch search(size, alignments.Of(i));
    const size_t top =
        space.VisitFree(ranks.intervals[i], size,
                        [&](Stretch gap) { return search.Pass(gap); });
    place(i, search.Offset(top));
  }
  return result;
}

}  // namespace

ArenaFit PlaceArenaFit(absl::Span<const ByteRecord> records,
                       const IntervalRanks& ranks,
                       absl::Span<const size_t> order,
                       const Alignments& alignments,
                       absl::Span<const absl::optional<size_t>> fixed) {
  ArenaFit fit =
      PlaceInOrder(records, ranks, LocalOrder<size_t>(ranks.intervals, order),
                   alignments, fixed);
  // The given order determines which record is the first without a place, so
  // the records are placed again in this order.
  if (fit.misfit) return PlaceInOrder(records, ranks, order, alignments, fixed);
  return fit;
}

}  // namespace stowage
