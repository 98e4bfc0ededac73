// SPDX-License-Identifier: Apache-2.0
// The tools of OPTIMAL for packings of any size, compared with plain forms.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "optimal/ejection_portfolio.h"
#include "optimal/ejection_search.h"
#include "optimal/neighbours.h"
#include "optimal/packing.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {
namespace {

using Manner = EjectionSearch::Manner;

Packing AnyPacking() {
  Packing packing;
  packing.steps = *rc::gen::inRange<uint32_t>(1, 60);
  const auto count = *rc::gen::inRange<size_t>(1, 80);
  for (size_t k = 0; k < count; ++k) {
    Item item;
    item.begin = *rc::gen::inRange<uint32_t>(0, packing.steps);
    item.end = item.begin +
               *rc::gen::inRange<uint32_t>(1, packing.steps - item.begin + 1);
    item.size = *rc::gen::inRange<Level>(1, 40);
    item.alignment = Level{1} << *rc::gen::inRange(0, 3);
    packing.items.push_back(item);
  }
  return packing;
}

bool Meet(const Item& a, const Item& b) {
  return a.begin < b.end && b.begin < a.end;
}

// All items on top of each other.
std::vector<Level> Stack(const Packing& packing) {
  std::vector<Level> levels;
  Level top = 0;
  for (const Item& item : packing.items) {
    levels.push_back(AlignLevel(top, item.alignment));
    top = levels.back() + item.size;
  }
  return levels;
}

bool IsPacking(const Packing& packing, const std::vector<Level>& levels) {
  for (size_t a = 0; a < levels.size(); ++a) {
    const Item& item = packing.items[a];
    if (levels[a] < 0 || levels[a] % item.alignment != 0) return false;
    for (size_t b = 0; b < a; ++b) {
      if (Meet(item, packing.items[b]) &&
          levels[a] < levels[b] + packing.items[b].size &&
          levels[b] < levels[a] + item.size) {
        return false;
      }
    }
  }
  return true;
}

RC_GTEST_PROP(Neighbours, AreAllThatShareAStep, ()) {
  const Packing packing = AnyPacking();
  const Neighbours neighbours(packing);
  for (uint32_t i = 0; i < packing.items.size(); ++i) {
    std::vector<uint32_t> expected;
    for (uint32_t j = 0; j < packing.items.size(); ++j) {
      if (i != j && Meet(packing.items[i], packing.items[j])) {
        expected.push_back(j);
      }
    }
    std::vector<uint32_t> found;
    neighbours.Of(i, &found);
    RC_ASSERT(neighbours.CountAtMost(i) >= found.size());
    std::sort(found.begin(), found.end());
    RC_ASSERT(found == expected);
  }
}

RC_GTEST_PROP(EjectionSearch, WhatFitsIsAPackingWithinTheCapacity, ()) {
  const Packing packing = AnyPacking();
  const Neighbours neighbours(packing);
  const std::vector<Level> start = Stack(packing);
  Level least = MaximumBreadth(packing);
  for (const Item& item : packing.items) least = std::max(least, item.size);
  const Level capacity =
      *rc::gen::inRange<Level>(least, TopOf(packing, start) + 1);
  const auto manner = *rc::gen::element(Manner::kLatest, Manner::kAny);
  EjectionSearch search(packing, neighbours, start, capacity, manner,
                        *rc::gen::inRange<uint64_t>(0, 1000));
  WorkLimit work(WorkLimit::kUnlimited);
  if (!search.Run(500, &work)) {
    RC_ASSERT(search.turns() == 500u);
    return;
  }
  RC_ASSERT(IsPacking(packing, search.levels()));
  RC_ASSERT(TopOf(packing, search.levels()) <= capacity);
}

// Twice the breadth is room enough for a gap to be found soon.
RC_GTEST_PROP(EjectionSearch, FitsWhereThereIsRoom, ()) {
  const Packing packing = AnyPacking();
  const Neighbours neighbours(packing);
  EjectionSearch search(packing, neighbours, Stack(packing),
                        3 * MaximumBreadth(packing), Manner::kLatest, 1);
  WorkLimit work(WorkLimit::kUnlimited);
  RC_ASSERT(search.Run(10000, &work));
}

// At the middle step everything is live, and the first two lie where the third
// has no gap, though there is room for all: one has to go first.
TEST(EjectionSearch, MakesRoom) {
  Packing packing;
  packing.steps = 3;
  packing.items = {{0, 2, 4, 1, 0}, {1, 3, 4, 1, 1}, {0, 3, 2, 1, 2}};
  const Neighbours neighbours(packing);
  for (const Manner manner : {Manner::kLatest, Manner::kAny}) {
    EjectionSearch search(packing, neighbours, {1, 5, 9}, 10, manner, 1);
    WorkLimit work(WorkLimit::kUnlimited);
    EXPECT_FALSE(search.fits());
    ASSERT_TRUE(search.Run(100, &work));
    EXPECT_TRUE(IsPacking(packing, search.levels()));
    EXPECT_EQ(TopOf(packing, search.levels()), 10);
  }
}

TEST(EjectionSearch, StopsWithoutWork) {
  Packing packing;
  packing.steps = 1;
  packing.items = {{0, 1, 4, 1, 0}, {0, 1, 4, 1, 1}};
  const Neighbours neighbours(packing);
  EjectionSearch search(packing, neighbours, {0, 4}, 7, Manner::kAny, 1);
  WorkLimit work(5);
  EXPECT_FALSE(search.Run(1000, &work));
  EXPECT_LE(search.turns(), 5u);
}

RC_GTEST_PROP(EjectionPortfolio, IsTheSameOnAnyNumberOfThreads, ()) {
  const Packing packing = AnyPacking();
  Known start;
  start.lower = MaximumBreadth(packing);
  start.levels = Stack(packing);
  start.upper = TopOf(packing, start.levels);
  Limits limits;
  limits.nodes = 1000;
  const auto run = [&](size_t threads) {
    limits.threads = threads;
    EjectionPortfolio portfolio(packing, absl::nullopt, limits);
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
