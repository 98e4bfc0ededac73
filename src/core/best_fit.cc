#include "src/core/best_fit.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "src/core/conflict_index.h"
#include "src/core/sorted_blocks.h"

namespace stowage {
namespace {

struct Place {
  size_t offset;
  size_t end;
  StepInterval steps;
  uint32_t sequence;  // how many were placed before
};

bool Before(const Place& a, const Place& b) {
  return a.offset != b.offset ? a.offset < b.offset : a.sequence < b.sequence;
}

// The records placed so far, to be walked in order of offset.
class PlacedRecords {
 public:
  explicit PlacedRecords(absl::Span<const StepInterval> intervals)
      : intervals_(intervals), places_(intervals.size()), index_(intervals) {}

  void Add(size_t record, size_t offset, size_t end) {
    const Place place = {offset, end, intervals_[record], count_++};
    places_[record] = place;
    index_.Insert(record);
    by_offset_.Insert(place, [&](const Place& other) {
      return other.offset <= place.offset;
    });
  }

  // Calls pass(place) for the records that conflict with `interval`, by
  // offset, then in the order they were added, until it returns true.
  template <typename Pass>
  void WalkUntil(StepInterval interval, Pass pass) {
    if (CollectFew(interval)) {
      std::sort(few_.begin(), few_.end(), Before);
      (void)std::any_of(few_.begin(), few_.end(), pass);
      return;
    }
    by_offset_.VisitUntil([&](const Place& place) {
      return place.steps.begin < interval.end &&
             interval.begin < place.steps.end && pass(place);
    });
  }

 private:
  // To pass over a record that does not conflict costs about so many times
  // less than to find and sort one that does.
  static constexpr size_t kManyShare = 64;

  // Fills few_ with the conflicting records, unless they are so many that it
  // is quicker to walk over all records: then returns false.
  bool CollectFew(StepInterval interval) {
    few_.clear();
    const size_t many = kManyShare + count_ / kManyShare;
    index_.VisitConflictsUntil(interval, [&](size_t record) {
      few_.push_back(places_[record]);
      return few_.size() == many;
    });
    return few_.size() < many;
  }

  absl::Span<const StepInterval> intervals_;
  std::vector<Place> places_;  // by record
  ConflictIndex index_;
  SortedBlocks<Place> by_offset_;
  std::vector<Place> few_;  // scratch of WalkUntil
  uint32_t count_ = 0;
};

// The search for the tightest gap, as the walk passes records by offset.
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

OffsetsAssignment PlaceBestFit(absl::Span<const ByteRecord> records,
                               const IntervalRanks& ranks,
                               absl::Span<const size_t> order,
                               const Alignments& alignments) {
  OffsetsAssignment assignment;
  assignment.offsets.resize(records.size());
  PlacedRecords placed(ranks.intervals);
  for (const size_t i : order) {
    GapSearch search(records[i].tensor_size, alignments.Of(i));
    placed.WalkUntil(ranks.intervals[i],
                     [&](const Place& place) { return search.Pass(place); });
    const size_t offset = search.Offset();
    const size_t end = offset + records[i].tensor_size;
    assignment.offsets[i] = offset;
    assignment.total_size = std::max(assignment.total_size, end);
    placed.Add(i, offset, end);
  }
  return assignment;
}

}  // namespace stowage
