// SPDX-License-Identifier: Apache-2.0
#include "src/core/best_fit.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "src/core/interval_ranks.h"
#include "src/core/place_fixed.h"
#include "src/core/placed_records.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

// Looks for the tightest gap while a walk passes records by offset.
class GapSearch {
 public:
  GapSearch(size_t size, size_t alignment)
      : size_(size), alignment_(alignment) {}

  // Passes one record. Returns whether the search is over: no gap can be
  // tighter than one that fits exactly.
  bool Pass(const Place& place) {
    if (place.offset >= floor_ && place.offset - floor_ >= size_ &&
        place.offset - floor_ < tightest_) {
      tightest_ = place.offset - floor_;
      best_ = floor_;
      if (tightest_ == size_) return true;
    }
    if (place.end > floor_) floor_ = AlignUp(place.end, alignment_);
    return false;
  }

  size_t Offset() const { return tightest_ == kNoGap ? floor_ : best_; }

 private:
  static constexpr size_t kNoGap = std::numeric_limits<size_t>::max();

  size_t size_;
  size_t alignment_;
  size_t floor_ = 0;  // aligned end of all that was passed
  size_t tightest_ = kNoGap;
  size_t best_ = 0;
};

}  // namespace

OffsetsAssignment PlaceBestFit(const Problem& problem,
                               absl::Span<const size_t> order) {
  const absl::Span<const ByteRecord> records = problem.records();
  const std::vector<StepInterval>& intervals = problem.ranks().intervals;
  PlacedRecords placed(intervals);
  OffsetsAssignment assignment = PlaceFixed(problem, &placed);
  for (const size_t i : order) {
    if (problem.fixed_offset(i)) continue;
    GapSearch search(records[i].tensor_size, problem.alignments().Of(i));
    placed.WalkUntil(intervals[i],
                     [&](const Place& place) { return search.Pass(place); });
    const size_t offset = search.Offset();
    const size_t end = offset + records[i].tensor_size;
    assignment.offsets[i] = offset;
    assignment.total_size = std::max(assignment.total_size, end);
    placed.Add(i, offset, end);
  }
  return assignment;
}

std::vector<size_t> LargestFirst(absl::Span<const ByteRecord> records) {
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return records[a].tensor_size > records[b].tensor_size;
  });
  return order;
}

}  // namespace stowage
