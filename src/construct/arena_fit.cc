// SPDX-License-Identifier: Apache-2.0
#include "src/construct/arena_fit.h"

#include <algorithm>
#include <cstddef>

#include "src/base/chunk_pool.h"
#include "src/construct/free_space.h"
#include "src/construct/gap_search.h"
#include "src/construct/local_order.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage {
namespace {

// SimpleMemoryArena compares each gap with the best gap so far. In this
// comparison, the size of the new gap counts from its first aligned byte, but
// the size of the best gap counts from its first byte, aligned or not. The
// plans depend on this difference.
using ArenaGapSearch = GapSearch<KeptGap::kWhole>;

ArenaFit PlaceInOrder(Span<const ByteRecord> records,
                      const IntervalRanks& ranks, Span<const size_t> order,
                      const Alignments& alignments,
                      Span<const optional<size_t>> fixed) {
  ArenaFit result;
  result.plan.offsets.resize(records.size(), 0);
  FreeSpace space(ranks.intervals);
  const auto place = [&](size_t i, optional<size_t> offset) {
    const optional<size_t> end =
        offset ? CheckedAdd(*offset, records[i].tensor_size) : nullopt;
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
      // Records are scattered in memory, so the data of a record are prefetched
      // some records ahead.
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
    place(i, search.best() ? search.best()
                           : CheckedAlignUp(top, alignments.Of(i)));
  }
  return result;
}

}  // namespace

ArenaFit PlaceArenaFit(Span<const ByteRecord> records,
                       const IntervalRanks& ranks, Span<const size_t> order,
                       const Alignments& alignments,
                       Span<const optional<size_t>> fixed) {
  ArenaFit fit =
      PlaceInOrder(records, ranks, LocalOrder<size_t>(ranks.intervals, order),
                   alignments, fixed);
  // `misfit` must be the first record, in the given order, that cannot be
  // placed. In the local order, the first such record may be a different one.
  // The records are therefore placed again, in the given order.
  if (fit.misfit) return PlaceInOrder(records, ranks, order, alignments, fixed);
  return fit;
}

ArenaFit PlaceArenaFit(Span<const ByteRecord> records, Span<const size_t> order,
                       const Alignments& alignments,
                       Span<const optional<size_t>> fixed) {
  return PlaceArenaFit(records, RankIntervals(records), order, alignments,
                       fixed);
}

}  // namespace stowage
