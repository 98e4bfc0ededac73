// SPDX-License-Identifier: Apache-2.0
// Lists the rigid groups of a problem with pools. Each group has its lifetime
// as an interval, and the pools that it may use. SelectPools (pool_selection.h)
// selects one of these pools for each group.
#ifndef STOWAGE_SRC_BOUNDS_POOL_ITEMS_H_
#define STOWAGE_SRC_BOUNDS_POOL_ITEMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "src/bounds/bodies.h"
#include "stowage/problem.h"

namespace stowage::bodies {

// A rigid group before a pool is selected for it.
struct PoolItem {
  std::vector<uint32_t> records;
  // Steps, half-open. With a partial order these are positions on the chain
  // that holds the most bytes at one of its tasks; empty if the group is not
  // held there.
  uint32_t begin = 0;
  uint32_t end = 0;
  // Bytes live at each of these steps; 0 for groups of several records and
  // records of `never` pairs.
  Level bytes = 0;
  std::vector<PoolChoice> choices;  // common to all records; by cost, then pool
};

// Returns the items of a problem with pools, by first step. O(n log n).
std::vector<PoolItem> PoolItemsOf(const Problem& problem);

// Returns the records of the chosen items, rising. O(n log n).
std::vector<uint32_t> RecordsOf(absl::Span<const PoolItem> items,
                                absl::Span<const uint32_t> chosen);

// Returns the items of each of `count` pools, rising; `pools` has the pool of
// each item. O(n).
std::vector<std::vector<uint32_t>> ItemsByPool(absl::Span<const uint32_t> pools,
                                               size_t count);

}  // namespace stowage::bodies

#endif  // STOWAGE_SRC_BOUNDS_POOL_ITEMS_H_
