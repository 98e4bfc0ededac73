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
// Beyond that, it keeps only the cheapest states. States that differ only in
// the names of interchangeable pools are one state.
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

// Items that cannot all be together in the pool. SelectPools applies this to
// interchangeable pools, too, but quick selections do not.
struct Nogood {
  uint32_t pool = 0;
  std::vector<uint32_t> items;  // in rising order
};

struct PoolLimits {
  size_t states = 60000;      // the maximum in one layer
  size_t selections = 20000;  // the maximum number that is returned
  // The result of InterchangeablePools; if empty, no pools are interchangeable.
  std::vector<uint32_t> first_alike;
  StopSignal stop;
};

struct PoolSelections {
  // The selections of the lowest cost that was found. Each selection has the
  // pool of each item. Empty if no selection was found.
  std::vector<std::vector<uint32_t>> selections;
  uint64_t cost = 0;
  // True if it is proven that no selection costs less, or that none exists.
  bool is_exact = true;
  // True if `selections` has all selections of this cost. Always false if pools
  // are interchangeable.
  bool is_all = true;
  uint64_t visits = 0;  // a measure of the work: visits to items in all states
};

// Selects pools. If the time does not suffice for even a single state in each
// layer, returns the result of SelectFirstFit (quick_selection.h) instead. With
// many items, tries SelectFirstFit first, and returns its result if each item
// gets its cheapest choice. O(items * states * choices).
PoolSelections SelectPools(Span<const PoolItem> items,
                           Span<const MemoryPool> pools,
                           Span<const Nogood> nogoods,
                           const PoolLimits& limits);

// Returns a subset of the items, in rising order, for which SelectPools still
// proves that there is no selection. Requires that SelectPools proves this for
// all items with the same nogoods and `limits.first_alike`. Leaves out items
// step by step, in at most 256 attempts, and returns the items that remain.
std::vector<uint32_t> ShrinkUnselectable(Span<const PoolItem> items,
                                         Span<const MemoryPool> pools,
                                         Span<const Nogood> nogoods,
                                         const PoolLimits& limits);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_POOL_SELECTION_H_
