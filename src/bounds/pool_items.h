// SPDX-License-Identifier: Apache-2.0
// Lists the rigid groups of a problem with pools. Each entry has the lifetime
// of a group, as an interval, and the pools that the group may use. SelectPools
// (pool_selection.h) selects one of these pools for each group.
#ifndef STOWAGE_SRC_BOUNDS_POOL_ITEMS_H_
#define STOWAGE_SRC_BOUNDS_POOL_ITEMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/bounds/rigid_groups.h"
#include "stowage/base/span.h"
#include "stowage/problem.h"

namespace stowage::rigid {

// A rigid group before a pool is selected for it.
struct PoolItem {
  std::vector<uint32_t> records;
  // The steps at which the group is live, half-open. With a partial order,
  // these are positions on a chain instead of steps: on the chain that holds
  // the most bytes at one of its tasks. The interval is empty if the group is
  // not held on that chain.
  uint32_t begin = 0;
  uint32_t end = 0;
  // The bytes of the group that are live at each of these steps. 0 if the group
  // has several records, or if its record is in a `never` pair.
  Level bytes = 0;
  // The choices that all records have in common, sorted by cost and then by
  // pool.
  std::vector<PoolChoice> choices;
};

// Returns the items of a problem with pools, sorted by first step. O(n log n).
std::vector<PoolItem> PoolItemsOf(const Problem& problem);

// Finds pools that can be exchanged in any plan: pools with the same capacity
// and the same holes that are choices of the same items at the same costs.
// Returns, for each pool, the first pool with which it can be exchanged, which
// may be the pool itself. O(items * pools + holes log holes).
std::vector<uint32_t> InterchangeablePools(const Problem& problem,
                                           Span<const PoolItem> items);

// Returns the records of the chosen items, in rising order. O(n log n).
std::vector<uint32_t> RecordsOf(Span<const PoolItem> items,
                                Span<const uint32_t> chosen);

// Returns, for each of `count` pools, the items in it, in rising order. `pools`
// has the pool of each item. O(n).
std::vector<std::vector<uint32_t>> ItemsByPool(Span<const uint32_t> pools,
                                               size_t count);

}  // namespace stowage::rigid

#endif  // STOWAGE_SRC_BOUNDS_POOL_ITEMS_H_
