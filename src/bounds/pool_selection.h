// SPDX-License-Identifier: Apache-2.0
// Selects a pool for every rigid group of a problem with pools, at the least
// cost. The selection only makes sure that the bytes live at each step fit the
// capacities. The caller finds the sets of groups that fit the capacities and
// still cannot be packed, and passes them to the next selection (Nogood).
//
// The method is a dynamic program over the groups in the order of their first
// steps. A state consists of the pools of the groups that are still live, and
// the least cost that leads to it; groups that have ended no longer matter. The
// method is exact as long as there are no more states than allowed; beyond that
// it keeps the cheapest states.
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
  // The selections of the least cost that was found. Each selection has the
  // pool of each item. The list is empty if no selection was found.
  std::vector<std::vector<uint32_t>> selections;
  uint64_t cost = 0;
  // True if no selection costs less, or if there is no selection at all.
  bool is_exact = true;
  // True if `selections` has all selections of this cost.
  bool is_all = true;
};

// Selects pools. O(items * states * choices). If the time does not suffice for
// a single state in each layer, returns the result of SelectFirstFit instead.
// With many items, tries SelectFirstFit first, and returns that result if each
// item gets its cheapest choice.
PoolSelections SelectPools(Span<const PoolItem> items,
                           Span<const MemoryPool> pools,
                           Span<const Nogood> nogoods,
                           const PoolLimits& limits);

// Returns some of the items, in rising order: a set for which SelectPools still
// proves that there is no selection. Requires that SelectPools proves this for
// all items. Leaves out items step by step, in at most 256 attempts, and
// returns the items that remain.
std::vector<uint32_t> ShrinkUnselectable(Span<const PoolItem> items,
                                         Span<const MemoryPool> pools,
                                         Span<const Nogood> nogoods,
                                         const StopSignal& stop);

// Puts each item, one after the other, into the cheapest pool that has room for
// the item. Returns the pool of each item, or nothing if an item finds no pool.
// Use this function if there are more items than SelectPools can handle. O(n
// log n + nogoods).
optional<std::vector<uint32_t>> SelectFirstFit(Span<const PoolItem> items,
                                               Span<const MemoryPool> pools,
                                               Span<const Nogood> nogoods);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_POOL_SELECTION_H_
