// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/pool_selection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/int128.h"
#include "src/bounds/spill_bound.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

// If a layer has too many states, only this number of states is kept in the
// layer and in each later layer. The method then becomes a beam search.
constexpr size_t kStatesBeyond = 2048;
// The maximum number of live items that are visited in all states together.
// These visits take about a second.
constexpr uint64_t kMaxChecksInSelection = uint64_t{1} << 28;
// If there are more items than this, the total number of states in all layers
// is limited to kMaxStatesOfMany. This limits the work to about a second.
constexpr size_t kManyItems = 256;
constexpr size_t kMaxStatesOfMany = size_t{1} << 21;
// The maximum number of live items that are visited in order to bound the cost.
constexpr uint64_t kMaxChecksInSelectionToBound = uint64_t{1} << 25;

// The maximum number of arcs that are visited in order to bound the cost, which
// takes less than a tenth of a second.
constexpr uint64_t kMaxChecksToSpill = uint64_t{1} << 22;

// A transition to a state: the state of the previous layer, and the pool of the
// item that is added.
struct Way {
  uint32_t from = 0;
  uint32_t pool = 0;
};

// The pools of the first items, as far as they matter for the remaining items.
struct State {
  std::vector<uint32_t> live;   // pools of the items still live, rising
  std::vector<uint64_t> used;   // bytes live, by pool
  std::vector<bool> is_within;  // by nogood: all its items so far are in its
                                // pool
  uint64_t cost = 0;
  // The transitions of least cost that lead to this state, from different
  // states.
  std::vector<Way> ways;
};

// The transitions of all states of one layer.
struct Ways {
  std::vector<Way> all;        // by state
  std::vector<uint32_t> ends;  // by state

  Span<const Way> Of(uint32_t state) const {
    const uint32_t begin = state == 0 ? 0 : ends[state - 1];
    return MakeConstSpan(all).subspan(begin, ends[state] - begin);
  }
};

class Selecting {
 public:
  Selecting(Span<const PoolItem> items, Span<const MemoryPool> pools,
            Span<const Nogood> nogoods, const PoolLimits& limits)
      : items_(items), pools_(pools), nogoods_(nogoods), limits_(limits) {
    nogoods_of_.resize(items.size());
    for (uint32_t n = 0; n < nogoods.size(); ++n) {
      for (const uint32_t item : nogoods[n].items) {
        nogoods_of_[item].push_back(n);
      }
    }
  }

  PoolSelections Run() {
    State first;
    first.used.assign(pools_.size(), 0);
    first.is_within.assign(nogoods_.size(), true);
    states_.push_back(std::move(first));
    for (uint32_t item = 0; item < items_.size(); ++item) {
      if (!Add(item)) return std::move(found_);
    }
    Collect();
    return std::move(found_);
  }

 private:
  // Makes the states of the next layer, which have one more item. Returns false
  // if there are none.
  bool Add(uint32_t item) {
    std::vector<State> next;
    flat_hash_map<std::string, uint32_t> known;
    std::vector<uint32_t> kept = live_;
    kept.erase(std::remove_if(kept.begin(), kept.end(),
                              [&](uint32_t other) {
                                return items_[other].end <= items_[item].begin;
                              }),
               kept.end());
    for (uint32_t from = 0; from < states_.size(); ++from) {
      if (from % 1024 == 0 && limits_.stop.IsSet()) {
        found_.is_exact = false;
        return false;
      }
      const State base = ForgetEnded(states_[from], item);
      for (const PoolChoice& choice : items_[item].choices) {
        AddChoice(base, from, item, choice, &next, &known);
      }
    }
    live_ = std::move(kept);
    live_.push_back(item);
    if (next.empty()) return false;
    if (next.size() > limits_.states) KeepCheapest(&next);
    states_ = std::move(next);
    KeepWays();
    return true;
  }

  // Keeps only the transitions of a layer; nothing else of it is needed later.
  void KeepWays() {
    Ways& ways = ways_.emplace_back();
    for (State& state : states_) {
      ways.all.insert(ways.all.end(), state.ways.begin(), state.ways.end());
      ways.ends.push_back(static_cast<uint32_t>(ways.all.size()));
      state.ways = {};
    }
  }

  State ForgetEnded(const State& state, uint32_t item) const {
    State base;
    base.used = state.used;
    base.is_within = state.is_within;
    base.cost = state.cost;
    for (size_t k = 0; k < live_.size(); ++k) {
      const PoolItem& other = items_[live_[k]];
      if (other.end > items_[item].begin) {
        base.live.push_back(state.live[k]);
      } else {
        base.used[state.live[k]] -= static_cast<uint64_t>(other.bytes);
      }
    }
    return base;
  }

  void AddChoice(const State& base, uint32_t from, uint32_t number,
                 const PoolChoice& choice, std::vector<State>* next,
                 flat_hash_map<std::string, uint32_t>* known) {
    const PoolItem& item = items_[number];
    State state = base;
    state.used[choice.pool] += static_cast<uint64_t>(item.bytes);
    const auto& capacity = pools_[choice.pool].capacity;
    if (capacity && state.used[choice.pool] > *capacity) return;
    for (const uint32_t n : nogoods_of_[number]) {
      if (nogoods_[n].pool != choice.pool) state.is_within[n] = false;
      if (state.is_within[n] && nogoods_[n].items.back() == number) return;
    }
    state.live.push_back(choice.pool);
    state.cost += choice.cost;
    const auto [entry, is_new] =
        known->try_emplace(KeyOf(state), static_cast<uint32_t>(next->size()));
    if (is_new) {
      state.ways = {{from, choice.pool}};
      next->push_back(std::move(state));
      return;
    }
    State& there = (*next)[entry->second];
    if (state.cost > there.cost) return;
    if (state.cost < there.cost) there.ways.clear();
    there.cost = state.cost;
    there.ways.push_back({from, choice.pool});
  }

  static std::string KeyOf(const State& state) {
    std::string key;
    for (const uint32_t pool : state.live) {
      key.append(reinterpret_cast<const char*>(&pool), sizeof(pool));
    }
    for (const bool within : state.is_within) key.push_back(within ? 1 : 0);
    return key;
  }

  void KeepCheapest(std::vector<State>* states) {
    std::stable_sort(
        states->begin(), states->end(),
        [](const State& a, const State& b) { return a.cost < b.cost; });
    states->resize(std::min(limits_.states, kStatesBeyond));
    found_.is_exact = false;
    found_.is_all = false;
  }

  // Collects the selections of least cost, by following all transitions that
  // lead to them.
  void Collect() {
    found_.cost = ~uint64_t{0};
    for (const State& state : states_) {
      found_.cost = std::min(found_.cost, state.cost);
    }
    for (uint32_t s = 0; s < states_.size(); ++s) {
      if (states_[s].cost == found_.cost) FollowAll(s);
    }
  }

  // Follows all transitions back from a final state, depth first.
  void FollowAll(uint32_t last) {
    const size_t count = items_.size();
    std::vector<uint32_t> pools(count);
    std::vector<uint32_t> state(count + 1, last);  // by number of items
    std::vector<uint32_t> next_way(count + 1, 0);
    for (size_t layer = count;;) {
      if (found_.selections.size() >= limits_.selections) {
        found_.is_all = false;
        return;
      }
      if (layer == 0) found_.selections.push_back(pools);
      const Span<const Way> ways =
          layer == 0 ? Span<const Way>() : ways_[layer - 1].Of(state[layer]);
      if (next_way[layer] == ways.size()) {
        if (layer == count) return;
        next_way[layer++] = 0;
        continue;
      }
      const Way way = ways[next_way[layer]++];
      pools[--layer] = way.pool;
      state[layer] = way.from;
    }
  }

  Span<const PoolItem> items_;
  Span<const MemoryPool> pools_;
  Span<const Nogood> nogoods_;
  const PoolLimits& limits_;
  std::vector<std::vector<uint32_t>> nogoods_of_;  // by item
  std::vector<uint32_t> live_;                     // items; State::live has
                                                   // their pools
  std::vector<State> states_;                      // after the items so far
  std::vector<Ways> ways_;                         // by item
  PoolSelections found_;
};

}  // namespace

namespace {

// Returns how many items are visited if one state is carried through all items.
uint64_t ChecksOfState(Span<const PoolItem> items) {
  std::vector<uint32_t> ends;
  for (const PoolItem& item : items) ends.push_back(item.end);
  std::sort(ends.begin(), ends.end());
  uint64_t checks = 0;
  size_t ended = 0;
  for (size_t k = 0; k < items.size(); ++k) {
    while (ended < k && ends[ended] <= items[k].begin) ++ended;
    checks += (k - ended) + 1;
  }
  return checks;
}

// Returns the selection that SelectFirstFit finds, if any. Other selections may
// exist.
PoolSelections FirstFitOf(Span<const PoolItem> items,
                          Span<const MemoryPool> pools,
                          Span<const Nogood> nogoods) {
  PoolSelections found;
  found.is_exact = false;
  found.is_all = false;
  auto first = SelectFirstFit(items, pools, nogoods);
  if (!first) return found;
  found.is_exact = true;
  for (size_t k = 0; k < items.size(); ++k) {
    for (const PoolChoice& choice : items[k].choices) {
      if (choice.pool == (*first)[k]) {
        found.cost += choice.cost;
        // The selection is exact if every item has its cheapest choice.
        found.is_exact &= choice.cost == items[k].choices.front().cost;
      }
    }
  }
  found.selections.push_back(*std::move(first));
  return found;
}

}  // namespace

PoolSelections SelectPools(Span<const PoolItem> items,
                           Span<const MemoryPool> pools,
                           Span<const Nogood> nogoods,
                           const PoolLimits& limits) {
  if (items.size() > kManyItems) {
    PoolSelections first = FirstFitOf(items, pools, nogoods);
    if (first.is_exact) return first;
  }
  const uint64_t checks = ChecksOfState(items);
  PoolLimits affordable = limits;
  if (checks > 0) {
    affordable.states =
        std::min<size_t>(affordable.states, kMaxChecksInSelection / checks);
  }
  if (items.size() > kManyItems) {
    affordable.states =
        std::min(affordable.states, kMaxStatesOfMany / items.size());
  }
  if (affordable.states > 0) {
    return Selecting(items, pools, nogoods, affordable).Run();
  }
  return FirstFitOf(items, pools, nogoods);
}

optional<std::vector<uint32_t>> SelectFirstFit(Span<const PoolItem> items,
                                               Span<const MemoryPool> pools,
                                               Span<const Nogood> nogoods) {
  std::vector<uint32_t> selection(items.size());
  std::vector<uint64_t> used(pools.size(), 0);
  // Says for each nogood how many of its items are in its pool so far.
  std::vector<size_t> within(nogoods.size(), 0);
  std::vector<std::vector<uint32_t>> nogoods_of(items.size());
  for (uint32_t n = 0; n < nogoods.size(); ++n) {
    for (const uint32_t item : nogoods[n].items) nogoods_of[item].push_back(n);
  }
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
          if (capacity && used[choice.pool] + bytes > *capacity) return false;
          return std::none_of(nogoods_of[k].begin(), nogoods_of[k].end(),
                              [&](uint32_t n) {
                                return nogoods[n].pool == choice.pool &&
                                       within[n] + 1 == nogoods[n].items.size();
                              });
        });
    if (fitting == choices.end()) return nullopt;
    selection[k] = fitting->pool;
    used[fitting->pool] += bytes;
    live.emplace(items[k].end, k);
    for (const uint32_t n : nogoods_of[k]) {
      if (nogoods[n].pool == fitting->pool) ++within[n];
    }
  }
  return selection;
}

namespace {

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
  // The items with the least cost per byte move first. The last item that moves
  // may move in part.
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
// at all steps. The bound allows an item to leave in part.
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

// Returns the largest of the lower bounds of the cost that follow from single
// steps.
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
    // The set of live items only grows until an item ends. Steps before the
    // next end are therefore skipped.
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
