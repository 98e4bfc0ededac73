// SPDX-License-Identifier: Apache-2.0
#include "optimal/exact/packing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace stowage::optimal {
namespace {

// The maximum number of visits of fixed items when a bound is computed. If more
// visits would be needed, a weaker bound is computed.
constexpr uint64_t kMaxChecks = uint64_t{1} << 24;

std::vector<Level> BreadthByStep(const Packing& packing, bool with_fixed) {
  std::vector<Level> breadth(packing.steps + size_t{1}, 0);
  for (const Item& item : packing.items) {
    if (item.is_fixed() && !with_fixed) continue;
    breadth[item.begin] += item.size;
    breadth[item.end] -= item.size;
  }
  std::partial_sum(breadth.begin(), breadth.end(), breadth.begin());
  return breadth;
}

// Returns the lowest level below which the fixed items leave at least `room`
// units free at a step.
Level RoomEnds(const Obstacles& obstacles, uint32_t step, Level room) {
  Level end = room;
  for (const Item* fixed : obstacles.by_level()) {
    if (fixed->fixed_level >= end) break;
    if (fixed->begin <= step && step < fixed->end) end += fixed->size;
  }
  return end;
}

}  // namespace

std::vector<uint32_t> MovableItems(const Packing& packing) {
  std::vector<uint32_t> movable;
  for (uint32_t i = 0; i < packing.items.size(); ++i) {
    if (!packing.items[i].is_fixed()) movable.push_back(i);
  }
  return movable;
}

Level TopOf(const Packing& packing, const std::vector<Level>& levels) {
  Level top = 0;
  for (size_t i = 0; i < levels.size(); ++i) {
    top = std::max(top, levels[i] + packing.items[i].size);
  }
  return top;
}

Level TopOfFixed(const Packing& packing) {
  Level top = 0;
  for (const Item& item : packing.items) {
    if (item.is_fixed()) top = std::max(top, item.fixed_level + item.size);
  }
  return top;
}

Level TopOfStack(const Packing& packing) {
  Level top = TopOfFixed(packing);
  for (const Item& item : packing.items) top += item.size + item.alignment;
  return top;
}

std::vector<Level> StackLevels(const Packing& packing) {
  std::vector<Level> levels;
  levels.reserve(packing.items.size());
  Level top = TopOfFixed(packing);
  for (const Item& item : packing.items) {
    if (item.is_fixed()) {
      levels.push_back(item.fixed_level);
      continue;
    }
    levels.push_back(AlignLevel(top, item.alignment));
    top = levels.back() + item.size;
  }
  return levels;
}

Level MaximumBreadth(const Packing& packing) {
  const std::vector<Level> breadth =
      BreadthByStep(packing, /*with_fixed=*/true);
  return *std::max_element(breadth.begin(), breadth.end());
}

StepHeight TallestStep(const Packing& packing) {
  StepHeight tallest;
  Level grid = 0;
  std::vector<Item> by_begin;
  for (const Item& item : packing.items) {
    if (item.is_fixed()) continue;
    grid = std::gcd(grid, item.alignment);
    by_begin.push_back(item);
  }
  if (grid <= 1) return tallest;
  std::sort(by_begin.begin(), by_begin.end(),
            [](const Item& a, const Item& b) { return a.begin < b.begin; });
  Packing padded = packing;
  for (Item& item : padded.items) item.size = AlignLevel(item.size, grid);
  const std::vector<Level> all = BreadthByStep(padded, /*with_fixed=*/true);
  const std::vector<Level> movable =
      BreadthByStep(padded, /*with_fixed=*/false);
  // Pairs of the padding and the end of the items that are live at the step.
  // The padding of an item that is no longer live is removed only once it is
  // the largest padding.
  std::priority_queue<std::pair<Level, uint32_t>> paddings;
  auto next = by_begin.cbegin();
  for (uint32_t step = 0; step < packing.steps; ++step) {
    for (; next != by_begin.cend() && next->begin == step; ++next) {
      paddings.push({AlignLevel(next->size, grid) - next->size, next->end});
    }
    while (!paddings.empty() && paddings.top().second <= step) paddings.pop();
    const bool is_padded = !paddings.empty() && paddings.top().first > 0;
    if (!is_padded || all[step] != movable[step]) continue;
    const Level height = movable[step] - paddings.top().first;
    if (height > tallest.height) tallest = {height, step};
  }
  return tallest;
}

Obstacles::Obstacles(const Packing& packing) {
  for (const Item& item : packing.items) {
    if (item.is_fixed()) by_level_.push_back(&item);
  }
  std::sort(by_level_.begin(), by_level_.end(),
            [](const Item* a, const Item* b) {
              return a->fixed_level != b->fixed_level
                         ? a->fixed_level < b->fixed_level
                         : a->record < b->record;
            });
}

// One pass is enough: every fixed item visited so far that overlaps the item in
// time ends at or below `level`, and `level` never falls.
Level Obstacles::PlaceAround(const Item& item, Level level) const {
  for (const Item* fixed : by_level_) {
    if (fixed->fixed_level >= level + item.size) break;
    const Level top = fixed->fixed_level + fixed->size;
    if (top > level && Overlap(*fixed, item)) {
      level = AlignLevel(top, item.alignment);
    }
  }
  return level;
}

Level LowerBoundOf(const Packing& packing) {
  Level bound = MaximumBreadth(packing);
  const Obstacles obstacles(packing);
  if (obstacles.by_level().empty()) return bound;
  for (const Item* fixed : obstacles.by_level()) {
    bound = std::max(bound, fixed->fixed_level + fixed->size);
  }
  const uint64_t checks = (packing.items.size() + uint64_t{packing.steps}) *
                          obstacles.by_level().size();
  if (checks > kMaxChecks) return bound;
  for (const Item& item : packing.items) {
    if (item.is_fixed()) continue;
    bound = std::max(bound, obstacles.LowestPlace(item, 0) + item.size);
  }
  const std::vector<Level> movable =
      BreadthByStep(packing, /*with_fixed=*/false);
  for (uint32_t s = 0; s < packing.steps; ++s) {
    bound = std::max(bound, RoomEnds(obstacles, s, movable[s]));
  }
  return bound;
}

}  // namespace stowage::optimal
