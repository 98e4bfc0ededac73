// SPDX-License-Identifier: Apache-2.0
// Compares parts of the planning under constraints with simple code that tries
// all choices: the selection of pools by the bytes that are live together,
// heaviest antichains, and cliques.
#include "src/bounds/pool_selection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "src/base/antichain.h"
#include "src/bounds/bound_pool_cost.h"
#include "src/bounds/cliques.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/quick_selection.h"
#include "stowage/problem.h"

namespace stowage::rigid {
namespace {

struct SampledPools {
  std::vector<PoolItem> items;  // by first step
  std::vector<MemoryPool> pools;
  std::vector<Nogood> nogoods;
};

SampledPools SamplePools(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t limit) {
    return static_cast<uint32_t>(random() % limit);
  };
  SampledPools sampled;
  sampled.pools = {{"a", 4 + below(8)}, {"b", 6 + below(8)}, {"c", {}}};
  if (below(4) == 0) sampled.pools[2].capacity = 10;
  const uint32_t count = 1 + below(7);
  for (uint32_t k = 0; k < count; ++k) {
    PoolItem item;
    item.records = {k};
    item.begin = below(5);
    item.end = item.begin + 1 + below(3);
    item.bytes = below(6);
    for (uint32_t p = 0; p < 3; ++p) {
      if (below(4) > 0) item.choices.push_back({p, below(4)});
    }
    if (item.choices.empty()) item.choices.push_back({below(3), 1});
    std::stable_sort(item.choices.begin(), item.choices.end(),
                     [](const PoolChoice& a, const PoolChoice& b) {
                       return a.cost < b.cost;
                     });
    sampled.items.push_back(item);
  }
  std::stable_sort(
      sampled.items.begin(), sampled.items.end(),
      [](const PoolItem& a, const PoolItem& b) { return a.begin < b.begin; });
  // More than 16 nogoods need several bytes of a state.
  for (uint32_t n = seed % 4 == 0 ? 20 : below(4); n > 0; --n) {
    Nogood nogood;
    nogood.pool = below(3);
    for (uint32_t k = 0; k < count; ++k) {
      if (below(3) == 0) nogood.items.push_back(k);
    }
    if (!nogood.items.empty()) sampled.nogoods.push_back(nogood);
  }
  return sampled;
}

// Returns the cost of a selection of pools, one for each item, or nothing if
// the items do not fit in these pools.
absl::optional<uint64_t> CostOf(const SampledPools& sampled,
                                const std::vector<uint32_t>& pools) {
  uint64_t cost = 0;
  for (size_t k = 0; k < pools.size(); ++k) {
    const auto& choices = sampled.items[k].choices;
    const auto chosen = std::find_if(
        choices.begin(), choices.end(),
        [&](const auto& choice) { return choice.pool == pools[k]; });
    if (chosen == choices.end()) return absl::nullopt;
    cost += chosen->cost;
  }
  for (uint32_t step = 0; step < 10; ++step) {
    std::vector<size_t> used(sampled.pools.size(), 0);
    for (size_t k = 0; k < pools.size(); ++k) {
      const PoolItem& item = sampled.items[k];
      if (item.begin <= step && step < item.end) {
        used[pools[k]] += static_cast<size_t>(item.bytes);
      }
    }
    for (size_t p = 0; p < used.size(); ++p) {
      if (used[p] > sampled.pools[p].capacity.value_or(used[p])) {
        return absl::nullopt;
      }
    }
  }
  for (const Nogood& nogood : sampled.nogoods) {
    if (std::all_of(nogood.items.begin(), nogood.items.end(),
                    [&](uint32_t k) { return pools[k] == nogood.pool; })) {
      return absl::nullopt;
    }
  }
  return cost;
}

TEST(SelectPools, FindsAllSelectionsOfLeastCost) {
  for (uint32_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const SampledPools sampled = SamplePools(seed);
    absl::optional<uint64_t> least;
    std::set<std::vector<uint32_t>> best;
    std::vector<uint32_t> pools(sampled.items.size(), 0);
    for (size_t k = 0; k < pools.size();) {
      const auto cost = CostOf(sampled, pools);
      if (cost && (!least || *cost < *least)) {
        least = cost;
        best.clear();
      }
      if (cost && *cost == *least) best.insert(pools);
      for (k = 0; k < pools.size() && ++pools[k] == 3; ++k) pools[k] = 0;
    }
    const PoolSelections found =
        SelectPools(sampled.items, sampled.pools, sampled.nogoods, {});
    EXPECT_TRUE(found.is_exact);
    EXPECT_TRUE(found.is_all);
    EXPECT_EQ(std::set<std::vector<uint32_t>>(found.selections.begin(),
                                              found.selections.end()),
              best);
    for (const auto& select : {SelectFirstFit, SelectByDensity}) {
      const auto quick = select(sampled.items, sampled.pools, sampled.nogoods);
      if (!quick) continue;
      ASSERT_TRUE(CostOf(sampled, *quick).has_value());
      EXPECT_GE(*CostOf(sampled, *quick), *least);
    }
    if (!least) continue;
    EXPECT_EQ(found.cost, *least);
    EXPECT_EQ(found.selections.size(), best.size());
    EXPECT_LE(BoundPoolCost(sampled.items, sampled.pools), *least);
  }
}

// Makes the second pool and a fourth one copies of the first one, and every
// nogood of one of these pools a nogood of all of them.
SampledPools WithCopies(SampledPools sampled) {
  sampled.pools[1] = sampled.pools[0];
  sampled.pools.push_back(sampled.pools[0]);
  for (PoolItem& item : sampled.items) {
    std::vector<PoolChoice> choices;
    for (const PoolChoice& choice : item.choices) {
      if (choice.pool == 2) choices.push_back(choice);
      if (choice.pool != 0) continue;
      for (const uint32_t p : {0u, 1u, 3u}) choices.push_back({p, choice.cost});
    }
    if (choices.empty()) choices.push_back({2, 1});
    item.choices = choices;
  }
  std::vector<Nogood> nogoods;
  for (const Nogood& nogood : sampled.nogoods) {
    if (nogood.pool == 2) nogoods.push_back(nogood);
    if (nogood.pool != 0) continue;
    for (const uint32_t p : {0u, 1u, 3u}) nogoods.push_back({p, nogood.items});
  }
  sampled.nogoods = nogoods;
  return sampled;
}

// If pools are interchangeable, fewer selections are found, at the same cost,
// from a nogood for one of these pools alone.
TEST(SelectPools, NeedsOneNogoodForAllInterchangeablePools) {
  size_t with_nogoods = 0;
  size_t without_selection = 0;
  for (uint32_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const SampledPools sampled = WithCopies(SamplePools(seed));
    const PoolSelections all =
        SelectPools(sampled.items, sampled.pools, sampled.nogoods, {});
    std::vector<Nogood> nogoods;
    for (const Nogood& nogood : sampled.nogoods) {
      const uint32_t named = seed % 2 == 0 ? 0 : 3;
      if (nogood.pool == 2 || nogood.pool == named) nogoods.push_back(nogood);
    }
    PoolLimits limits;
    limits.first_alike = {0, 0, 2, 0};
    const PoolSelections found =
        SelectPools(sampled.items, sampled.pools, nogoods, limits);
    ASSERT_EQ(found.selections.empty(), all.selections.empty());
    EXPECT_TRUE(found.is_exact);
    EXPECT_LE(found.selections.size(), all.selections.size());
    with_nogoods += nogoods.empty() ? 0 : 1;
    if (found.selections.empty()) {
      ++without_selection;
      continue;
    }
    EXPECT_FALSE(found.is_all);
    EXPECT_EQ(found.cost, all.cost);
    for (const auto& pools : found.selections) {
      ASSERT_EQ(CostOf(sampled, pools), found.cost);
    }
  }
  EXPECT_GT(with_nogoods, 500u);
  EXPECT_GT(without_selection, 20u);
}

TEST(InterchangeablePools, HaveTheSameCapacityHolesAndChoices) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 1, 2}};
  Constraints& constraints = spec.constraints;
  constraints.pools = {{"a", 64}, {"b", 64}, {"c", 32}, {"d", 64},
                       {"e", 64}, {"f", 64}, {"g", 64}};
  for (const uint32_t pool : {3u, 5u}) {
    constraints.holes.push_back({0, 8, 0, 1, pool});
  }
  constraints.choices = {
      {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 2}, {5, 1}, {6, 2}},
      {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}};
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(InterchangeablePools(*problem, PoolItemsOf(*problem)),
            (std::vector<uint32_t>{0, 0, 2, 3, 4, 3, 6}));
}

// Two cheap items leave no room for a dear item that begins later.
TEST(SelectByDensity, PutsDearItemsFirst) {
  const std::vector<MemoryPool> pools = {{"fast", 10}, {"slow", {}}};
  std::vector<PoolItem> items(3);
  for (uint32_t k = 0; k < 3; ++k) {
    items[k].records = {k};
    items[k].begin = k;
    items[k].end = 4;
    items[k].bytes = 5;
    items[k].choices = {{0, 0}, {1, k < 2 ? 7u : 90u}};
  }
  EXPECT_EQ(*SelectFirstFit(items, pools, {}),
            (std::vector<uint32_t>{0, 0, 1}));
  // Item 1 costs as much as item 0 and is live for fewer steps.
  EXPECT_EQ(*SelectByDensity(items, pools, {}),
            (std::vector<uint32_t>{1, 0, 0}));
}

// The next pool of item 0 costs almost nothing more, although the last one is
// dear. Items that do not fit any capacity, whose sums would overflow, go to
// the pool without one.
TEST(SelectByDensity, ComparesTheNextPoolAndItsCapacity) {
  const std::vector<MemoryPool> pools = {
      {"fast", 5}, {"slow", {}}, {"remote", {}}};
  std::vector<PoolItem> items(4);
  for (uint32_t k = 0; k < 4; ++k) {
    items[k].records = {k};
    items[k].end = k == 3 ? 0 : 2;  // item 3 is on another stream
    items[k].bytes = k < 2 ? 5 : Level{1} << 62;
    items[k].choices = {{0, 0}, {1, k == 0 ? 1u : 9u}, {2, k == 0 ? 99u : 9u}};
  }
  EXPECT_EQ(*SelectByDensity(items, pools, {}),
            (std::vector<uint32_t>{1, 0, 1, 1}));
}

// If no selection of pools fits the items, ShrinkUnselectable removes some of
// the items. No selection may fit the kept items either, but removing any one
// of them must make a selection fit.
TEST(ShrinkUnselectable, LeavesOutWhatIsNotNeeded) {
  size_t unselectable = 0;
  for (uint32_t seed = 1; seed <= 1500; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const SampledPools sampled = SamplePools(seed);
    const auto found =
        SelectPools(sampled.items, sampled.pools, sampled.nogoods, {});
    if (!found.selections.empty()) continue;
    ++unselectable;
    const std::vector<uint32_t> kept =
        ShrinkUnselectable(sampled.items, sampled.pools, sampled.nogoods, {});
    ASSERT_FALSE(kept.empty());
    // Removes each kept item in turn and checks the others. The last iteration
    // checks all kept items.
    for (size_t without = 0; without <= kept.size(); ++without) {
      SampledPools some = sampled;
      some.items.clear();
      std::vector<uint32_t> rest = kept;
      if (without < kept.size()) {
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(without));
      }
      some.nogoods.clear();
      for (Nogood nogood : sampled.nogoods) {
        bool is_whole = true;
        for (uint32_t& item : nogood.items) {
          const auto place = std::find(rest.begin(), rest.end(), item);
          is_whole = is_whole && place != rest.end();
          item = static_cast<uint32_t>(place - rest.begin());
        }
        if (is_whole) some.nogoods.push_back(nogood);
      }
      for (const uint32_t item : rest) {
        some.items.push_back(sampled.items[item]);
      }
      const auto selected =
          SelectPools(some.items, some.pools, some.nogoods, {});
      EXPECT_EQ(selected.selections.empty(), without == kept.size());
    }
  }
  EXPECT_GT(unselectable, 20u);
}

// If the search may keep only few states, its selections still fit, but it does
// not claim that they are the best.
TEST(SelectPools, ClaimsNothingOnceStatesWereDropped) {
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    const SampledPools sampled = SamplePools(seed);
    PoolLimits limits;
    limits.states = 2;
    limits.selections = 1;
    const auto all =
        SelectPools(sampled.items, sampled.pools, sampled.nogoods, {});
    const auto found =
        SelectPools(sampled.items, sampled.pools, sampled.nogoods, limits);
    if (found.is_exact) {
      EXPECT_EQ(found.selections.empty(), all.selections.empty());
      continue;
    }
    for (const auto& pools : found.selections) {
      ASSERT_TRUE(CostOf(sampled, pools).has_value());
      EXPECT_GE(*CostOf(sampled, pools), all.cost);
    }
  }
}

TEST(FindHeaviestAntichain, WeighsWhatTheBestOfAllSubsetsDoes) {
  for (uint32_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    std::mt19937 random(seed);
    const auto count = static_cast<uint32_t>(1 + random() % 9);
    std::vector<std::vector<bool>> precedes(count,
                                            std::vector<bool>(count, false));
    for (uint32_t a = count; a-- > 0;) {
      for (uint32_t b = a + 1; b < count; ++b) {
        if (random() % 4 != 0) continue;
        precedes[a][b] = true;
        for (uint32_t c = b + 1; c < count; ++c) {
          if (precedes[b][c]) precedes[a][c] = true;
        }
      }
    }
    std::vector<int64_t> weights;
    std::vector<std::vector<uint32_t>> followers(count);
    for (uint32_t a = 0; a < count; ++a) {
      weights.push_back(static_cast<int64_t>(random() % 10));
      for (uint32_t b = 0; b < count; ++b) {
        if (precedes[a][b]) followers[a].push_back(b);
      }
    }
    const auto is_antichain = [&](const std::vector<uint32_t>& set) {
      for (const uint32_t a : set) {
        for (const uint32_t b : set) {
          if (precedes[a][b]) return false;
        }
      }
      return true;
    };
    const auto weigh = [&](const std::vector<uint32_t>& set) {
      int64_t weight = 0;
      for (const uint32_t a : set) weight += weights[a];
      return weight;
    };
    int64_t heaviest = 0;
    for (uint32_t bits = 0; bits < uint32_t{1} << count; ++bits) {
      std::vector<uint32_t> set;
      for (uint32_t a = 0; a < count; ++a) {
        if ((bits >> a & 1) != 0) set.push_back(a);
      }
      if (is_antichain(set)) heaviest = std::max(heaviest, weigh(set));
    }
    const auto found = FindHeaviestAntichain(weights, followers);
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(is_antichain(*found));
    EXPECT_EQ(weigh(*found), heaviest);
  }
}

TEST(GrowCliques, GivesPiecesThatConflictPairwise) {
  std::mt19937 random(7);
  ProblemSpec spec;
  for (size_t i = 0; i < 60; ++i) {
    const auto first = static_cast<TaskId>(random() % 20);
    spec.records.emplace_back(1 + random() % 9, first,
                              first + static_cast<TaskId>(random() % 6));
  }
  for (size_t i = 0; i + 1 < 60; i += 2) {
    spec.constraints.never.emplace_back(i, i + 1);
    spec.constraints.apart.push_back({i, (i * 7 + 9) % 60});
  }
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  std::vector<uint32_t> all(60);
  std::iota(all.begin(), all.end(), 0);
  const auto groups = RigidGroups::Make(*problem, all, 0);
  ASSERT_TRUE(groups.has_value());
  const Relation relation(*problem);
  WorkLimit work(WorkLimit::kUnlimited);
  const auto conflicts = ListConflicts(*groups, relation, 10000, &work);
  ASSERT_TRUE(conflicts.has_value());
  for (uint32_t a = 0; a < 60; ++a) {
    for (uint32_t b = 0; b < 60; ++b) {
      EXPECT_EQ(
          std::binary_search((*conflicts)[a].begin(), (*conflicts)[a].end(), b),
          a != b && relation.Conflict(a, b));
    }
  }
  const auto cliques = GrowCliques(*groups, relation, *conflicts, &work);
  EXPECT_FALSE(cliques.empty());
  for (const Clique& clique : cliques) {
    for (const uint32_t a : clique.records) {
      for (const uint32_t b : clique.records) {
        EXPECT_TRUE(a == b || relation.Conflict(a, b)) << a << " " << b;
      }
    }
  }
}

}  // namespace
}  // namespace stowage::rigid
