// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/bound_pool_cost.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/int128.h"
#include "src/base/work_limit.h"
#include "src/bounds/pool_items.h"
#include "src/bounds/spill_bound.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

// The maximum number of visits to live items for the bound of the cost.
constexpr uint64_t kMaxChecksInSelectionToBound = uint64_t{1} << 25;
// The maximum number of visits to arcs for the bound of the cost. Visiting this
// many takes less than a tenth of a second.
constexpr uint64_t kMaxChecksToSpill = uint64_t{1} << 22;

// Returns a lower bound of the cost of bringing the pool down to its capacity
// at one step. `live` lists the items that are live at the step.
uint64_t CostToRelieve(Span<const PoolItem> items, Span<const uint32_t> live,
                       uint32_t pool, uint64_t capacity) {
  uint64_t used = 0;
  std::vector<std::pair<uint64_t, uint64_t>> moves;  // additional cost, bytes
  for (const uint32_t item : live) {
    const std::vector<PoolChoice>& choices = items[item].choices;
    if (choices.front().pool != pool || items[item].bytes == 0) continue;
    const auto bytes = static_cast<uint64_t>(items[item].bytes);
    used += bytes;
    if (choices.size() > 1) {
      moves.emplace_back(choices[1].cost - choices[0].cost, bytes);
    }
  }
  if (used <= capacity) return 0;
  uint64_t excess = used - capacity;
  // Moves the items with the lowest cost per byte first. The bound is valid
  // even though it may count only a part of the last item that moves.
  std::sort(moves.begin(), moves.end(), [](const auto& a, const auto& b) {
    return uint128(a.first) * b.second < uint128(b.first) * a.second;
  });
  uint64_t cost = 0;
  for (const auto& [more, bytes] : moves) {
    if (excess < bytes) {
      return cost + static_cast<uint64_t>((uint128(more) * excess + bytes - 1) /
                                          bytes);
    }
    cost += more;
    excess -= bytes;
  }
  return cost;
}

// Returns a lower bound of the cost of bringing the pool down to its capacity
// at all steps. To be a lower bound, it may count only a part of an item that
// leaves the pool.
uint64_t CostToSpill(Span<const PoolItem> items, uint32_t pool,
                     uint64_t capacity) {
  std::vector<SpillCandidate> candidates;
  for (const PoolItem& item : items) {
    if (item.choices.empty() || item.choices.front().pool != pool) continue;
    SpillCandidate candidate = {item.begin, item.end,
                                static_cast<uint64_t>(item.bytes), nullopt};
    if (item.choices.size() > 1) {
      candidate.cost = item.choices[1].cost - item.choices[0].cost;
    }
    candidates.push_back(candidate);
  }
  WorkLimit work(kMaxChecksToSpill);
  return BoundSpill(candidates, capacity, &work);
}

// Bounds the cost at each single step, and returns the largest of these lower
// bounds.
uint64_t CostOfBroadestStep(Span<const PoolItem> items,
                            Span<const MemoryPool> pools) {
  constexpr uint32_t kNever = std::numeric_limits<uint32_t>::max();
  uint64_t max_more = 0;
  uint64_t checks = 0;
  uint32_t next_end = kNever;
  std::vector<uint32_t> live;
  for (uint32_t item = 0; item < items.size(); ++item) {
    if (items[item].choices.empty()) continue;
    live.push_back(item);
    next_end = std::min(next_end, items[item].end);
    // Until an item ends, the set of live items only grows. Only the last step
    // before the next end therefore has to be examined.
    const uint32_t following =
        item + 1 < items.size() ? items[item + 1].begin : kNever;
    if (following < next_end || checks > kMaxChecksInSelectionToBound) continue;
    checks += live.size() * (pools.size() + 1);
    uint64_t more = 0;
    for (uint32_t p = 0; p < pools.size(); ++p) {
      if (!pools[p].capacity) continue;
      more += CostToRelieve(items, live, p, *pools[p].capacity);
    }
    max_more = std::max(max_more, more);
    next_end = kNever;
    live.erase(std::remove_if(live.begin(), live.end(),
                              [&](uint32_t other) {
                                return items[other].end <= following;
                              }),
               live.end());
    for (const uint32_t other : live) {
      next_end = std::min(next_end, items[other].end);
    }
  }
  return max_more;
}

}  // namespace

uint64_t BoundPoolCost(Span<const PoolItem> items,
                       Span<const MemoryPool> pools) {
  uint64_t cheapest = 0;
  for (const PoolItem& item : items) {
    if (!item.choices.empty()) cheapest += item.choices.front().cost;
  }
  uint64_t spilled = 0;
  for (uint32_t p = 0; p < pools.size(); ++p) {
    if (pools[p].capacity) spilled += CostToSpill(items, p, *pools[p].capacity);
  }
  return cheapest + std::max(spilled, CostOfBroadestStep(items, pools));
}

}  // namespace stowage::rigid
