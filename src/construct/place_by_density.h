// SPDX-License-Identifier: Apache-2.0
// Selects a pool for every rigid group of a problem with pools by placing the
// groups one after another. Groups therefore go into gaps that a selection by
// bytes (quick_selection.h) does not know. To pack the groups of one pool that
// is already selected, use ConstructGroups (construct_groups.h).
#ifndef STOWAGE_SRC_CONSTRUCT_PLACE_BY_DENSITY_H_
#define STOWAGE_SRC_CONSTRUCT_PLACE_BY_DENSITY_H_

#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/pool_items.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage::rigid {

struct PlacedItems {
  uint64_t cost = 0;            // the sum of the costs of the choices
  std::vector<uint32_t> pools;  // by item
  // The start of each item whose pool has a capacity, above the first byte of
  // the pool. The other items are not placed.
  std::vector<Level> starts;
};

// Goes through the items by falling density (ItemsByDensity) for each
// SizeWeight, those with fixed places first, and returns the result that costs
// least. Places each item in the tightest gap of the cheapest pool that has
// room for it; a pool without a capacity has room for every item. Returns
// nullopt if no pool has room for some item, if `stop` is set, if a Level
// overflows, if the work would take too long, or if the problem has a partial
// order or apart sets, which this function does not support. Requires pools.
// O(n log n + c log c + g h) for c pairs of records that are live together in
// pools with a capacity, at most 2^22 pairs, with g gaps and h holes.
optional<PlacedItems> PlaceByDensity(const Problem& problem,
                                     const Relation& relation,
                                     Span<const PoolItem> items,
                                     const StopSignal& stop);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_CONSTRUCT_PLACE_BY_DENSITY_H_
