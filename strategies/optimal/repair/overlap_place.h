// SPDX-License-Identifier: Apache-2.0
// Defines a place of an item among neighbours that it may overlap. OverlapSweep
// (overlap_sweep.h) and CostMap (cost_map.h) list places, and OverlapSearch
// (overlap_search.h) chooses one of them.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_PLACE_H_
#define STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_PLACE_H_

#include <cstdint>

#include "optimal/exact/packing.h"

namespace stowage::optimal {

struct OverlapPlace {
  Level level = 0;
  uint64_t cost = 0;  // the cost of all overlaps at this place
};

// Returns the highest level at which an item ends within the capacity.
inline Level HighestPlace(const Item& item, Level capacity) {
  return AlignDown(capacity - item.size, item.alignment);
}

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_REPAIR_OVERLAP_PLACE_H_
