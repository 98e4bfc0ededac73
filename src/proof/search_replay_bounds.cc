// SPDX-License-Identifier: Apache-2.0
// Computes how low each remaining record of a SearchReplay can be placed, and
// whether the records that cannot be placed below a level fit above this level.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/proof/search_replay.h"
#include "stowage/base/optional.h"
#include "stowage/tensor_size.h"

namespace stowage::certificate {

// Returns a bound for each item: a remaining item cannot be placed below its
// bound. A bound of kNowhere means that the item cannot be placed at all. The
// bound of an item that was not passed (IsPassed) is its lowest feasible
// offset. A passed item is at or above the top of another item that blocks its
// lowest feasible offset. The bound of a passed item therefore starts at
// kNowhere. It is then lowered to the lowest offset at which the passed item
// can be placed above a blocking item at the bound of that item. This is
// repeated until no bound changes.
//
// The bounds are valid for the following reason. Suppose that some items of a
// plan were below their bounds, and consider the lowest of these items. It
// would be above a blocking item that is not below its own bound. But then the
// bound of the lowest item would have been lowered further.
std::vector<size_t> SearchReplay::LowestOffsets(const Frame& frame) const {
  const std::vector<size_t> left = LeftAt(frame);
  std::vector<size_t> lowest = lowest_;
  std::vector<size_t> passed;
  for (const size_t i : left) {
    if (!IsPassed(frame, i)) continue;
    lowest[i] = kNowhere;
    passed.push_back(i);
  }
  // The top that each item would have at its bound, paired with the index of
  // the item, in rising order. Items that cannot be placed at all are omitted.
  std::vector<std::pair<size_t, size_t>> tops;
  for (bool changes = !passed.empty(); changes;) {
    changes = false;
    tops.clear();
    for (const size_t i : left) {
      if (lowest[i] == kNowhere) continue;
      tops.emplace_back(lowest[i] + items_[i].size, i);
    }
    std::sort(tops.begin(), tops.end());
    for (const size_t i : passed) {
      const size_t top = lowest_[i] + items_[i].size;
      for (const auto& [under, j] : tops) {
        if (under >= lowest[i]) break;
        if (j == i || lowest[j] >= top || !Conflict(i, j)) continue;
        const size_t place = LowestPlace(i, under);
        changes = changes || place < lowest[i];
        lowest[i] = std::min(lowest[i], place);
        break;
      }
    }
  }
  return lowest;
}

// Returns a copy of `lowest` with some bounds raised. The bound of an item is
// raised if, at some task of the item, the other remaining items do not all fit
// above the item.
std::vector<size_t> SearchReplay::RaiseBlocked(
    std::vector<size_t> lowest) const {
  const std::vector<size_t> left = LeftAt(frames_.back());
  std::vector<size_t> raised = lowest;
  std::vector<size_t> live;
  for (const size_t task : tasks_) {
    live.clear();
    size_t load = 0;
    for (const size_t i : left) {
      if (!IsLive(i, task)) continue;
      live.push_back(i);
      load += items_[i].size;
    }
    const auto is_blocked = [&](size_t i) {
      return lowest[i] == kNowhere || load > capacity_ - lowest[i];
    };
    size_t lowest_top = kNowhere;
    for (const size_t i : live) {
      if (is_blocked(i)) continue;
      lowest_top = std::min(lowest_top, lowest[i] + items_[i].size);
    }
    for (const size_t i : live) {
      if (is_blocked(i)) raised[i] = std::max(raised[i], lowest_top);
    }
  }
  for (const size_t i : left) {
    if (raised[i] != kNowhere) raised[i] = LowestPlace(i, raised[i]);
  }
  return raised;
}

bool SearchReplay::Overflows(size_t task, size_t level,
                             const std::vector<size_t>& lowest) const {
  size_t sum = 0;
  std::vector<size_t> above;
  for (const size_t i : LeftAt(frames_.back())) {
    if (!IsLive(i, task) || lowest[i] < level) continue;
    sum += items_[i].size;
    above.push_back(i);
  }
  const size_t left = above.size();
  for (const FixedItem& fixed : fixed_) {
    if (!IsLive(fixed.item, task) || fixed.begin < level) continue;
    sum += items_[fixed.item].size;
    above.push_back(fixed.item);
  }
  if (sum > (level < capacity_ ? capacity_ - level : 0)) return true;
  return above.size() == left && OverflowsPadded(above, level, sum);
}

// Returns whether the items, together with the padding between them, exceed the
// room above the level. The items are live at one task and cannot be below the
// level. Their offsets are multiples of their least alignment, so every item
// except the topmost one occupies a multiple of this alignment. Any item may be
// the topmost one. Requires that the sizes of the items add up to `sum` and fit
// in the room.
bool SearchReplay::OverflowsPadded(const std::vector<size_t>& items,
                                   size_t level, size_t sum) const {
  if (items.empty()) return false;
  size_t grid = items_[items.front()].alignment;
  for (const size_t i : items) grid = std::min(grid, items_[i].alignment);
  const optional<size_t> bottom = CheckedAlignUp(level, grid);
  if (!bottom || *bottom > capacity_ || sum > capacity_ - *bottom) return true;
  size_t room = capacity_ - *bottom - sum;
  size_t largest = 0;
  for (const size_t i : items) {
    const size_t padding = (~items_[i].size + 1) & (grid - 1);
    const size_t lower = std::min(padding, largest);
    if (lower > room) return true;
    room -= lower;
    largest = std::max(padding, largest);
  }
  return false;
}

}  // namespace stowage::certificate
