#include "src/core/best_fit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace stowage {
namespace {

// The walk over conflicting records in order of offset.
class GapSearch {
 public:
  GapSearch(size_t size, size_t alignment)
      : size_(size), alignment_(alignment) {}

  // Takes the next record. Returns whether the search is over: no gap can be
  // tighter than one that fits exactly.
  bool Pass(size_t offset, size_t end) {
    if (offset >= floor_ && offset - floor_ >= size_ &&
        offset - floor_ < tightest_) {
      tightest_ = offset - floor_;
      best_ = floor_;
      if (tightest_ == size_) return true;
    }
    if (end > floor_) floor_ = AlignUp(end, alignment_);
    return false;
  }

  size_t Offset() const {
    return tightest_ == std::numeric_limits<size_t>::max() ? floor_ : best_;
  }

 private:
  size_t size_;
  size_t alignment_;
  size_t floor_ = 0;  // aligned end of all that was passed
  size_t tightest_ = std::numeric_limits<size_t>::max();
  size_t best_ = 0;
};

}  // namespace

OffsetsAssignment PlaceBestFit(absl::Span<const ByteRecord> records,
                               const IntervalRanks& ranks,
                               absl::Span<const size_t> order,
                               const Alignments& alignments) {
  struct Place {
    size_t offset;
    size_t end;
    uint32_t sequence;  // how many were placed before
  };
  OffsetsAssignment assignment;
  assignment.offsets.resize(records.size());
  std::vector<Place> places(records.size());
  std::vector<Place> conflicting;
  ConflictIndex placed(ranks.intervals);
  for (size_t k = 0; k < order.size(); ++k) {
    const size_t i = order[k];
    conflicting.clear();
    placed.ForEachConflict(ranks.intervals[i], [&](size_t other) {
      conflicting.push_back(places[other]);
    });
    std::sort(conflicting.begin(), conflicting.end(),
              [](const Place& a, const Place& b) {
                if (a.offset != b.offset) return a.offset < b.offset;
                return a.sequence < b.sequence;
              });
    const size_t size = records[i].tensor_size;
    GapSearch search(size, alignments.Of(i));
    for (const Place& place : conflicting) {
      if (search.Pass(place.offset, place.end)) break;
    }
    const size_t offset = search.Offset();
    places[i] = {offset, offset + size, static_cast<uint32_t>(k)};
    placed.Insert(i);
    assignment.offsets[i] = offset;
    assignment.total_size = std::max(assignment.total_size, offset + size);
  }
  return assignment;
}

}  // namespace stowage
