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

constexpr uint32_t kNever = std::numeric_limits<uint32_t>::max();

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
  columns_.resize(columns);
  borders_.resize(columns, Border{{0, 0, kNever}});
}

void FreeSpace::AddToColumn(const Use& use, StepInterval column, Column* uses) {
  const auto place = std::upper_bound(
      uses->begin(), uses->end(), use.bytes.begin,
      [](size_t begin, const Use& other) { return begin < other.bytes.begin; });
  const auto is_whole = [&](const Use& some) {
    return some.steps.begin <= column.begin && column.end <= some.steps.end;
  };
  if (is_whole(use)) {
    const bool joins_above = place != uses->end() && is_whole(*place) &&
                             place->bytes.begin == use.bytes.end;
    const auto below = place == uses->begin() ? uses->end() : std::prev(place);
    const bool joins_below = below != uses->end() && is_whole(*below) &&
                             below->bytes.end == use.bytes.begin;
    if (joins_below) {
      below->bytes.end = joins_above ? place->bytes.end : use.bytes.end;
      if (joins_above) uses->erase(place);
      return;
    }
    if (joins_above) {
      place->bytes.begin = use.bytes.begin;
      return;
    }
  }
  uses->insert(place, use);
}

void FreeSpace::AddToBorder(Stretch bytes, uint32_t left, uint32_t right,
                            Border* pieces) {
  auto first = std::prev(std::upper_bound(
      pieces->begin(), pieces->end(), bytes.begin,
      [](size_t begin, const Piece& piece) { return begin < piece.begin; }));
  // The new pieces in place of those from `first` up to `last`.
  passed_ += pieces->size() / kMovedPerPassed + 1;
  fresh_.clear();
  auto last = first;
  bool changes = false;
  const auto push = [&](const Piece& piece) {
    if (fresh_.empty()) {
      const bool same_below = first != pieces->begin() &&
                              std::prev(first)->left == piece.left &&
                              std::prev(first)->right == piece.right;
      if (same_below) return;
    } else if (fresh_.back().left == piece.left &&
               fresh_.back().right == piece.right) {
      return;
    }
    fresh_.push_back(piece);
  };
  for (; last != pieces->end() && last->begin < bytes.end; ++last) {
    const Piece old = *last;
    if (old.left >= left && old.right <= right) {
      push(old);
      continue;
    }
    changes = true;
    if (old.begin < bytes.begin) push(old);
    push({std::max(old.begin, bytes.begin), std::max(old.left, left),
          std::min(old.right, right)});
    const bool goes_on =
        std::next(last) == pieces->end() || std::next(last)->begin > bytes.end;
    if (goes_on) push({bytes.end, old.left, old.right});
  }
  if (!changes) return;
  // What follows may be the same as what it follows now.
  if (last != pieces->end()) {
    const Piece& before = fresh_.empty() ? *std::prev(first) : fresh_.back();
    if (before.left == last->left && before.right == last->right) ++last;
  }
  const auto old_count = static_cast<size_t>(last - first);
  const size_t common = std::min(old_count, fresh_.size());
  const auto rest = std::copy_n(fresh_.begin(), common, first);
  if (fresh_.size() > common) {
    pieces->insert(rest, fresh_.begin() + static_cast<ptrdiff_t>(common),
                   fresh_.end());
  } else {
    pieces->erase(rest, last);
  }
}

void FreeSpace::Occupy(StepInterval interval, Stretch bytes) {
  const size_t first = ColumnOf(interval.begin);
  const size_t last = ColumnOf(interval.end - 1);
  for (size_t k = first; k <= last; ++k) {
    AddToColumn({bytes, interval}, {BorderStep(k), BorderStep(k + 1)},
                &columns_[k]);
    passed_ += columns_[k].size() / kMovedPerPassed + 1;
  }
  for (size_t reach = 1; reach <= wide_; reach *= 2) {
    // Those of an order are two reaches apart, but for the highest.
    const size_t apart = reach < wide_ ? 2 * reach : reach;
    const size_t low = first + 1 > reach ? first + 1 - reach : 1;
    const size_t high = std::min(last + reach, columns_.size() - 1);
    const size_t phase = reach % apart;
    size_t k = low / apart * apart + phase;
    if (k < low) k += apart;
    for (; k <= high; k += apart) {
      const uint32_t step = BorderStep(k);
      const uint32_t left =
          interval.begin < step ? std::min(interval.end, step) : 0;
      const uint32_t right =
          interval.end > step ? std::max(interval.begin, step) : kNever;
      AddToBorder(bytes, left, right, &borders_[k]);
    }
  }
}

void FreeSpace::CollectInUse(StepInterval interval, size_t first, size_t last) {
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
    const Border& pieces = borders_[k];
    passed_ += pieces.size() + in_use_.size();
    for (size_t p = 0; p + 1 < pieces.size(); ++p) {
      const Piece& piece = pieces[p];
      if (piece.left <= interval.begin && piece.right >= interval.end) continue;
      for (; other != in_use_.end() && other->begin < piece.begin; ++other) {
        push(*other);
      }
      push({piece.begin, pieces[p + 1].begin});
    }
    for (; other != in_use_.end(); ++other) push(*other);
    in_use_.swap(merged_);
    if (k + wide_ > last) break;
  }
}

}  // namespace stowage
