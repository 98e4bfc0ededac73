// SPDX-License-Identifier: Apache-2.0
// The free stretches of an arena over intervals of steps, as records are placed
// one by one: for planners that look for a gap. PlacedRecords
// (placed_records.h) walks the records themselves, those without bytes too.
//
// Steps are cut into columns about as wide as the mean lifetime. An interval
// within a column asks the list of what is placed there. One that crosses a
// border asks a list at that border, which has for each stretch of bytes when
// it was last in use before the border and when it is next after it: it is free
// from the one to the other, whatever else is placed farther away. What is in
// use at the border and touches becomes one stretch, so lists are far shorter
// than the records that are live there.
//
//   bytes          border
//      |  [=====]     :   [===]    free from the end of the first record up to
//      |              :            the beginning of the second
//      |     [========:====]       in use at the border
//      +--------------:---------- step
//
// Source: own.
#ifndef STOWAGE_SRC_CORE_FREE_SPACE_H_
#define STOWAGE_SRC_CORE_FREE_SPACE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "src/core/interval_ranks.h"

namespace stowage {

// Bytes from `begin` up to `end`, of an arena.
struct Stretch {
  size_t begin = 0;
  size_t end = 0;
};

// What a visitor of free stretches returns that looks for one with less room
// than `tightest`, for `size` bytes or more: paddings up to an alignment may
// take some, and nothing is tighter than what fits exactly.
inline size_t TooManyBytes(size_t size, size_t tightest, size_t alignment) {
  if (tightest <= size) return size;
  const size_t padding = alignment - 1;
  constexpr size_t kMost = std::numeric_limits<size_t>::max();
  return tightest > kMost - padding ? kMost : tightest + padding;
}

class FreeSpace {
 public:
  // Records that begin in a column, about: it takes as long to pass them as to
  // update the borders that narrower columns would need.
  static constexpr uint64_t kBegunInColumn = 512;

  // Nothing is in use. The intervals are those that are going to be asked for.
  // O(intervals). Another width of columns changes nothing but the time.
  explicit FreeSpace(absl::Span<const StepInterval> intervals,
                     uint64_t begun_in_column = kBegunInColumn);

  // Marks bytes as in use over an interval, over all of which they are free;
  // there must be some. O(c * k) for c columns of the interval with lists of k
  // stretches, but all that is a search and a move of memory.
  void Occupy(StepInterval interval, Stretch bytes);

  // Calls visit(stretch) for the stretches that are free over the whole
  // interval, lie below something in use and have at least `size` bytes, which
  // is above 0, from the bottom up. It returns how many bytes are too many for
  // those that follow, and ends the walk by `size` or less. Returns where the
  // highest bytes in use end, as far as it got. O(k) for lists of k stretches,
  // of which an interval of many columns has several.
  template <typename Visit>
  size_t VisitFree(StepInterval interval, size_t size, Visit visit) {
    const size_t first = ColumnOf(interval.begin);
    const size_t last = ColumnOf(interval.end - 1);
    if (first == last) {
      passed_ += columns_[first].size() + 1;
      return VisitColumn(columns_[first], interval, size, visit);
    }
    const size_t border = MiddleBorder(first, last);
    const size_t reach = ReachOf(border);
    if (first + reach >= border && last < border + reach) {
      passed_ += borders_[border].size();
      return VisitBorder(borders_[border], interval, size, visit);
    }
    CollectInUse(interval, first, last);
    return VisitGaps(in_use_, size, visit);
  }

  // Elements of lists passed so far by all visits: what they have cost.
  uint64_t passed() const { return passed_; }

 private:
  // Bytes in use in a part of a column, by begin.
  struct Use {
    Stretch bytes;
    StepInterval steps;
  };
  using Column = std::vector<Use>;

  // Bytes from `begin` up to those of the next element are free for intervals
  // that cross the border, begin at `left` or later and end at `right` or
  // earlier.
  struct Piece {
    size_t begin;
    uint32_t left;
    uint32_t right;
  };
  // By begin, the first from 0 on; the last has no end and is always free.
  using Border = std::vector<Piece>;

  size_t ColumnOf(uint32_t step) const { return step >> shift_; }
  uint32_t BorderStep(size_t border) const {
    return static_cast<uint32_t>(border << shift_);
  }

  // How many columns to each side a border knows: as many as there are to the
  // next of a higher order, in a binary tree over those of a wide column.
  size_t ReachOf(size_t border) const {
    return std::min(border & (~border + 1), wide_);
  }
  // The border of the highest order between two columns.
  static size_t MiddleBorder(size_t first, size_t last) {
    size_t width = 1;
    while ((first ^ last) >> 1 >= width) width *= 2;
    return last / width * width;
  }

  static void AddToColumn(const Use& use, StepInterval column, Column* uses);
  void AddToBorder(Stretch bytes, uint32_t left, uint32_t right,
                   Border* pieces);
  // Sets in_use_ to what is in use at some time of an interval of several
  // columns.
  void CollectInUse(StepInterval interval, size_t first, size_t last);

  // The walks have no branches but that to a visit: nothing predicts them. What
  // has less than `size` bytes has nearly 2^64 more.
  template <typename Visit>
  static size_t VisitColumn(const Column& uses, StepInterval interval,
                            size_t size, Visit& visit) {
    size_t top = 0;
    size_t too_many = kAnyLength;
    for (const Use& use : uses) {
      const auto conflicts =
          static_cast<unsigned>(use.steps.begin < interval.end) &
          static_cast<unsigned>(interval.begin < use.steps.end);
      const auto above = static_cast<unsigned>(use.bytes.begin >= top);
      const auto fits =
          static_cast<unsigned>(use.bytes.begin - top - size < too_many - size);
      if ((conflicts & above & fits) != 0) {
        too_many = visit(Stretch{top, use.bytes.begin});
        if (too_many <= size) break;
      }
      const size_t end = conflicts != 0 ? use.bytes.end : 0;
      top = std::max(top, end);
    }
    return top;
  }

  template <typename Visit>
  static size_t VisitBorder(const Border& pieces, StepInterval interval,
                            size_t size, Visit& visit) {
    size_t top = 0;
    size_t too_many = kAnyLength;
    const size_t count = pieces.size() - 1;
    for (size_t k = 0; k < count; ++k) {
      const Piece& piece = pieces[k];
      const auto in_use = static_cast<unsigned>(piece.left > interval.begin) |
                          static_cast<unsigned>(piece.right < interval.end);
      const auto fits =
          static_cast<unsigned>(piece.begin - top - size < too_many - size);
      if ((in_use & fits) != 0) {
        too_many = visit(Stretch{top, piece.begin});
        if (too_many <= size) break;
      }
      top = in_use != 0 ? pieces[k + 1].begin : top;
    }
    return top;
  }

  template <typename Visit>
  static size_t VisitGaps(const std::vector<Stretch>& in_use, size_t size,
                          Visit& visit) {
    size_t top = 0;
    size_t too_many = kAnyLength;
    for (const Stretch& bytes : in_use) {
      if (bytes.begin - top - size < too_many - size) {
        too_many = visit(Stretch{top, bytes.begin});
        if (too_many <= size) break;
      }
      top = bytes.end;
    }
    return top;
  }

  // No offset is so high.
  static constexpr size_t kAnyLength = std::numeric_limits<size_t>::max();

  uint32_t shift_ = 0;  // a column has 2^shift_ steps
  size_t wide_ = 1;     // columns of a wide one: a power of two
  uint32_t steps_ = 0;
  uint64_t passed_ = 0;
  std::vector<Column> columns_;
  std::vector<Border> borders_;  // border k lies before column k
  std::vector<Stretch> in_use_;  // scratch
  std::vector<Stretch> merged_;  // scratch
  std::vector<Piece> fresh_;     // scratch
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CORE_FREE_SPACE_H_
