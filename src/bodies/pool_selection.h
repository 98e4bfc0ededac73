// SPDX-License-Identifier: Apache-2.0
// Chooses a pool for every body at the least cost, by what is live together
// alone: whether the bodies of a pool can be packed is asked of others, who say
// which sets cannot (Nogood). Without a choice of pools nobody needs this.
//
// A dynamic program over the bodies by first step. A state is the pools of what
// is still live, and the least cost that leads there; what has ended does not
// matter any more. It is exact while there are no more states than allowed, and
// keeps the cheapest ones where there are.
//
// Source: the states are those of the knapsack with lifetimes ("unsplittable
// flow on a path"); own.
#ifndef STOWAGE_BODIES_POOL_SELECTION_H_
#define STOWAGE_BODIES_POOL_SELECTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/bodies/pool_items.h"  // IWYU pragma: export
#include "src/core/work_limit.h"
#include "stowage/problem.h"

namespace stowage::bodies {

// Items that cannot all be in a pool.
struct Nogood {
  uint32_t pool = 0;
  std::vector<uint32_t> items;  // rising
};

struct PoolLimits {
  size_t states = 60000;      // at a time
  size_t selections = 20000;  // of least cost
  StopSignal stop;
};

struct PoolSelections {
  // Pools by item, of the least cost found. None if nothing fits.
  std::vector<std::vector<uint32_t>> selections;
  uint64_t cost = 0;
  // No selection costs less, or none exists.
  bool is_exact = true;
  // There are no others of that cost.
  bool is_all = true;
};

// O(items * states * choices). Where even that is too much, SelectFirstFit, and
// of many items also where each then has its cheapest choice.
PoolSelections SelectPools(absl::Span<const PoolItem> items,
                           absl::Span<const MemoryPool> pools,
                           absl::Span<const Nogood> nogoods,
                           const PoolLimits& limits);

// Each item in its cheapest pool with room for it, one after the other; nothing
// if one finds none. For more items than a dynamic program can take. O(n log n
// + nogoods).
absl::optional<std::vector<uint32_t>> SelectFirstFit(
    absl::Span<const PoolItem> items, absl::Span<const MemoryPool> pools,
    absl::Span<const Nogood> nogoods);

// What any selection costs: each item its cheapest choice, and what it takes to
// move out what its cheapest pool cannot hold: at the broadest step, and over
// all of them (BoundSpill, spill_bound.h). O(n log n) for short lifetimes; of
// long ones not every step is looked at.
uint64_t BoundPoolCost(absl::Span<const PoolItem> items,
                       absl::Span<const MemoryPool> pools);

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_POOL_SELECTION_H_
