// SPDX-License-Identifier: Apache-2.0
#include "src/construct/free_space.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "stowage/base/span.h"

namespace stowage {
namespace {

// The maximum number of columns that an interval of mean lifetime spans.
constexpr uint64_t kColumnsOfLifetime = 8;

// The minimum width of a wide column, in mean lifetimes.
constexpr uint64_t kLifetimes = 2;

// Lists of wide columns have to be visited in addition to other lists. They are
// worth this time if they save at least one in kUpdatesPerSaved updates of
// other lists.
constexpr uint64_t kUpdatesPerSaved = 4;

// The number of list elements that can be moved in the time of visiting one
// element.
constexpr size_t kMovedPerPassed = 8;

// The number of borders that can be updated in the time of visiting the lists
// of all columns of one interval, one list after another.
constexpr uint64_t kUpdatesPerAsked = 40;

}  // namespace

FreeSpace::FreeSpace(Span<const StepInterval> intervals,
                     uint64_t begun_in_column) {
  uint64_t lifetimes = 0;
  for (const StepInterval& interval : intervals) {
    steps_ = std::max(steps_, interval.end);
    lifetimes += interval.end - interval.begin;
  }
  const uint64_t count = std::max<uint64_t>(intervals.size(), 1);
  const uint64_t lifetime = lifetimes / count;
  // With many live records, the list of a column is long even if the column is
  // narrow. Columns therefore have a minimum width, which is a certain fraction
  // of the mean lifetime.
  const uint64_t narrow =
      std::max(begun_in_column * steps_ / count, lifetime / kColumnsOfLifetime);
  while (uint64_t{2} << shift_ <= narrow) ++shift_;
  while (wide_ << shift_ <= kLifetimes * lifetime) wide_ *= 2;
  highest_ = wide_;
  has_wide_ = GainsByWide(intervals);
  if (has_wide_) {
    wide_ *= 2;
    if (!GainsByLowBorders(intervals)) lowest_ = highest_;
  }
  const size_t columns = steps_ == 0 ? 0 : ColumnOf(steps_ - 1) + 1;
  has_short_steps_ = highest_ << shift_ < BorderList<uint16_t>::kAlways;
  if (has_short_steps_) {
    Create(columns, &short_);
  } else {
    Create(columns, &long_);
  }
}

bool FreeSpace::GainsByWide(Span<const StepInterval> intervals) const {
  uint64_t updates = 0;
  uint64_t saved = 0;
  for (const StepInterval& interval : intervals) {
    updates += ColumnOf(interval.end - 1) - ColumnOf(interval.begin) + 1;
    const Covered covered = CoveredBy(interval);
    if (covered.first < covered.end) {
      const size_t columns = covered.end - covered.first;
      saved += columns - columns / wide_;
    }
  }
  return kUpdatesPerSaved * saved > updates;
}

bool FreeSpace::GainsByLowBorders(Span<const StepInterval> intervals) const {
  uint64_t asked = 0;
  for (const StepInterval& interval : intervals) {
    const size_t first = ColumnOf(interval.begin);
    const size_t last = ColumnOf(interval.end - 1);
    if (first != last && first / wide_ == last / wide_) ++asked;
  }
  uint64_t updates = 0;
  for (size_t reach = 1; reach < highest_; reach *= 2) {
    updates += intervals.size();
  }
  return kUpdatesPerAsked * asked >= updates;
}

template <typename Step>
void FreeSpace::Create(size_t columns, Lists<Step>* lists) {
  lists->columns.reserve(columns);
  lists->borders.reserve(columns);
  for (size_t k = 0; k < columns; ++k) {
    lists->columns.emplace_back(&lists->column_chunks);
    lists->borders.emplace_back(&lists->border_chunks);
  }
  if (!has_wide_) return;
  lists->wide.reserve((columns + wide_ - 1) / wide_);
  for (size_t k = 0; k < columns; k += wide_) {
    lists->wide.emplace_back(&lists->column_chunks);
  }
}

void FreeSpace::Occupy(StepInterval interval, Stretch bytes) {
  if (has_short_steps_) {
    OccupyLists(interval, bytes, &short_);
  } else {
    OccupyLists(interval, bytes, &long_);
  }
}

template <typename Visit>
void FreeSpace::VisitBorders(size_t first, size_t last, size_t columns,
                             Visit visit) const {
  for (size_t reach = lowest_; reach <= highest_; reach *= 2) {
    // Borders with the same reach are 2 * reach columns apart. The exception is
    // the largest reach: the borders between wide columns also have it, so
    // these borders are only `reach` columns apart.
    const size_t apart = reach < wide_ ? 2 * reach : reach;
    const size_t low = first + 1 > reach ? first + 1 - reach : 1;
    const size_t high = std::min(last + reach, columns - 1);
    const size_t phase = reach % apart;
    size_t k = low / apart * apart + phase;
    if (k < low) k += apart;
    for (; k <= high; k += apart) visit(k);
  }
}

template <typename Step>
void FreeSpace::OccupyLists(StepInterval interval, Stretch bytes,
                            Lists<Step>* lists) {
  constexpr Step kAlways = BorderList<Step>::kAlways;
  const size_t first = ColumnOf(interval.begin);
  const size_t last = ColumnOf(interval.end - 1);
  const size_t columns = lists->columns.size();
  const Covered covered = has_wide_ ? CoveredBy(interval) : Covered();
  const auto visit_columns = [&](auto visit) {
    for (size_t k = first; k <= last; ++k) {
      if (covered.HasColumn(k)) {
        k = covered.end - 1;
      } else {
        visit(k);
      }
    }
  };
  const auto visit_borders = [&](auto visit) {
    VisitBorders(first, last, columns, [&](size_t k) {
      // The lists of the borders with the largest reach must contain all
      // records, because they are searched for intervals of many columns.
      if (!covered.HasColumn(k) || ReachOf(k) == highest_) visit(k);
    });
  };
  visit_columns([&](size_t k) { lists->columns[k].PrefetchAt(bytes.begin); });
  visit_borders([&](size_t k) { lists->borders[k].PrefetchAt(bytes.begin); });
  for (size_t k = covered.first; k < covered.end; k += wide_) {
    ColumnList<Step>& wide = lists->wide[k / wide_];
    // In the list of a wide column, the whole wide column is a single step.
    wide.Add(bytes, 0, 1, 1, &lists->column_chunks);
    passed_ += wide.size() / kMovedPerPassed + 1;
  }
  const uint32_t steps = uint32_t{1} << shift_;
  visit_columns([&](size_t k) {
    const uint32_t start = BorderStep(k);
    ColumnList<Step>& column = lists->columns[k];
    column.Add(bytes,
               static_cast<Step>(std::max(interval.begin, start) - start),
               static_cast<Step>(std::min(interval.end - start, steps)),
               static_cast<Step>(steps), &lists->column_chunks);
    passed_ += column.size() / kMovedPerPassed + 1;
  });
  visit_borders([&](size_t k) {
    const uint32_t step = BorderStep(k);
    BorderList<Step>& pieces = lists->borders[k];
    passed_ += pieces.size() / kMovedPerPassed + 1;
    const uint32_t before =
        interval.begin < step ? step - std::min(interval.end, step) : kAlways;
    const uint32_t after =
        interval.end > step ? std::max(interval.begin, step) - step : kAlways;
    pieces.Limit(bytes, static_cast<Step>(before), static_cast<Step>(after),
                 &lists->border_chunks, &lists->scratch);
  });
}

template <typename Step>
void FreeSpace::KeepFreeAt(size_t border, const Lists<Step>& lists,
                           StepInterval interval, size_t size) {
  const BorderList<Step>& pieces = lists.borders[border];
  passed_ += pieces.size() + free_.size();
  const uint32_t step = BorderStep(border);
  // The list of the border stores distances of up to kAlways. For larger
  // distances, only bytes that are always free are considered free.
  constexpr uint32_t kAlways = BorderList<Step>::kAlways;
  rest_.clear();
  pieces.KeepFree(static_cast<Step>(std::min(step - interval.begin, kAlways)),
                  static_cast<Step>(std::min(interval.end - step, kAlways)),
                  free_, size, &rest_);
  free_.swap(rest_);
}

template <typename Step>
void FreeSpace::KeepFreeOf(const ColumnList<Step>& column, Step first,
                           Step last, size_t size) {
  passed_ += column.size() + free_.size();
  rest_.clear();
  column.KeepFree(first, last, free_, size, &rest_);
  free_.swap(rest_);
}

template <typename Step>
void FreeSpace::KeepFreeInWide(const Lists<Step>& lists, StepInterval interval,
                               size_t size) {
  const size_t first = ColumnOf(interval.begin);
  const size_t last = ColumnOf(interval.end - 1);
  if (first != last && IsInOneList(first, last)) {
    KeepFreeAt(MiddleBorder(first, last), lists, interval, size);
  } else {
    const uint32_t steps = uint32_t{1} << shift_;
    for (size_t k = first; k <= last; ++k) {
      const uint32_t start = BorderStep(k);
      KeepFreeOf(lists.columns[k],
                 static_cast<Step>(std::max(interval.begin, start) - start),
                 static_cast<Step>(std::min(interval.end - start, steps)),
                 size);
    }
  }
  if (NeedsWide(first, last)) {
    KeepFreeOf(lists.wide[first / wide_], Step{0}, Step{1}, size);
  }
}

template <typename Step>
void FreeSpace::CollectInReach(const Lists<Step>& lists, StepInterval interval,
                               size_t size) {
  const size_t first = ColumnOf(interval.begin);
  const size_t last = ColumnOf(interval.end - 1);
  const size_t highest = last / wide_ * wide_;
  const auto next = [&](size_t k) { return std::min(k + 2 * wide_, highest); };
  size_t border = (first / wide_ + 1) * wide_;
  lists.borders[next(border)].PrefetchEntries();
  while (true) {
    // The chunks and entries of the next borders are prefetched, because they
    // are scattered in memory.
    const size_t above = next(border);
    lists.borders[next(above)].PrefetchEntries();
    lists.borders[above].PrefetchFree(free_);
    KeepFreeAt(border, lists, interval, size);
    if (border + wide_ > last) break;
    border = above;
  }
}

template <typename Step>
void FreeSpace::CollectInWide(const Lists<Step>& lists, StepInterval interval,
                              size_t size) {
  const size_t steps = wide_ << shift_;
  const size_t first = interval.begin / steps;
  const size_t last = (interval.end - 1) / steps;
  const auto middle = [&](size_t w) {
    return std::min(std::min(w, last) * wide_ + highest_,
                    lists.borders.size() - 1);
  };
  for (size_t w = first; w <= last; ++w) {
    lists.borders[middle(w + 2)].PrefetchEntries();
    lists.borders[middle(w + 1)].PrefetchFree(free_);
    const size_t begin = std::max<size_t>(interval.begin, w * steps);
    const size_t end = std::min<size_t>(interval.end, (w + 1) * steps);
    KeepFreeInWide(lists,
                   {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)},
                   size);
  }
}

template <typename Step>
void FreeSpace::CollectFree(const Lists<Step>& lists, StepInterval interval,
                            size_t size) {
  free_.assign(1, {0, kNoEnd});
  if (has_wide_) {
    CollectInWide(lists, interval, size);
  } else {
    CollectInReach(lists, interval, size);
  }
}

// These instantiations are used by the functions in the header that visit
// stretches.
template void FreeSpace::CollectFree(const Lists<uint16_t>& lists,
                                     StepInterval interval, size_t size);
template void FreeSpace::CollectFree(const Lists<uint32_t>& lists,
                                     StepInterval interval, size_t size);

}  // namespace stowage
