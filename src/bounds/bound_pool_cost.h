// SPDX-License-Identifier: Apache-2.0
// Computes a lower bound of the cost of any selection of pools. To find a
// selection, use SelectPools (pool_selection.h).
#ifndef STOWAGE_SRC_BOUNDS_BOUND_POOL_COST_H_
#define STOWAGE_SRC_BOUNDS_BOUND_POOL_COST_H_

#include <cstdint>

#include "src/bounds/pool_items.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage::rigid {

// Returns a lower bound of the cost of any selection: the cost of the cheapest
// choice of each item, plus a lower bound of the cost of moving items out of
// pools that cannot hold them. The second term is the maximum of two bounds:
// that of the most expensive step, and that over all steps (BoundSpill,
// spill_bound.h). O(n log n) for short lifetimes; with long lifetimes some
// steps are skipped.
uint64_t BoundPoolCost(Span<const PoolItem> items,
                       Span<const MemoryPool> pools);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_BOUND_POOL_COST_H_
