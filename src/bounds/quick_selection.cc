// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/quick_selection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "src/base/range_tree.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

// Counts the items of each nogood that are in its pool.
class NogoodCounts {
 public:
  NogoodCounts(size_t items, Span<const Nogood> nogoods)
      : nogoods_(nogoods), within_(nogoods.size(), 0), of_item_(items) {
    for (uint32_t n = 0; n < nogoods.size(); ++n) {
      for (const uint32_t item : nogoods[n].items) of_item_[item].push_back(n);
    }
  }

  // Returns whether no nogood would be whole with the item in the pool.
  bool Allows(uint32_t item, uint32_t pool) const {
    return std::none_of(of_item_[item].begin(), of_item_[item].end(),
                        [&](uint32_t n) {
                          return nogoods_[n].pool == pool &&
                                 within_[n] + 1 == nogoods_[n].items.size();
                        });
  }

  void Add(uint32_t item, uint32_t pool) {
    for (const uint32_t n : of_item_[item]) {
      if (nogoods_[n].pool == pool) ++within_[n];
    }
  }

 private:
  const Span<const Nogood> nogoods_;
  std::vector<size_t> within_;
  std::vector<std::vector<uint32_t>> of_item_;  // the nogoods of each item
};

// Returns bytes^weight. Square roots are the same on all machines, in contrast
// to other powers.
double Weighted(Level bytes, SizeWeight weight) {
  const auto size = static_cast<double>(std::max<Level>(bytes, 0));
  switch (weight) {
    case SizeWeight::kOne:
      return size;
    case SizeWeight::kThreeQuarters:
      return std::sqrt(size) * std::sqrt(std::sqrt(size));
    case SizeWeight::kHalf:
      return std::sqrt(size);
  }
  return size;
}

struct Density {
  // The cost of one byte of the item at one step if the item has to leave its
  // cheapest pool. Infinite if the item cannot leave the pool or is not known
  // to take room in it.
  double cost = 0;
  double taken = 0;  // the room that the item takes in a pool

  // Items that take more room come first among items of the same cost, because
  // they fit fewer gaps.
  bool operator>(const Density& other) const {
    return cost != other.cost ? cost > other.cost : taken > other.taken;
  }
};

Density DensityOf(const PoolItem& item, SizeWeight weight) {
  Density density;
  density.taken =
      Weighted(item.bytes, weight) * static_cast<double>(item.end - item.begin);
  density.cost =
      item.choices.size() < 2 || density.taken <= 0
          ? std::numeric_limits<double>::infinity()
          : static_cast<double>(item.choices[1].cost - item.choices[0].cost) /
                density.taken;
  return density;
}

}  // namespace

std::vector<uint32_t> ItemsByDensity(Span<const PoolItem> items,
                                     SizeWeight weight) {
  std::vector<Density> densities;
  densities.reserve(items.size());
  for (const PoolItem& item : items) {
    densities.push_back(DensityOf(item, weight));
  }
  std::vector<uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return densities[a] > densities[b];
  });
  return order;
}

optional<std::vector<uint32_t>> SelectFirstFit(Span<const PoolItem> items,
                                               Span<const MemoryPool> pools,
                                               Span<const Nogood> nogoods) {
  std::vector<uint32_t> selection(items.size());
  std::vector<uint64_t> used(pools.size(), 0);
  NogoodCounts counts(items.size(), nogoods);
  using Ending = std::pair<uint32_t, uint32_t>;  // a step and an item
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> live;
  for (uint32_t k = 0; k < items.size(); ++k) {
    for (; !live.empty() && live.top().first <= items[k].begin; live.pop()) {
      const uint32_t ended = live.top().second;
      used[selection[ended]] -= static_cast<uint64_t>(items[ended].bytes);
    }
    const auto bytes = static_cast<uint64_t>(items[k].bytes);
    const auto& choices = items[k].choices;
    const auto fitting =
        std::find_if(choices.begin(), choices.end(), [&](const auto& choice) {
          const auto& capacity = pools[choice.pool].capacity;
          return (!capacity || used[choice.pool] + bytes <= *capacity) &&
                 counts.Allows(k, choice.pool);
        });
    if (fitting == choices.end()) return nullopt;
    selection[k] = fitting->pool;
    used[fitting->pool] += bytes;
    live.emplace(items[k].end, k);
    counts.Add(k, fitting->pool);
  }
  return selection;
}

optional<std::vector<uint32_t>> SelectByDensity(Span<const PoolItem> items,
                                                Span<const MemoryPool> pools,
                                                Span<const Nogood> nogoods) {
  // Sums of bytes are below this number, and do not overflow.
  constexpr uint64_t kMost = uint64_t{1} << 62;
  size_t steps = 0;
  for (const PoolItem& item : items) {
    steps = std::max<size_t>(steps, item.end);
  }
  std::vector<uint32_t> selection(items.size());
  // Pools without a capacity need no counts.
  std::vector<RangeCounts> used;
  used.reserve(pools.size());
  for (const MemoryPool& pool : pools) {
    used.emplace_back(pool.capacity ? steps : 0);
  }
  NogoodCounts counts(items.size(), nogoods);
  const auto fits = [&](uint32_t k, const PoolChoice& choice) {
    const PoolItem& item = items[k];
    const auto& capacity = pools[choice.pool].capacity;
    if (!counts.Allows(k, choice.pool)) return false;
    if (!capacity) return true;
    const auto room = static_cast<Level>(std::min<uint64_t>(*capacity, kMost));
    if (item.bytes < 0 || item.bytes > room) return false;
    return item.begin == item.end ||
           used[choice.pool].GreatestIn(item.begin, item.end) <=
               room - item.bytes;
  };
  for (const uint32_t k : ItemsByDensity(items)) {
    const PoolItem& item = items[k];
    const auto fitting =
        std::find_if(item.choices.begin(), item.choices.end(),
                     [&](const PoolChoice& choice) { return fits(k, choice); });
    if (fitting == item.choices.end()) return nullopt;
    selection[k] = fitting->pool;
    if (pools[fitting->pool].capacity && item.begin < item.end) {
      used[fitting->pool].Add(item.begin, item.end, item.bytes);
    }
    counts.Add(k, fitting->pool);
  }
  return selection;
}

}  // namespace stowage::rigid
