// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/pool_selection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/bounds/pool_renaming.h"
#include "src/bounds/quick_selection.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::rigid {
namespace {

// The number of states to keep in a layer that has too many states, and in each
// later layer. The method is then a beam search.
constexpr size_t kStatesBeyond = 2048;
// The maximum number of visits to live items in all states together. This many
// visits take about a second.
constexpr uint64_t kMaxChecksInSelection = uint64_t{1} << 28;
// The number of visits between two checks of the signal.
constexpr uint64_t kVisitsPerPoll = uint64_t{1} << 14;
// With more than kManyItems items, the total number of states in all layers is
// limited to kMaxStatesOfMany. This limits the time to about a second.
constexpr size_t kManyItems = 256;
constexpr size_t kMaxStatesOfMany = size_t{1} << 21;

// A transition to a state: the index of a state in the previous layer, the pool
// of the added item in the names of that layer, and the renaming to the names
// of the next layer.
struct Way {
  uint32_t from = 0;
  uint32_t pool = 0;
  uint32_t renaming = 0;
};

// The size of a pool number in a key, in bytes.
constexpr size_t kPoolBytes = sizeof(uint32_t);
// The bytes of nogoods in a key: at least two of the items are in different
// pools; no item has been added yet. Other values are the rank of the pool of
// all added items in its class, plus 1.
constexpr char kBroken = '\0';
constexpr char kUnstarted = '\xff';
// Marks the end of a list of links.
constexpr uint32_t kNoLink = ~uint32_t{0};

// The part of a selection of pools for the first items that matters for the
// remaining items.
struct State {
  // The pools of the items that are still live, followed by one byte per
  // nogood.
  std::string key;
  uint64_t cost = 0;
  // The cheapest transitions to this state, each from a different state: the
  // first and the last link of a list.
  uint32_t first_link = kNoLink;
  uint32_t last_link = kNoLink;
};

struct Link {
  Way way;
  uint32_t next = kNoLink;
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
      : items_(items),
        pools_(pools),
        nogoods_(nogoods),
        limits_(limits),
        names_(limits.first_alike, pools.size()) {
    nogoods_of_.resize(items.size());
    for (uint32_t n = 0; n < nogoods.size(); ++n) {
      for (const uint32_t item : nogoods[n].items) {
        nogoods_of_[item].push_back(n);
      }
    }
  }

  PoolSelections Run() {
    State first;
    first.key.assign(nogoods_.size(), kUnstarted);
    states_.push_back(std::move(first));
    used_.assign(pools_.size(), 0);
    for (uint32_t item = 0; item < items_.size(); ++item) {
      if (!Add(item)) return std::move(found_);
    }
    Collect();
    return std::move(found_);
  }

 private:
  // A layer of states that is being built. A state owns nothing but its key,
  // because otherwise most of the time would be spent on allocating memory.
  struct NextLayer {
    std::vector<State> states;
    std::vector<uint64_t> used;  // bytes live, by state and pool
    std::vector<Link> links;
    flat_hash_map<std::string, uint32_t> known;  // states by key
  };

  // Adds `item` to the states, which gives the next layer. Returns false if
  // that layer has no states, or if the signal is set.
  bool Add(uint32_t item) {
    NextLayer next;
    std::vector<size_t> kept;  // positions in live_
    for (size_t k = 0; k < live_.size(); ++k) {
      if (!HasEnded(live_[k], item)) kept.push_back(k);
    }
    State base;
    std::vector<uint64_t> used;
    for (uint32_t from = 0; from < states_.size(); ++from) {
      if (found_.visits >= next_poll_) {
        next_poll_ = found_.visits + kVisitsPerPoll;
        if (limits_.stop.IsSet()) {
          found_.is_exact = false;
          return false;
        }
      }
      Forget(from, item, kept, &base, &used);
      if (names_.has_classes()) FindMentioned(kept.size(), base.key);
      for (const PoolChoice& choice : items_[item].choices) {
        // Tries only one of the interchangeable pools that the state does not
        // mention.
        if (names_.has_classes() && mentioned_[choice.pool] == 0) {
          char& is_tried = is_tried_[names_.FirstOf(choice.pool)];
          if (is_tried != 0) continue;
          is_tried = 1;
        }
        AddChoice(from, item, kept.size(), choice, used, &base, &next);
        // Renaming visits all pools and nogoods.
        if (names_.has_classes()) {
          found_.visits += pools_.size() + nogoods_.size();
        }
      }
      found_.visits += kept.size() + items_[item].choices.size();
    }
    std::vector<uint32_t> live;
    live.reserve(kept.size() + 1);
    for (const size_t k : kept) live.push_back(live_[k]);
    live.push_back(item);
    live_ = std::move(live);
    if (next.states.empty()) return false;
    KeepCheapest(&next);
    KeepWays(next);
    return true;
  }

  bool HasEnded(uint32_t other, uint32_t item) const {
    return items_[other].end <= items_[item].begin;
  }

  // Copies state `from` to `base` and `used`, without the items that have ended
  // when `item` begins. Reserves a place for the pool of `item` in the key.
  void Forget(uint32_t from, uint32_t item, const std::vector<size_t>& kept,
              State* base, std::vector<uint64_t>* used) const {
    const State& state = states_[from];
    const auto first =
        used_.begin() + static_cast<ptrdiff_t>(size_t{from} * pools_.size());
    used->assign(first, first + static_cast<ptrdiff_t>(pools_.size()));
    for (size_t k = 0; k < live_.size(); ++k) {
      if (!HasEnded(live_[k], item)) continue;
      (*used)[PoolAt(state.key, k)] -=
          static_cast<uint64_t>(items_[live_[k]].bytes);
    }
    base->key.clear();
    for (const size_t k : kept) {
      base->key.append(state.key, k * kPoolBytes, kPoolBytes);
    }
    base->key.append(kPoolBytes, '\0');
    base->key.append(state.key, live_.size() * kPoolBytes, std::string::npos);
    base->cost = state.cost;
  }

  static uint32_t PoolAt(const std::string& key, size_t place) {
    uint32_t pool = 0;
    std::memcpy(&pool, key.data() + place * kPoolBytes, kPoolBytes);
    return pool;
  }

  // Adds the state in which item `number` is in the chosen pool. Writes the
  // pool of the item to position `place` in the key of `base`.
  void AddChoice(uint32_t from, uint32_t number, size_t place,
                 const PoolChoice& choice, const std::vector<uint64_t>& used,
                 State* base, NextLayer* next) {
    const auto bytes = static_cast<uint64_t>(items_[number].bytes);
    const auto& capacity = pools_[choice.pool].capacity;
    if (capacity && used[choice.pool] + bytes > *capacity) return;
    std::string& key = base->key;
    std::memcpy(&key[place * kPoolBytes], &choice.pool, kPoolBytes);
    const std::string& before = states_[from].key;
    for (const uint32_t n : nogoods_of_[number]) {
      char& byte = key[(place + 1) * kPoolBytes + n];
      byte = NextByte(n, choice.pool, before[live_.size() * kPoolBytes + n]);
      if (byte != kBroken && nogoods_[n].items.back() == number) return;
    }
    const uint32_t renaming =
        names_.has_classes() ? Rename(place + 1, key, &renamed_) : 0;
    const uint64_t cost = base->cost + choice.cost;
    const auto [entry, is_new] =
        next->known.try_emplace(renaming == 0 ? key : renamed_,
                                static_cast<uint32_t>(next->states.size()));
    if (is_new) {
      next->states.push_back({entry->first, cost});
      const Span<const uint32_t> names = names_[renaming];
      const size_t first = next->used.size();
      next->used.resize(first + pools_.size());
      for (size_t p = 0; p < pools_.size(); ++p) {
        next->used[first + names[p]] = used[p];
      }
      next->used[first + names[choice.pool]] += bytes;
    }
    State& there = next->states[entry->second];
    if (cost > there.cost) return;
    if (cost < there.cost) there.first_link = there.last_link = kNoLink;
    there.cost = cost;
    AddLink({from, choice.pool, renaming}, &there, &next->links);
  }

  // Returns the byte of a nogood after one of its items has been added to the
  // pool.
  char NextByte(uint32_t n, uint32_t pool, char before) const {
    if (names_.FirstOf(pool) != names_.FirstOf(nogoods_[n].pool)) {
      return kBroken;
    }
    const auto rank = static_cast<char>(names_.RankOf(pool) + 1);
    return before == kUnstarted || before == rank ? rank : kBroken;
  }

  // Calls visit(pool) for each mention of a pool in a key with `live` live
  // items.
  template <typename Visit>
  void VisitMentions(size_t live, const std::string& key, Visit visit) const {
    for (size_t k = 0; k < live; ++k) visit(PoolAt(key, k));
    for (size_t n = 0; n < nogoods_.size(); ++n) {
      const char byte = key[live * kPoolBytes + n];
      if (byte == kBroken || byte == kUnstarted) continue;
      visit(names_.PoolAt(names_.FirstOf(nogoods_[n].pool),
                          static_cast<unsigned char>(byte) - 1U));
    }
  }

  // Sets mentioned_ to the pools that a key mentions. The last live item of the
  // key has no pool yet.
  void FindMentioned(size_t live, const std::string& key) {
    mentioned_.assign(pools_.size(), 0);
    is_tried_.assign(pools_.size(), 0);
    std::string kept = key.substr(0, live * kPoolBytes);
    kept.append(key, (live + 1) * kPoolBytes, std::string::npos);
    VisitMentions(live, kept, [&](uint32_t pool) { mentioned_[pool] = 1; });
  }

  // Renames the pools of a key in the order in which it mentions them. Returns
  // the number of the renaming.
  uint32_t Rename(size_t live, const std::string& key, std::string* renamed) {
    names_.Begin();
    VisitMentions(live, key, [&](uint32_t pool) { names_.Name(pool); });
    const uint32_t renaming = names_.Finish();
    if (renaming == 0) return 0;
    *renamed = key;
    const Span<const uint32_t> names = names_[renaming];
    for (size_t k = 0; k < live; ++k) {
      const uint32_t name = names[PoolAt(key, k)];
      std::memcpy(&(*renamed)[k * kPoolBytes], &name, kPoolBytes);
    }
    for (size_t n = 0; n < nogoods_.size(); ++n) {
      char& byte = (*renamed)[live * kPoolBytes + n];
      if (byte == kBroken || byte == kUnstarted) continue;
      const uint32_t pool =
          names_.PoolAt(names_.FirstOf(nogoods_[n].pool),
                        static_cast<unsigned char>(byte) - 1U);
      byte = static_cast<char>(names_.RankOf(names[pool]) + 1);
    }
    return renaming;
  }

  static void AddLink(Way way, State* state, std::vector<Link>* links) {
    const auto link = static_cast<uint32_t>(links->size());
    links->push_back({way, kNoLink});
    if (state->first_link == kNoLink) {
      state->first_link = link;
    } else {
      (*links)[state->last_link].next = link;
    }
    state->last_link = link;
  }

  // Makes `next` the current layer. If it has too many states, keeps only the
  // cheapest ones.
  void KeepCheapest(NextLayer* next) {
    std::vector<uint32_t> order(next->states.size());
    std::iota(order.begin(), order.end(), 0U);
    if (order.size() > limits_.states) {
      std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return next->states[a].cost < next->states[b].cost;
      });
      order.resize(std::min(limits_.states, kStatesBeyond));
      found_.is_exact = false;
      found_.is_all = false;
    }
    states_.clear();
    used_.clear();
    for (const uint32_t s : order) {
      states_.push_back(std::move(next->states[s]));
      const auto first = next->used.begin() +
                         static_cast<ptrdiff_t>(size_t{s} * pools_.size());
      used_.insert(used_.end(), first,
                   first + static_cast<ptrdiff_t>(pools_.size()));
    }
  }

  // Stores the transitions of a layer. Nothing else of the layer is needed
  // later.
  void KeepWays(const NextLayer& next) {
    Ways& ways = ways_.emplace_back();
    for (const State& state : states_) {
      for (uint32_t link = state.first_link; link != kNoLink;
           link = next.links[link].next) {
        ways.all.push_back(next.links[link].way);
      }
      ways.ends.push_back(static_cast<uint32_t>(ways.all.size()));
    }
  }

  // Collects the selections of minimum cost by following all transitions that
  // lead to them.
  void Collect() {
    found_.cost = ~uint64_t{0};
    found_.is_all = found_.is_all && !names_.has_classes();
    for (const State& state : states_) {
      found_.cost = std::min(found_.cost, state.cost);
    }
    for (uint32_t s = 0; s < states_.size(); ++s) {
      if (states_[s].cost == found_.cost) FollowAll(s);
    }
  }

  // Follows all transitions from a final state back to the first layer, depth
  // first.
  void FollowAll(uint32_t last) {
    const size_t count = items_.size();
    std::vector<uint32_t> pools(count);
    std::vector<uint32_t> state(count + 1, last);  // by number of items
    std::vector<uint32_t> next_way(count + 1, 0);
    // The pool that each name of a layer means in the selection. Empty if no
    // pools are renamed.
    std::vector<std::vector<uint32_t>> meaning;
    if (names_.has_classes()) {
      meaning.resize(count + 1);
      meaning[count].assign(names_[0].begin(), names_[0].end());
    }
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
      --layer;
      pools[layer] = way.pool;
      if (names_.has_classes()) {
        std::vector<uint32_t>& before = meaning[layer];
        before.clear();
        for (const uint32_t name : names_[way.renaming]) {
          before.push_back(meaning[layer + 1][name]);
        }
        pools[layer] = before[way.pool];
      }
      state[layer] = way.from;
    }
  }

  Span<const PoolItem> items_;
  Span<const MemoryPool> pools_;
  Span<const Nogood> nogoods_;
  const PoolLimits& limits_;
  PoolRenaming names_;
  uint64_t next_poll_ = 0;
  std::string renamed_;  // is scratch memory, like the two lists below
  std::vector<char> mentioned_;
  std::vector<char> is_tried_;
  std::vector<std::vector<uint32_t>> nogoods_of_;  // by item
  std::vector<uint32_t> live_;  // items, whose pools begin each State::key
  std::vector<State> states_;   // after the items so far
  std::vector<uint64_t> used_;  // bytes live, by state and pool
  std::vector<Ways> ways_;      // by item
  PoolSelections found_;
};

// Returns the number of visits to live items if each layer has a single state.
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

// Returns the selection that SelectFirstFit finds, if any. If it finds none,
// selections may still exist.
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

}  // namespace stowage::rigid
