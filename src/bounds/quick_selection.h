// SPDX-License-Identifier: Apache-2.0
// Selects a pool for every rigid group of a problem with pools, quickly and
// without searching for the least cost. To find the least cost, use SelectPools
// (pool_selection.h).
#ifndef STOWAGE_SRC_BOUNDS_QUICK_SELECTION_H_
#define STOWAGE_SRC_BOUNDS_QUICK_SELECTION_H_

#include <cstdint>
#include <vector>

#include "src/bounds/pool_selection.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage::rigid {

// Goes through the items in order, and puts each item into the cheapest pool
// that has room for it. Returns the pool of each item, or nullopt if no pool
// has room for some item. Use this function if there are more items than
// SelectPools can handle. O(n log n + nogoods).
optional<std::vector<uint32_t>> SelectFirstFit(Span<const PoolItem> items,
                                               Span<const MemoryPool> pools,
                                               Span<const Nogood> nogoods);

// Returns the items by falling density, and in order if their densities are
// equal. The density of an item is what one of its bytes costs at one step if
// the item has to leave its cheapest pool. It is infinite if the item cannot
// leave this pool, or has no number of bytes. A `weight` below 1 favours large
// items: the cost is then divided by bytes^weight instead of bytes. O(n log n).
enum class SizeWeight { kOne, kThreeQuarters, kHalf };
std::vector<uint32_t> ItemsByDensity(Span<const PoolItem> items,
                                     SizeWeight weight = SizeWeight::kOne);

// Like SelectFirstFit, but goes through the items by falling density
// (ItemsByDensity). The selections are therefore cheaper if a pool has room for
// a part of the items only. O((n + steps) log^2 n + nogoods).
//
// Source: the greedy heuristic for the knapsack problem. G. Dantzig,
// "Discrete-Variable Extremum Problems", Operations Research 5(2), 1957.
optional<std::vector<uint32_t>> SelectByDensity(Span<const PoolItem> items,
                                                Span<const MemoryPool> pools,
                                                Span<const Nogood> nogoods);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_QUICK_SELECTION_H_
