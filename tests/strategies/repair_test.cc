// SPDX-License-Identifier: Apache-2.0
// Compares the searches of OPTIMAL that repair packings, and the data
// structures of these searches, with plain implementations.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "optimal/exact/packing.h"
#include "optimal/repair/cost_map.h"
#include "optimal/repair/ejection_search.h"
#include "optimal/repair/neighbours.h"
#include "optimal/repair/overlap_pairs.h"
#include "optimal/repair/overlap_place.h"
#include "optimal/repair/overlap_search.h"
#include "optimal/repair/overlap_sweep.h"
#include "optimal/repair/repair_portfolio.h"
#include "optimal/repair/repair_search.h"
#include "optimal/repair/sorted_edges.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "src/base/work_limit.h"
#include "tests/strategies/packings.h"

namespace stowage::optimal {
namespace {

using Manner = EjectionSearch::Manner;

// Returns all other items that share a step with `item`, in the order of the
// packing.
std::vector<uint32_t> SharingAStepWith(uint32_t item, const Packing& packing) {
  std::vector<uint32_t> others;
  for (uint32_t k = 0; k < packing.items.size(); ++k) {
    if (k != item && Overlap(packing.items[item], packing.items[k])) {
      others.push_back(k);
    }
  }
  return others;
}

RC_GTEST_PROP(Neighbours, AreAllThatShareAStep, ()) {
  const Packing packing = AnyPacking();
  const Neighbours neighbours(packing);
  for (uint32_t i = 0; i < packing.items.size(); ++i) {
    std::vector<uint32_t> found;
    neighbours.Of(i, &found);
    RC_ASSERT(neighbours.CountAtMost(i) >= found.size());
    std::sort(found.begin(), found.end());
    RC_ASSERT(found == SharingAStepWith(i, packing));
  }
}

OverlapPairs AllPairs(const Packing& packing) {
  return *OverlapPairs::Make(packing, Neighbours(packing), size_t{1} << 20);
}

// Holds one search of each kind that repairs packings. All searches have the
// same packing and capacity.
struct Repairs {
  Repairs(const Packing& packing, const std::vector<Level>& start,
          Level capacity, uint64_t seed)
      : neighbours(packing), pairs(AllPairs(packing)) {
    for (const Manner manner : {Manner::kLatest, Manner::kAny}) {
      searches.push_back(std::make_unique<EjectionSearch>(
          packing, neighbours, start, capacity, manner, seed));
    }
    searches.push_back(
        std::make_unique<OverlapSearch>(packing, pairs, start, capacity, seed));
  }

  const Neighbours neighbours;
  const OverlapPairs pairs;
  std::vector<std::unique_ptr<RepairSearch>> searches;
};

RC_GTEST_PROP(RepairSearch, WhatFitsIsAPackingWithinTheCapacity, ()) {
  const Packing packing = AnyPacking();
  const std::vector<Level> start = StackLevels(packing);
  const Level capacity = *rc::gen::inRange<Level>(LowerBoundOf(packing),
                                                  TopOf(packing, start) + 1);
  const auto seed = *rc::gen::inRange<uint64_t>(0, 1000);
  const Repairs repairs(packing, start, capacity, seed);
  for (const auto& search : repairs.searches) {
    WorkLimit work(WorkLimit::kUnlimited);
    if (!search->Run(500, &work)) {
      RC_ASSERT(search->iterations() == 500u);
      continue;
    }
    RC_ASSERT(IsPacking(packing, search->levels()));
    RC_ASSERT(TopOf(packing, search->levels()) <= capacity);
  }
}

// With a capacity of three times the breadth, a gap is found quickly.
RC_GTEST_PROP(RepairSearch, FitsWhereThereIsRoom, ()) {
  const Packing packing = AnyPacking();
  const Repairs repairs(packing, StackLevels(packing),
                        3 * MaximumBreadth(packing), 1);
  for (const auto& search : repairs.searches) {
    WorkLimit work(WorkLimit::kUnlimited);
    RC_ASSERT(search->Run(10000, &work));
  }
}

// All items are live at the middle step, where there is room for all of them.
// However, the first two items leave no gap that is large enough for the third,
// so one of them must be moved.
TEST(RepairSearch, MakesRoom) {
  Packing packing;
  packing.steps = 3;
  packing.items = {{0, 2, 4, 1, 0}, {1, 3, 4, 1, 1}, {0, 3, 2, 1, 2}};
  const Repairs repairs(packing, {1, 5, 9}, 10, 1);
  for (const auto& search : repairs.searches) {
    WorkLimit work(WorkLimit::kUnlimited);
    EXPECT_FALSE(search->fits());
    ASSERT_TRUE(search->Run(100, &work));
    EXPECT_TRUE(IsPacking(packing, search->levels()));
    EXPECT_EQ(TopOf(packing, search->levels()), 10);
  }
}

TEST(RepairSearch, StopsWithoutWork) {
  Packing packing;
  packing.steps = 1;
  packing.items = {{0, 1, 4, 1, 0}, {0, 1, 4, 1, 1}};
  const Repairs repairs(packing, {0, 4}, 7, 1);
  for (const auto& search : repairs.searches) {
    WorkLimit work(5);
    EXPECT_FALSE(search->Run(1000, &work));
    EXPECT_LE(search->iterations(), 5u);
  }
}

RC_GTEST_PROP(OverlapPairs, AreAllThatShareAStepFromBothSides, ()) {
  const Packing packing = AnyPacking();
  const OverlapPairs pairs = AllPairs(packing);
  size_t sides = 0;
  for (uint32_t i = 0; i < packing.items.size(); ++i) {
    std::vector<uint32_t> found;
    for (size_t side = pairs.SidesBegin(i); side < pairs.SidesEnd(i); ++side) {
      found.push_back(pairs[side].other);
      const OverlapPairs::Side& mirror = pairs[pairs[side].mirror];
      RC_ASSERT(mirror.other == i);
      RC_ASSERT(mirror.mirror == side);
    }
    RC_ASSERT(found == SharingAStepWith(i, packing));
    sides += found.size();
  }
  RC_ASSERT(pairs.size() == sides);
}

TEST(OverlapPairs, AreNotMadeWhereThereAreTooMany) {
  Packing packing;
  packing.steps = 1;
  packing.items = {{0, 1, 4, 1, 0}, {0, 1, 4, 1, 1}, {0, 1, 4, 1, 2}};
  const Neighbours neighbours(packing);
  EXPECT_TRUE(OverlapPairs::Make(packing, neighbours, 9).has_value());
  EXPECT_FALSE(OverlapPairs::Make(packing, neighbours, 5).has_value());
  EXPECT_FALSE(OverlapPairs::Make(packing, neighbours, 0).has_value());
}

TEST(OverlapPairs, AreNotMadeForAnItemWithTooManyToAddTheirCosts) {
  Packing packing;
  packing.steps = OverlapPairs::kMaxOfAnItem + 1;
  for (uint32_t step = 0; step < packing.steps; ++step) {
    packing.items.push_back({step, step + 1, 4, 1, step});
  }
  EXPECT_TRUE(OverlapPairs::Make(packing, Neighbours(packing), 1 << 20));
  packing.items.push_back({0, packing.steps, 4, 1, packing.steps});
  EXPECT_FALSE(OverlapPairs::Make(packing, Neighbours(packing), 1 << 20));
}

// Moves edges and marks some of them. The sums over the marked edges must then
// equal the sums computed by a plain loop.
RC_GTEST_PROP(SortedEdges, SumWhatIsMarkedFromTheLowest, ()) {
  const auto count = *rc::gen::inRange<uint32_t>(1, 150);
  const auto any_level = rc::gen::inRange<Level>(0, 40);
  auto levels = *rc::gen::container<std::vector<Level>>(count, any_level);
  SortedEdges edges(levels);
  for (int moves = *rc::gen::inRange(0, 30); moves > 0; --moves) {
    const auto item = *rc::gen::inRange<uint32_t>(0, count);
    levels[item] = *any_level;
    edges.Move(item, levels[item]);
  }
  std::vector<uint32_t> marked;
  for (uint32_t item = 0; item < count; ++item) {
    if (!*rc::gen::arbitrary<bool>()) continue;
    marked.push_back(item);
    edges.Mark(item, 7 + item);
  }
  std::stable_sort(marked.begin(), marked.end(), [&](uint32_t a, uint32_t b) {
    return levels[a] < levels[b];
  });
  const EdgeSum* sums =
      edges.SumMarked([](uint32_t side, uint64_t* touch, uint64_t* slope) {
        *touch = side;
        *slope = 3 * uint64_t{side};
      });
  EdgeSum expected = {0, 0, 0, 0};
  for (const uint32_t item : marked) {
    RC_ASSERT(sums->level == levels[item]);
    // Edges at the same level may be in any order, so sums are compared only at
    // the first edge of each level.
    if (sums->level > expected.level) {
      RC_ASSERT(sums->touch == expected.touch);
      RC_ASSERT(sums->slope == expected.slope);
      RC_ASSERT(sums->moment == expected.moment);
    }
    expected.level = levels[item];
    expected.touch += 7 + item;
    expected.slope += 3 * uint64_t{7 + item};
    expected.moment +=
        3 * uint64_t{7 + item} * static_cast<uint64_t>(levels[item]);
    ++sums;
  }
  RC_ASSERT(sums->level == SortedEdges::kNoEdge);
  RC_ASSERT(sums->touch == expected.touch);
  RC_ASSERT(sums->slope == expected.slope);
  RC_ASSERT(sums->moment == expected.moment);
  RC_ASSERT(edges.SumMarked([](uint32_t, uint64_t*, uint64_t*) {})->level ==
            SortedEdges::kNoEdge);
}

// Compares a cost map with a sweep. Both must list the same places with the
// same costs, for any other items. One map is used several times.
RC_GTEST_PROP(CostMap, ListsThePlacesOfASweep, ()) {
  const auto capacity = *rc::gen::inRange<Level>(40, 200);
  CostMap map(capacity);
  for (int rounds = 0; rounds < 3; ++rounds) {
    Item item;
    item.size = *rc::gen::inRange<Level>(1, 41);
    item.alignment = *rc::gen::inRange<Level>(1, 9);
    std::vector<Level> bottoms;
    std::vector<Level> tops;
    std::vector<uint64_t> costs;
    for (auto n = *rc::gen::inRange(0, 20); n > 0; --n) {
      const auto size = *rc::gen::inRange<Level>(1, 41);
      bottoms.push_back(*rc::gen::inRange<Level>(0, capacity - size + 1));
      tops.push_back(bottoms.back() + size);
      costs.push_back(*rc::gen::inRange<uint64_t>(1, 1000));
    }
    SortedEdges lower(bottoms);
    SortedEdges upper(tops);
    map.Begin(item);
    for (uint32_t k = 0; k < bottoms.size(); ++k) {
      map.Add(bottoms[k], tops[k], costs[k], 7 * costs[k]);
      lower.Mark(k, k);
      upper.Mark(k, k);
    }
    const auto cost_of = [&](uint32_t k, uint64_t* touch, uint64_t* slope) {
      *touch = costs[k];
      *slope = 7 * costs[k];
    };
    std::vector<OverlapPlace> swept;
    OverlapSweep(item, capacity, lower.SumMarked(cost_of),
                 upper.SumMarked(cost_of))
        .List(&swept);
    std::vector<OverlapPlace> mapped;
    map.List(&mapped);
    RC_ASSERT(mapped.size() == swept.size());
    for (size_t k = 0; k < swept.size(); ++k) {
      RC_ASSERT(mapped[k].level == swept[k].level);
      RC_ASSERT(mapped[k].cost == swept[k].cost);
    }
  }
}

// Computes the cost of each place by a plain sum over all other items. No place
// may cost less than the place chosen by the search.
RC_GTEST_PROP(OverlapSearch, MovesToNoPlaceThatCostsMoreThanAnother, ()) {
  Packing packing = AnyPacking();
  const std::vector<Level> start = StackLevels(packing);
  // The range must not be empty, even if the stack is no higher than the bound.
  const Level capacity = *rc::gen::inRange<Level>(LowerBoundOf(packing),
                                                  TopOf(packing, start) + 1);
  const OverlapPairs pairs = AllPairs(packing);
  OverlapSearch search(packing, pairs, start, capacity,
                       *rc::gen::inRange<uint64_t>(0, 1000));
  std::vector<Level> before = search.levels();
  WorkLimit work(WorkLimit::kUnlimited);
  search.Run(1, &work);
  const std::vector<Level>& after = search.levels();
  const auto cost = [&](size_t self, Level level) {
    double sum = 0;
    const Item& item = packing.items[self];
    for (size_t k = 0; k < before.size(); ++k) {
      const Item& other = packing.items[k];
      if (k == self || !Overlap(item, other)) continue;
      const Level depth = std::min(level + item.size, before[k] + other.size) -
                          std::max(level, before[k]);
      if (depth <= 0) continue;
      sum += static_cast<double>(OverlapTuning().touch) / 16 +
             static_cast<double>(depth) /
                 static_cast<double>(std::min(item.size, other.size));
    }
    return sum;
  };
  for (size_t k = 0; k < before.size(); ++k) {
    if (after[k] == before[k]) continue;
    const double chosen = cost(k, after[k]);
    for (Level level = 0; level + packing.items[k].size <= capacity;
         level += packing.items[k].alignment) {
      RC_ASSERT(chosen <= cost(k, level) + 1e-6);
    }
  }
}

// Returns a packing of two steps with a load of 12 each. Three items of size 1
// are live at both steps. The other items of each step fill the remaining 9
// units: 5 and 4 at the first step, and 3, 2, 3 and 1 at the second step. All
// items fit only if the second step also leaves free ranges of 5 and 4 units.
Packing TwoFullSteps() {
  Packing packing;
  packing.steps = 2;
  packing.items = {{0, 2, 1, 1, 0}, {0, 2, 1, 1, 1}, {0, 2, 1, 1, 2},
                   {0, 1, 5, 1, 3}, {0, 1, 4, 1, 4}, {1, 2, 3, 1, 5},
                   {1, 2, 2, 1, 6}, {1, 2, 3, 1, 7}, {1, 2, 1, 1, 8}};
  return packing;
}

// Runs the search with and without chains, from the same start and with the
// same seeds. Both searches succeed, and the search with chains needs fewer
// iterations.
TEST(OverlapSearch, NeedsFewerIterationsWithChains) {
  const Packing packing = TwoFullSteps();
  const OverlapPairs pairs = AllPairs(packing);
  OverlapTuning without;
  without.chain_starts = 0;
  uint64_t iterations_with = 0;
  uint64_t iterations_without = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    WorkLimit work(WorkLimit::kUnlimited);
    OverlapSearch chains(packing, pairs, StackLevels(packing), 12, seed);
    ASSERT_TRUE(chains.Run(100000, &work));
    EXPECT_TRUE(IsPacking(packing, chains.levels()));
    iterations_with += chains.iterations();
    OverlapSearch weights(packing, pairs, StackLevels(packing), 12, seed,
                          without);
    ASSERT_TRUE(weights.Run(100000, &work));
    iterations_without += weights.iterations();
  }
  EXPECT_LT(iterations_with, iterations_without);
}

// The iterations are run in random portions. A chain of moves that is
// incomplete at the end of a portion is undone, like a chain that gains
// nothing. Whenever the search reports that the levels fit, they must therefore
// be a packing.
RC_GTEST_PROP(OverlapSearch, EndsAfterAnyTurn, ()) {
  const Packing packing = AnyPacking();
  const OverlapPairs pairs = AllPairs(packing);
  OverlapSearch search(packing, pairs, StackLevels(packing),
                       MaximumBreadth(packing) + 8,
                       *rc::gen::inRange<uint64_t>(0, 1000));
  WorkLimit work(WorkLimit::kUnlimited);
  for (uint64_t iterations = 0; !search.fits() && iterations < 300;) {
    const auto more = *rc::gen::inRange<uint64_t>(1, 12);
    const uint64_t before = search.iterations();
    search.Run(more, &work);
    RC_ASSERT(search.fits() || search.iterations() == before + more);
    iterations += more;
  }
  if (search.fits()) RC_ASSERT(IsPacking(packing, search.levels()));
}

// The cost of an overlap is its depth on a scale with a fixed number of steps.
// Some sizes here far exceed this number, and others are a single unit.
TEST(OverlapSearch, AddsCostsOfAnySize) {
  constexpr Level kLarge = kMaxLevel / 4;
  Packing packing;
  packing.steps = 2;
  packing.items = {{0, 2, kLarge, 1, 0},
                   {0, 1, 1, 1, 1},
                   {0, 2, kLarge - 1, 1, 2},
                   {1, 2, 1, 1, 3}};
  const OverlapPairs pairs = AllPairs(packing);
  OverlapSearch search(packing, pairs, {0, 3, 5, 7}, 2 * kLarge, 1);
  WorkLimit work(WorkLimit::kUnlimited);
  ASSERT_TRUE(search.Run(10000, &work));
  EXPECT_TRUE(IsPacking(packing, search.levels()));
}

// The two items never fit together. The weight of their pair grows until all
// weights are halved, which happens many times.
TEST(OverlapSearch, GoesOnWhereNothingFits) {
  Packing packing;
  packing.steps = 1;
  packing.items = {{0, 1, 4, 1, 0}, {0, 1, 4, 1, 1}};
  const OverlapPairs pairs = AllPairs(packing);
  OverlapSearch search(packing, pairs, {0, 4}, 7, 1);
  WorkLimit work(WorkLimit::kUnlimited);
  EXPECT_FALSE(search.Run(100000, &work));
  EXPECT_EQ(search.iterations(), 100000u);
}

RC_GTEST_PROP(RepairPortfolio, IsTheSameOnAnyNumberOfThreads, ()) {
  const Packing packing = AnyPacking();
  const Known start = KnownStack(packing);
  Limits limits;
  limits.nodes = 1000;
  if (*rc::gen::arbitrary<bool>()) limits.tuning.overlap.max_sides = 0;
  const auto run = [&](size_t threads) {
    limits.threads = threads;
    RepairPortfolio portfolio(packing, absl::nullopt, limits);
    Known known = start;
    for (int round = 0; round < 4; ++round) portfolio.Round(20, &known);
    return known;
  };
  const Known one = run(1);
  RC_ASSERT(one.levels == run(3).levels);
  RC_ASSERT(one.upper <= start.upper);
  RC_ASSERT(one.upper == TopOf(packing, one.levels));
  RC_ASSERT(IsPacking(packing, one.levels));
}

}  // namespace
}  // namespace stowage::optimal
