// SPDX-License-Identifier: Apache-2.0
// Selects a pool for every rigid group of a problem with pools, at minimum
// cost. The selection only ensures that the bytes that are live at each step
// fit the capacities. If a set of groups fits the capacities but still cannot
// be packed, the caller finds this set and passes it to the next selection as a
// Nogood.
//
// The method is a dynamic program over the groups in the order of their first
// steps. A state consists of the pools of the groups that are still live, and
// the minimum cost that leads to the state; groups that have ended no longer
// matter. The method is exact as long as there are no more states than allowed.
// Beyond that, it keeps only the cheapest states.
//
// Source: own; the states are those of the knapsack with lifetimes
// ("unsplittable flow on a path").
#ifndef STOWAGE_SRC_BOUNDS_POOL_SELECTION_H_
#define STOWAGE_SRC_BOUNDS_POOL_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/pool_items.h"  // IWYU pragma: export
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage::rigid {

// Items that cannot all be in the pool together.
struct Nogood {
  uint32_t pool = 0;
  std::vector<uint32_t> items;  // in rising order
};

struct PoolLimits {
  size_t states = 60000;      // the maximum in one layer
  size_t selections = 20000;  // the maximum number that is returned
  StopSignal stop;
};

struct PoolSelections {
  // The selections of the lowest cost that was found. Each selection has the
  // pool of each item. Empty if no selection was found.
  std::vector<std::vector<uint32_t>> selections;
  uint64_t cost = 0;
  // True if it is proven that no selection costs less, or that none exists.
  bool is_exact = true;
  // True if `selections` has all selections of this cost.
  bool is_all = true;
};

// Selects pools. If the time does not suffice for even a single state in each
// layer, returns the result of SelectFirstFit instead. With many items, tries
// SelectFirstFit first, and returns its result if each item gets its cheapest
// choice. O(items * states * choices).
PoolSelections SelectPools(Span<const PoolItem> items,
                           Span<const MemoryPool> pools,
                           Span<const Nogood> nogoods,
                           const PoolLimits& limits);

// Returns a subset of the items, in rising order, for which SelectPools still
// proves that there is no selection. Requires that SelectPools proves this for
// all items. Leaves out items step by step, in at most 256 attempts, and
// returns the items that remain.
std::vector<uint32_t> ShrinkUnselectable(Span<const PoolItem> items,
                                         Span<const MemoryPool> pools,
                                         Span<const Nogood> nogoods,
                                         const StopSignal& stop);

// Goes through the items in order, and puts each item into the cheapest pool
// that has room for it. Returns the pool of each item, or nullopt if no pool
// has room for some item. Use this function if there are more items than
// SelectPools can handle. O(n log n + nogoods).
optional<std::vector<uint32_t>> SelectFirstFit(Span<const PoolItem> items,
                                               Span<const MemoryPool> pools,
                                               Span<const Nogood> nogoods);

// Like SelectFirstFit, but goes through the items by falling density: the items
// come first for which a dearer pool costs most for each byte and step. The
// selections are therefore cheaper if a pool has room for a part of the items
// only. O((n + steps) log^2 n + nogoods).
//
// Source: the greedy heuristic for the knapsack problem. G. Dantzig,
// "Discrete-Variable Extremum Problems", Operations Research 5(2), 1957.
optional<std::vector<uint32_t>> SelectByDensity(Span<const PoolItem> items,
                                                Span<const MemoryPool> pools,
                                                Span<const Nogood> nogoods);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_POOL_SELECTION_H_
