// SPDX-License-Identifier: Apache-2.0
#include "src/core/free_space.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace stowage {
namespace {

// Columns that a mean lifetime has at most.
constexpr uint64_t kColumnsOfLifetime = 8;

// Mean lifetimes that a wide column has at least.
constexpr uint64_t kLifetimes = 2;

// Elements that are moved in the time in which one is passed.
constexpr size_t kMovedPerPassed = 8;

}  // namespace

FreeSpace::FreeSpace(absl::Span<const StepInterval> intervals,
                     uint64_t begun_in_column) {
  uint64_t lifetimes = 0;
  for (const StepInterval& interval : intervals) {
    steps_ = std::max(steps_, interval.end);
    lifetimes += interval.end - interval.begin;
  }
  const uint64_t count = std::max<uint64_t>(intervals.size(), 1);
  const uint64_t lifetime = lifetimes / count;
  // With many records live a list is long however narrow its column is.
  const uint64_t narrow =
      std::max(begun_in_column * steps_ / count, lifetime / kColumnsOfLifetime);
  while (uint64_t{2} << shift_ <= narrow) ++shift_;
  while (wide_ << shift_ <= kLifetimes * lifetime) wide_ *= 2;
  const size_t columns = steps_ == 0 ? 0 : ColumnOf(steps_ - 1) + 1;
  has_short_steps_ = wide_ << shift_ < BorderList<uint16_t>::kAlways;
  if (has_short_steps_) {
    Create(columns, &short_);
  } else {
    Create(columns, &long_);
  }
}

template <typename Step>
void FreeSpace::Create(size_t columns, Lists<Step>* lists) {
  lists->columns.reserve(columns);
  lists->borders.reserve(columns);
  for (size_t k = 0; k < columns; ++k) {
    lists->columns.emplace_back(&lists->column_chunks);
    lists->borders.emplace_back(&lists->border_chunks);
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
  for (size_t reach = 1; reach <= wide_; reach *= 2) {
    // Those of an order are two reaches apart, but for the highest.
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
  for (size_t k = first; k <= last; ++k) {
    lists->columns[k].PrefetchAt(bytes.begin);
  }
  VisitBorders(first, last, columns,
               [&](size_t k) { lists->borders[k].PrefetchAt(bytes.begin); });
  const uint32_t steps = uint32_t{1} << shift_;
  for (size_t k = first; k <= last; ++k) {
    const uint32_t start = BorderStep(k);
    ColumnList<Step>& column = lists->columns[k];
    column.Add(bytes,
               static_cast<Step>(std::max(interval.begin, start) - start),
               static_cast<Step>(std::min(interval.end - start, steps)),
               static_cast<Step>(steps), &lists->column_chunks);
    passed_ += column.size() / kMovedPerPassed + 1;
  }
  VisitBorders(first, last, columns, [&](size_t k) {
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
void FreeSpace::CollectInUse(const Lists<Step>& lists, StepInterval interval,
                             size_t first, size_t last) {
  in_use_.clear();
  const size_t highest = last / wide_ * wide_;
  for (size_t k = (first / wide_ + 1) * wide_;;
       k = std::min(k + 2 * wide_, highest)) {
    merged_.clear();
    auto other = in_use_.begin();
    const auto push = [&](Stretch bytes) {
      if (!merged_.empty() && bytes.begin <= merged_.back().end) {
        merged_.back().end = std::max(merged_.back().end, bytes.end);
      } else {
        merged_.push_back(bytes);
      }
    };
    const BorderList<Step>& pieces = lists.borders[k];
    passed_ += pieces.size() + in_use_.size();
    const uint32_t step = BorderStep(k);
    // What is farther away than a border knows is in use unless always free.
    constexpr uint32_t kAlways = BorderList<Step>::kAlways;
    const auto before =
        static_cast<Step>(std::min(step - interval.begin, kAlways));
    const auto after =
        static_cast<Step>(std::min(interval.end - step, kAlways));
    pieces.VisitInUse(before, after, [&](Stretch bytes) {
      for (; other != in_use_.end() && other->begin < bytes.begin; ++other) {
        push(*other);
      }
      push(bytes);
    });
    for (; other != in_use_.end(); ++other) push(*other);
    in_use_.swap(merged_);
    if (k + wide_ > last) break;
  }
}

// For visits, which are in the header.
template void FreeSpace::CollectInUse(const Lists<uint16_t>& lists,
                                      StepInterval interval, size_t first,
                                      size_t last);
template void FreeSpace::CollectInUse(const Lists<uint32_t>& lists,
                                      StepInterval interval, size_t first,
                                      size_t last);

}  // namespace stowage
