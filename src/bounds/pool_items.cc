// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/pool_items.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

// Returns the choices of a record. If the record lists no choices, returns all
// pools, each at cost 0.
std::vector<PoolChoice> ChoicesOf(const Constraints& constraints,
                                  uint32_t record) {
  if (!constraints.choices.empty() && !constraints.choices[record].empty()) {
    return constraints.choices[record];
  }
  std::vector<PoolChoice> all;
  for (uint32_t p = 0; p < constraints.pools.size(); ++p) all.push_back({p, 0});
  return all;
}

// Returns the pools that are in both lists, each with the sum of its two costs.
std::vector<PoolChoice> Join(const std::vector<PoolChoice>& a,
                             const std::vector<PoolChoice>& b) {
  std::vector<PoolChoice> both;
  for (const PoolChoice& x : a) {
    for (const PoolChoice& y : b) {
      if (x.pool == y.pool) both.push_back({x.pool, x.cost + y.cost});
    }
  }
  return both;
}

// Returns, for each record, the interval of positions of the chain at which the
// record is held. Also returns the largest number of bytes that are held at any
// position.
std::pair<std::vector<StepInterval>, uint64_t> HeldOn(const Problem& problem,
                                                      size_t chain) {
  const Constraints& constraints = *problem.constraints();
  const TaskOrder& order = *constraints.order;
  std::vector<StepInterval> held(problem.size());
  // Each change may wrap around. The sums below are correct nevertheless,
  // because the sum of all sizes is at most 2^64 - 1.
  std::vector<uint64_t> more(order.chain(chain).size() + 1, 0);
  for (size_t i = 0; i < held.size(); ++i) {
    held[i] = HeldOnChain(order, constraints.users[i], chain);
    more[held[i].begin] += problem.records()[i].tensor_size;
    more[held[i].end] -= problem.records()[i].tensor_size;
  }
  uint64_t bytes = 0;
  uint64_t max = 0;
  for (const uint64_t change : more) {
    bytes += change;
    max = std::max(max, bytes);
  }
  return {std::move(held), max};
}

// Returns the interval during which each record is live. Without a partial
// order, the intervals consist of steps. With a partial order, they consist of
// positions on the chain that holds the most bytes at once.
std::vector<StepInterval> IntervalsOf(const Problem& problem) {
  const auto& order = problem.constraints()->order;
  if (!order) return RanksOf(problem).intervals;
  std::vector<StepInterval> heaviest(problem.size());
  uint64_t max = 0;
  for (size_t chain = 0; chain < order->chains(); ++chain) {
    auto [held, bytes] = HeldOn(problem, chain);
    if (bytes <= max) continue;
    max = bytes;
    heaviest = std::move(held);
  }
  return heaviest;
}

// Returns, for each pool, the first pool with the same capacity and holes.
std::vector<uint32_t> EqualPools(const Constraints& constraints) {
  using Bytes = std::array<uint64_t, 4>;
  std::vector<std::vector<Bytes>> holes(constraints.pools.size());
  for (const Hole& hole : constraints.holes) {
    if (hole.pool >= holes.size()) continue;
    holes[hole.pool].push_back(
        {hole.begin, hole.end, hole.first_task, hole.last_task});
  }
  std::map<std::pair<optional<size_t>, std::vector<Bytes>>, uint32_t> firsts;
  std::vector<uint32_t> first_of;
  for (uint32_t pool = 0; pool < constraints.pools.size(); ++pool) {
    std::sort(holes[pool].begin(), holes[pool].end());
    const auto key =
        std::pair(constraints.pools[pool].capacity, std::move(holes[pool]));
    first_of.push_back(firsts.try_emplace(key, pool).first->second);
  }
  return first_of;
}

}  // namespace

std::vector<uint32_t> InterchangeablePools(const Problem& problem,
                                           Span<const PoolItem> items) {
  std::vector<uint32_t> first_of = EqualPools(*problem.constraints());
  constexpr uint64_t kNoChoice = ~uint64_t{0};
  std::vector<uint64_t> costs(first_of.size());
  for (const PoolItem& item : items) {
    std::fill(costs.begin(), costs.end(), kNoChoice);
    for (const PoolChoice& choice : item.choices) {
      costs[choice.pool] = choice.cost;
    }
    // The pools that differ from their first pool, with their cost, and the new
    // first pool of all like them.
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> apart;
    for (uint32_t pool = 0; pool < first_of.size(); ++pool) {
      const uint32_t first = first_of[pool];
      if (costs[pool] == costs[first]) continue;
      first_of[pool] =
          apart.try_emplace(std::pair(first, costs[pool]), pool).first->second;
    }
  }
  return first_of;
}

std::vector<uint32_t> RecordsOf(Span<const PoolItem> items,
                                Span<const uint32_t> chosen) {
  std::vector<uint32_t> records;
  for (const uint32_t k : chosen) {
    records.insert(records.end(), items[k].records.begin(),
                   items[k].records.end());
  }
  std::sort(records.begin(), records.end());
  return records;
}

std::vector<std::vector<uint32_t>> ItemsByPool(Span<const uint32_t> pools,
                                               size_t count) {
  std::vector<std::vector<uint32_t>> items(count);
  for (uint32_t k = 0; k < pools.size(); ++k) items[pools[k]].push_back(k);
  return items;
}

std::vector<PoolItem> PoolItemsOf(const Problem& problem) {
  const Constraints& constraints = *problem.constraints();
  const std::vector<StepInterval> intervals = IntervalsOf(problem);
  const Relation relation(problem);
  std::vector<PoolItem> items;
  flat_hash_map<uint32_t, size_t> item_of_group;
  for (uint32_t i = 0; i < problem.size(); ++i) {
    const uint32_t group =
        constraints.places.empty() ? kNoGroup : constraints.places[i].group;
    size_t number = items.size();
    if (group != kNoGroup) {
      number = item_of_group.try_emplace(group, number).first->second;
    }
    const StepInterval interval = intervals[i];
    std::vector<PoolChoice> choices = ChoicesOf(constraints, i);
    if (number < items.size()) {
      PoolItem& item = items[number];
      item.records.push_back(i);
      item.begin = std::min(item.begin, interval.begin);
      item.end = std::max(item.end, interval.end);
      item.bytes = 0;
      item.choices = Join(item.choices, choices);
      continue;
    }
    const bool is_simple = !relation.HasPermissions(i);
    const auto size = static_cast<Level>(problem.records()[i].tensor_size);
    items.push_back({{i},
                     interval.begin,
                     interval.end,
                     is_simple ? size : 0,
                     std::move(choices)});
  }
  for (PoolItem& item : items) {
    std::stable_sort(item.choices.begin(), item.choices.end(),
                     [](const PoolChoice& a, const PoolChoice& b) {
                       return a.cost != b.cost ? a.cost < b.cost
                                               : a.pool < b.pool;
                     });
  }
  std::stable_sort(
      items.begin(), items.end(),
      [](const PoolItem& a, const PoolItem& b) { return a.begin < b.begin; });
  return items;
}

}  // namespace stowage::rigid
