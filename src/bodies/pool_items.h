// SPDX-License-Identifier: Apache-2.0
// What has a pool to choose: the bodies of a problem with pools, with what is
// live together of them as intervals. SelectPools (pool_selection.h) chooses.
#ifndef STOWAGE_BODIES_POOL_ITEMS_H_
#define STOWAGE_BODIES_POOL_ITEMS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "src/bodies/bodies.h"
#include "stowage/problem.h"

namespace stowage::bodies {

// A body before it has a pool.
struct PoolItem {
  std::vector<uint32_t> records;
  // Steps, half-open. With an order, positions on the chain of its tasks on
  // which the most bytes are held at once; none if it is not held there.
  uint32_t begin = 0;
  uint32_t end = 0;
  // Live at each of them; 0 where it is not so simple.
  Level bytes = 0;
  std::vector<PoolChoice> choices;  // by cost, then pool; of all its records
};

// The items of a problem with pools, by first step. O(n log n).
std::vector<PoolItem> PoolItemsOf(const Problem& problem);

// The records of some items, rising. O(n log n).
std::vector<uint32_t> RecordsOf(absl::Span<const PoolItem> items,
                                absl::Span<const uint32_t> chosen);

// Items by pool, rising: `pools` has the pool of each, below `count`. O(n).
std::vector<std::vector<uint32_t>> ItemsByPool(absl::Span<const uint32_t> pools,
                                               size_t count);

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_POOL_ITEMS_H_
