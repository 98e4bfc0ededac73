// SPDX-License-Identifier: Apache-2.0
// Computes the cost of one item at every possible level, with a table of all
// levels. OverlapSearch (overlap_search.h) uses this table if an item has so
// many neighbours that visiting all levels is faster than sorting the ends of
// the neighbours. For capacities of any size, use OverlapSweep
// (overlap_sweep.h). Both list the same places.
//
// The cost of overlapping one neighbour, as a function of the level, is a
// trapezoid. It is therefore added as four changes of the slope and two steps
// of the cost. Prefix sums from the lowest level up then yield the cost of each
// level. Intermediate unsigned sums may wrap around, but the results are exact.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_COST_MAP_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_COST_MAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimal/exact/packing.h"
#include "optimal/repair/overlap_place.h"

namespace stowage::optimal {

class CostMap {
 public:
  // Makes a map without levels, which must not be used for any item.
  CostMap() = default;

  // Makes a map for all items that end within the capacity. O(capacity) memory.
  explicit CostMap(Level capacity)
      : capacity_(capacity),
        changes_(static_cast<size_t>(capacity) + 2),
        costs_(static_cast<size_t>(capacity) + 1),
        marks_(static_cast<size_t>(capacity) / 64 + 1) {}

  bool is_made() const { return !changes_.empty(); }

  // Starts a new item, with a cost of 0 at every level.
  void Begin(const Item& item);

  // Adds the cost of overlapping a neighbour at [bottom, top): 0 if the item
  // does not overlap the neighbour, and otherwise `touch` plus `slope` for each
  // level of the depth of the overlap.
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

  // Sets `places` to level 0, the places directly above or below a neighbour,
  // and the highest place, in ascending order, with their costs. Clears the
  // map. O(capacity).
  void List(std::vector<OverlapPlace>* places);

 private:
  // A change of the cost function at a level: the cost rises by `step` at this
  // level, and by another `slope` per level from this level on.
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
  std::vector<Change> changes_;  // is indexed by level
  std::vector<uint64_t> costs_;  // is indexed by level
  // One bit for each level, which is set iff the level is a place.
  std::vector<uint64_t> marks_;
  // The current item.
  Level size_ = 0;
  Level alignment_ = 1;
  Level highest_ = 0;
  uint64_t cost_ = 0;   // the cost at level 0
  uint64_t slope_ = 0;  // the growth of the cost from level 0 on
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_COST_MAP_H_
