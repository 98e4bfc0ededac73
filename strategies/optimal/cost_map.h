// SPDX-License-Identifier: Apache-2.0
// What each level costs one item, as a table of all levels: for OverlapSearch
// (overlap_search.h), where an item has so many others around it that passing
// all levels is faster than sorting their edges. For the same of any capacity
// use OverlapSweep (overlap_sweep.h); both list the same places.
//
// The cost of one other is a trapezoid over the levels, so it is added as four
// changes of a slope and two steps, and all costs are sums from the lowest
// level up. They wrap around while they are summed, and are exact in the end.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_COST_MAP_H_
#define STOWAGE_STRATEGIES_OPTIMAL_COST_MAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/overlap_place.h"
#include "optimal/packing.h"

namespace stowage::optimal {

class CostMap {
 public:
  // A map of no levels, which is for no item.
  CostMap() = default;

  // For all items that end below the capacity. O(capacity) memory.
  explicit CostMap(Level capacity)
      : capacity_(capacity),
        changes_(static_cast<size_t>(capacity) + 2),
        costs_(static_cast<size_t>(capacity) + 1),
        marks_(static_cast<size_t>(capacity) / 64 + 1) {}

  bool is_made() const { return !changes_.empty(); }

  // Begins the costs of an item: nothing costs anything.
  void Begin(const Item& item);

  // Adds what it costs to overlap one from `bottom` up to `top`: `touch` at any
  // depth, and `slope` for each level of depth.
  void Add(Level bottom, Level top, uint64_t touch, uint64_t slope) {
    const Level under = bottom - size_;
    if (under < 0) {
      slope_ += slope;
      cost_ += touch + slope * static_cast<uint64_t>(-under);
    } else if (under <= highest_) {
      At(under).slope += slope;
      At(under + 1).step += touch;
      Mark(AlignDown(under, alignment_));
    }
    if (bottom <= highest_) At(bottom).slope -= slope;
    const Level inside = top - size_;
    if (inside < 0) {
      slope_ -= slope;
      cost_ -= slope * static_cast<uint64_t>(-inside);
    } else if (inside <= highest_) {
      At(inside).slope -= slope;
    }
    if (top > highest_) return;
    At(top).slope += slope;
    At(top).step -= touch;
    Mark(AlignLevel(top, alignment_));
  }

  // Sets `places` to the floor, what is on top of something or right below
  // something, and the very top, from the lowest. O(capacity).
  void List(std::vector<OverlapPlace>* places);

 private:
  // At a level: how much more it costs than before, and how much faster that
  // grows from here on.
  struct Change {
    uint64_t step = 0;
    uint64_t slope = 0;
  };

  Change& At(Level level) { return changes_[static_cast<size_t>(level)]; }

  void Mark(Level level) {
    if (level > highest_) return;
    const auto bit = static_cast<size_t>(level);
    marks_[bit / 64] |= uint64_t{1} << (bit % 64);
  }

  Level capacity_ = 0;
  std::vector<Change> changes_;  // by level
  std::vector<uint64_t> costs_;  // by level
  std::vector<uint64_t> marks_;  // a bit for each level: it is a place
  // Of the item at hand.
  Level size_ = 0;
  Level alignment_ = 1;
  Level highest_ = 0;
  uint64_t cost_ = 0;   // at the floor
  uint64_t slope_ = 0;  // from the floor on
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_COST_MAP_H_
