// SPDX-License-Identifier: Apache-2.0
// Stores the free stretches of an arena over intervals of steps while records
// are placed one by one, for planners that look for a gap. To visit the records
// themselves, including those of 0 bytes, use PlacedRecords (placed_records.h).
//
// The steps are divided into columns of equal width. About 1024 records begin
// in a column, or more if the mean lifetime is long. For an interval within one
// column, the list of the records placed in the column is searched. For an
// interval that crosses a border between columns, a list at that border is
// searched. For each stretch of bytes, this list stores the last step before
// the border and the first step after the border at which the stretch is in
// use. The stretch is free between these two steps. Stretches that touch and
// are both in use at the border are joined, so the list is far shorter than the
// number of live records.
//
// If a few records have far longer lifetimes than most, several columns form a
// wide column. A record that covers a whole wide column is listed only for the
// wide column, but neither for its columns nor for the borders within it. For
// intervals in a wide column, the list of the wide column is therefore searched
// as well. Within a wide column, only the list of the border in the middle
// contains all records. If few intervals cross the other borders, these borders
// have no lists, and the columns of an interval that crosses one of them are
// searched one after another.
//
//   bytes          border
//      |  [=====]     :   [===]    free from the end of the first record up to
//      |              :            the beginning of the second
//      |     [========:====]       in use at the border
//      +--------------:---------- step
//
// Source: own.
#ifndef STOWAGE_SRC_CONSTRUCT_FREE_SPACE_H_
#define STOWAGE_SRC_CONSTRUCT_FREE_SPACE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "src/bounds/interval_ranks.h"
#include "src/construct/border_list.h"
#include "src/construct/column_list.h"
#include "src/construct/stretch.h"
#include "stowage/base/span.h"

namespace stowage {

// Returns the minimum number of bytes of a free stretch that is too large for a
// visitor. The visitor looks for a stretch that has at least `size` and fewer
// than `tightest` bytes, counted from its first aligned byte. Up to alignment -
// 1 further bytes may precede that byte. If `tightest` equals `size`, returns
// `size`, since no stretch can be tighter.
inline size_t TooManyBytes(size_t size, size_t tightest, size_t alignment) {
  if (tightest <= size) return size;
  const size_t padding = alignment - 1;
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  return tightest > kMax - padding ? kMax : tightest + padding;
}

class FreeSpace {
 public:
  // The approximate number of records that begin in a column. Visiting this
  // many records takes as long as updating the borders that narrower columns
  // would need.
  static constexpr uint64_t kBegunInColumn = 1024;

  // Creates a space in which no bytes are in use. Requires that `intervals`
  // contains every interval with which the other functions will be called.
  // `begun_in_column` determines the width of columns, which affects only the
  // time. O(intervals).
  explicit FreeSpace(Span<const StepInterval> intervals,
                     uint64_t begun_in_column = kBegunInColumn);

  // Marks `bytes` as in use over an interval. Requires at least one byte, and
  // that the bytes are free over the whole interval. O(c log k) if the interval
  // has c columns whose lists have k stretches, and occasionally O(k / 64) for
  // one of these lists.
  void Occupy(StepInterval interval, Stretch bytes);

  // Calls visit(stretch) for each stretch that is free over the whole interval
  // and has at least `size` bytes, from the lowest to the highest. The free
  // bytes above all bytes in use are not visited. Each call returns a number of
  // bytes: from then on, stretches with this number of bytes or more are
  // skipped as too large, and if the number is at most `size`, the visit stops.
  // Returns the end of the highest bytes in use that the visit has reached.
  // Requires size > 0. O(k) for lists of k stretches; an interval of many
  // columns has several lists.
  template <typename Visit>
  size_t VisitFree(StepInterval interval, size_t size, Visit visit) {
    return has_short_steps_ ? VisitLists(&short_, interval, size, visit)
                            : VisitLists(&long_, interval, size, visit);
  }

  // These functions prefetch the data that VisitFree needs. Call
  // PrefetchEntries some records ahead of the visit. Call PrefetchChunks, which
  // reads the entries, right before the visit.
  void PrefetchEntries(StepInterval interval) const {
    ForListsOf(interval, [](const auto& list) { list.PrefetchEntries(); });
  }
  void PrefetchChunks(StepInterval interval) const {
    ForListsOf(interval, [](const auto& list) { list.PrefetchChunks(); });
  }

  // Returns the number of list elements that all calls of VisitFree so far have
  // passed, as a measure of the cost of these calls.
  uint64_t passed() const { return passed_; }

 private:
  template <typename Step>
  struct Lists {
    typename ColumnList<Step>::Pool column_chunks;
    typename BorderList<Step>::Pool border_chunks;
    std::vector<ColumnList<Step>> columns;
    std::vector<BorderList<Step>> borders;  // border k lies before column k
    // One list for each wide column. Used only if has_wide_ is true.
    std::vector<ColumnList<Step>> wide;
    typename BorderList<Step>::Scratch scratch;
  };

  size_t ColumnOf(uint32_t step) const { return step >> shift_; }
  uint32_t BorderStep(size_t border) const {
    return static_cast<uint32_t>(border << shift_);
  }

  // Returns the reach of a border: the number of columns on each side of the
  // border whose records are in the list of the border. The borders of a wide
  // column form a binary tree, and the reach of a border extends to the next
  // border that is higher in this tree.
  size_t ReachOf(size_t border) const {
    return std::min(border & (~border + 1), wide_);
  }
  // Returns the border with the largest reach among the borders between the
  // columns `first` and `last`.
  static size_t MiddleBorder(size_t first, size_t last) {
    size_t width = 1;
    while ((first ^ last) >> 1 >= width) width *= 2;
    return last / width * width;
  }

  // The columns of all wide columns that an interval covers completely: those
  // from `first` to `end`, exclusive.
  struct Covered {
    size_t first = 1;
    size_t end = 0;

    bool HasColumn(size_t k) const { return first <= k && k < end; }
  };
  Covered CoveredBy(StepInterval interval) const {
    const size_t width = wide_ << shift_;
    const size_t first = (interval.begin + width - 1) / width;
    const size_t end = interval.end / width;
    return first < end ? Covered{first * wide_, end * wide_} : Covered{};
  }

  // Returns whether lists of wide columns would save many updates of other
  // lists.
  bool GainsByWide(Span<const StepInterval> intervals) const;
  // Returns whether the lists of borders that are not in the middle of a wide
  // column save more time than they need.
  bool GainsByLowBorders(Span<const StepInterval> intervals) const;
  template <typename Step>
  void Create(size_t columns, Lists<Step>* lists);
  // Calls visit(border) for each border whose reach includes at least one of
  // the columns from `first` to `last`.
  template <typename Visit>
  void VisitBorders(size_t first, size_t last, size_t columns,
                    Visit visit) const;
  template <typename Step>
  void OccupyLists(StepInterval interval, Stretch bytes, Lists<Step>* lists);
  // Sets free_ to the stretches that have at least `size` bytes and are free
  // over the whole interval, which has several columns. The last stretch has no
  // end.
  template <typename Step>
  void CollectFree(const Lists<Step>& lists, StepInterval interval,
                   size_t size);
  // These functions reduce free_ to the bytes that are free over the whole
  // interval. CollectInReach is for a space without wide columns, CollectInWide
  // for a space with wide columns, and KeepFreeInWide for an interval within
  // one wide column.
  template <typename Step>
  void CollectInReach(const Lists<Step>& lists, StepInterval interval,
                      size_t size);
  template <typename Step>
  void CollectInWide(const Lists<Step>& lists, StepInterval interval,
                     size_t size);
  template <typename Step>
  void KeepFreeInWide(const Lists<Step>& lists, StepInterval interval,
                      size_t size);
  // These functions remove from free_ the bytes that are in use according to
  // the list of one border (KeepFreeAt) or of one column (KeepFreeOf).
  template <typename Step>
  void KeepFreeAt(size_t border, const Lists<Step>& lists,
                  StepInterval interval, size_t size);
  template <typename Step>
  void KeepFreeOf(const ColumnList<Step>& column, Step first, Step last,
                  size_t size);

  template <typename Step, typename Visit>
  size_t VisitLists(Lists<Step>* lists, StepInterval interval, size_t size,
                    Visit& visit) {
    const size_t first = ColumnOf(interval.begin);
    const size_t last = ColumnOf(interval.end - 1);
    if (!IsInOneList(first, last)) {
      CollectFree(*lists, interval, size);
      return VisitGaps(free_, size, visit);
    }
    if (!NeedsWide(first, last)) {
      return VisitList(*lists, interval, size, NoStretches(), visit);
    }
    const ColumnList<Step>& wide = lists->wide[first / wide_];
    passed_ += wide.size();
    using Cursor = typename ColumnList<Step>::Cursor;
    return VisitList(*lists, interval, size, Cursor(wide), visit);
  }

  // Calls act(list) for each list that is searched for an interval. Does
  // nothing if the interval is not within the reach of any border that has a
  // list.
  template <typename Act>
  void ForListsOf(StepInterval interval, Act act) const {
    if (has_short_steps_) {
      ForListsOf(short_, interval, act);
    } else {
      ForListsOf(long_, interval, act);
    }
  }
  template <typename Step, typename Act>
  void ForListsOf(const Lists<Step>& lists, StepInterval interval,
                  Act act) const {
    const size_t first = ColumnOf(interval.begin);
    const size_t last = ColumnOf(interval.end - 1);
    if (!IsInOneList(first, last)) return;
    if (first == last) {
      act(lists.columns[first]);
    } else {
      act(lists.borders[MiddleBorder(first, last)]);
    }
    if (NeedsWide(first, last)) act(lists.wide[first / wide_]);
  }

  // Returns whether a single list contains everything that is in use in the
  // columns from `first` to `last`, apart from records that cover a wide column
  // (see NeedsWide).
  bool IsInOneList(size_t first, size_t last) const {
    if (first == last) return true;
    const size_t border = MiddleBorder(first, last);
    const size_t reach = ReachOf(border);
    return lowest_ <= reach && reach <= highest_ && first + reach >= border &&
           last < border + reach;
  }
  // Returns whether the list of a wide column must be searched in addition to
  // the single list of IsInOneList. This is the case if that list does not
  // contain the records that cover the wide column.
  bool NeedsWide(size_t first, size_t last) const {
    return has_wide_ &&
           (first == last || ReachOf(MiddleBorder(first, last)) < highest_);
  }

  // Visits the free stretches of an interval that is within one column or
  // within the reach of a border.
  template <typename Step, typename Others, typename Visit>
  size_t VisitList(const Lists<Step>& lists, StepInterval interval, size_t size,
                   Others others, Visit& visit) {
    const size_t first = ColumnOf(interval.begin);
    const size_t last = ColumnOf(interval.end - 1);
    if (first == last) {
      const ColumnList<Step>& column = lists.columns[first];
      const uint32_t start = BorderStep(first);
      passed_ += column.size() + 1;
      return column.VisitFree(static_cast<Step>(interval.begin - start),
                              static_cast<Step>(interval.end - start), size,
                              others, visit);
    }
    const size_t border = MiddleBorder(first, last);
    const BorderList<Step>& pieces = lists.borders[border];
    const uint32_t step = BorderStep(border);
    passed_ += pieces.size();
    return pieces.VisitFree(static_cast<Step>(step - interval.begin),
                            static_cast<Step>(interval.end - step), size,
                            others, visit);
  }

  // Visits the stretches in `free`, which CollectFree has found. The contract
  // is that of VisitFree.
  template <typename Visit>
  static size_t VisitGaps(const std::vector<Stretch>& free, size_t size,
                          Visit& visit) {
    size_t too_many = std::numeric_limits<size_t>::max();
    for (const Stretch& gap : free) {
      if (gap.end == kNoEnd) return gap.begin;
      if (gap.end - gap.begin >= too_many) continue;
      too_many = visit(gap);
      if (too_many <= size) return gap.begin;
    }
    return 0;
  }

  uint32_t shift_ = 0;  // a column has 2^shift_ steps
  size_t wide_ = 1;  // the columns of a wide column, which are a power of two
  uint32_t steps_ = 0;
  uint64_t passed_ = 0;
  // True if all numbers of steps fit in 16 bits, which is nearly always the
  // case. `short_` is then used, and `long_` otherwise.
  bool has_short_steps_ = true;
  Lists<uint16_t> short_;
  Lists<uint32_t> long_;
  bool has_wide_ = false;
  // The smallest and the largest reach of the borders that have lists.
  size_t lowest_ = 1;
  size_t highest_ = 1;
  std::vector<Stretch> free_;  // is scratch memory
  std::vector<Stretch> rest_;  // is scratch memory
};

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_FREE_SPACE_H_
