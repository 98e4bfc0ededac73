// SPDX-License-Identifier: Apache-2.0
// Selects a pool for every rigid group at the least cost, judging only by the
// bytes that are live together. The caller finds out whether the groups of a
// pool can be packed, and passes sets that cannot be packed to the next
// selection (Nogood). This is only needed if there are pools.
//
// The method is a dynamic program over the groups by first step. A state
// consists of the pools of the groups that are still live, and the least cost
// that leads to it; groups that have ended no longer matter. It is exact as
// long as there are no more states than allowed; beyond that it keeps the
// cheapest states.
//
// Source: own; the states are those of the knapsack with lifetimes
// ("unsplittable flow on a path").
#ifndef STOWAGE_SRC_BOUNDS_POOL_SELECTION_H_
#define STOWAGE_SRC_BOUNDS_POOL_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/base/work_limit.h"
#include "src/bounds/pool_items.h"  // IWYU pragma: export
#include "stowage/problem.h"

namespace stowage::bodies {

// Items that cannot all be in the pool together.
struct Nogood {
  uint32_t pool = 0;
  std::vector<uint32_t> items;  // rising
};

struct PoolLimits {
  size_t states = 60000;      // in one layer
  size_t selections = 20000;  // of least cost
  StopSignal stop;
};

struct PoolSelections {
  // The pool of each item, for each selection of the least cost found. Empty if
  // there is none.
  std::vector<std::vector<uint32_t>> selections;
  uint64_t cost = 0;
  // True if no selection costs less, or if there is no selection at all.
  bool is_exact = true;
  // True if there are no further selections of that cost.
  bool is_all = true;
};

// Selects pools. O(items * states * choices). Calls SelectFirstFit instead if
// even this takes too much time. With many items, it also takes the result of
// SelectFirstFit if this gives each item its cheapest choice.
PoolSelections SelectPools(absl::Span<const PoolItem> items,
                           absl::Span<const MemoryPool> pools,
                           absl::Span<const Nogood> nogoods,
                           const PoolLimits& limits);

// Requires items for which SelectPools proves that there is no selection.
// Returns, in rising order, some of these items for which SelectPools proves
// the same. Leaves out items step by step, in at most 256 attempts, and returns
// those that remain.
std::vector<uint32_t> ShrinkUnselectable(absl::Span<const PoolItem> items,
                                         absl::Span<const MemoryPool> pools,
                                         absl::Span<const Nogood> nogoods,
                                         const StopSignal& stop);

// Puts each item, one after the other, into the cheapest pool that has room for
// it. Returns the pool of each item, or nothing if an item finds no pool. It is
// for more items than a dynamic program can take. O(n log n + nogoods).
absl::optional<std::vector<uint32_t>> SelectFirstFit(
    absl::Span<const PoolItem> items, absl::Span<const MemoryPool> pools,
    absl::Span<const Nogood> nogoods);

// Returns a lower bound of the cost of any selection: the cheapest choice of
// each item, plus the cost of moving items out of pools that cannot hold them,
// at the most expensive step and over all steps (BoundSpill, spill_bound.h).
// O(n log n) for short lifetimes; with long lifetimes some steps are skipped.
uint64_t BoundPoolCost(absl::Span<const PoolItem> items,
                       absl::Span<const MemoryPool> pools);

}  // namespace stowage::bodies

#endif  // STOWAGE_SRC_BOUNDS_POOL_SELECTION_H_
