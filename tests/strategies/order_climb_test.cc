// SPDX-License-Identifier: Apache-2.0
// The climbs of OPTIMAL through orders.
#include "optimal/order_climb.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "optimal/climb_portfolio.h"
#include "optimal/limits.h"
#include "optimal/packing.h"
#include "optimal/search_tuning.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "src/core/random.h"
#include "src/core/work_limit.h"
#include "tests/strategies/packings.h"

namespace stowage::optimal {
namespace {

// Cuts a rectangle into so many items at random, which fill it.
Packing CutPacking(uint64_t seed, uint32_t steps, Level height, size_t items) {
  struct Piece {
    uint32_t begin, end;
    Level bottom, top;
  };
  Random random(seed);
  std::vector<Piece> pieces = {{0, steps, 0, height}};
  while (pieces.size() < items) {
    const size_t k = random.Below(pieces.size());
    Piece rest = pieces[k];
    if (random.Below(2) == 0 && rest.end - rest.begin > 1) {
      const uint32_t length = rest.end - rest.begin - 1;
      rest.begin += 1 + static_cast<uint32_t>(random.Below(length));
      pieces[k].end = rest.begin;
    } else if (rest.top - rest.bottom > 1) {
      const auto depth = static_cast<uint64_t>(rest.top - rest.bottom - 1);
      rest.bottom += 1 + static_cast<Level>(random.Below(depth));
      pieces[k].top = rest.bottom;
    } else {
      continue;
    }
    pieces.push_back(rest);
  }
  Packing packing;
  packing.steps = steps;
  for (const Piece& piece : pieces) {
    Item item;
    item.begin = piece.begin;
    item.end = piece.end;
    item.size = piece.top - piece.bottom;
    item.lifetime = item.end - item.begin;
    item.record = static_cast<uint32_t>(packing.items.size());
    packing.items.push_back(item);
  }
  return packing;
}

RC_GTEST_PROP(OrderClimb, WhatFitsIsAPackingWithinTheCapacity, ()) {
  const Packing packing = AnyPacking();
  const Level capacity =
      MaximumBreadth(packing) + *rc::gen::inRange<Level>(0, 100);
  OrderClimb climb(packing, *rc::gen::arbitrary<bool>(),
                   *rc::gen::arbitrary<uint64_t>(), ClimbTuning());
  WorkLimit work(WorkLimit::kUnlimited);
  const auto nodes = *rc::gen::inRange<uint64_t>(0, 2000);
  const bool fits = climb.Run(capacity, nodes, &work);
  RC_ASSERT(climb.nodes() <= nodes);
  if (!fits) return;
  RC_ASSERT(IsPacking(packing, climb.levels()));
  RC_ASSERT(TopOf(packing, climb.levels()) <= capacity);
}

// How much the best order has left to place after each of so many tries.
std::vector<absl::uint128> LeftByTry(const ClimbTuning& tuning) {
  const Packing packing = CutPacking(1, 60, 400, 400);
  OrderClimb climb(packing, true, 1, tuning);
  WorkLimit work(WorkLimit::kUnlimited);
  std::vector<absl::uint128> left;
  for (int k = 0; k < 60; ++k) {
    EXPECT_FALSE(climb.Run(400, packing.items.size(), &work));
    left.push_back(climb.least_left().value_or(absl::Uint128Max()));
  }
  return left;
}

TEST(OrderClimb, KeepsTheOrderThatLeavesTheLeast) {
  const std::vector<absl::uint128> left = LeftByTry(ClimbTuning());
  EXPECT_TRUE(std::is_sorted(left.rbegin(), left.rend()));
  EXPECT_LT(left.back(), left.front());
  EXPECT_GT(left.back(), 0u);
}

TEST(OrderClimb, BeginsAnewAfterTriesInVain) {
  ClimbTuning tuning;
  tuning.patience = 3;
  const std::vector<absl::uint128> left = LeftByTry(tuning);
  EXPECT_FALSE(std::is_sorted(left.rbegin(), left.rend()));
}

TEST(OrderClimb, ForgetsWhatWasLeftAtAnotherCapacity) {
  const Packing packing = CutPacking(1, 60, 400, 400);
  OrderClimb climb(packing, true, 1, ClimbTuning());
  WorkLimit work(WorkLimit::kUnlimited);
  EXPECT_FALSE(climb.Run(401, 10, &work));
  EXPECT_TRUE(climb.least_left().has_value());
  EXPECT_FALSE(climb.Run(400, 0, &work));
  EXPECT_FALSE(climb.least_left().has_value());
}

TEST(OrderClimb, StopsWithoutWork) {
  const Packing packing = CutPacking(1, 10, 50, 30);
  OrderClimb climb(packing, false, 1, ClimbTuning());
  WorkLimit none(0);
  EXPECT_FALSE(climb.Run(50, 1000, &none));
  EXPECT_EQ(climb.tries(), 0u);
  WorkLimit work(WorkLimit::kUnlimited);
  EXPECT_FALSE(climb.Run(50, 0, &work));
  EXPECT_EQ(climb.nodes(), 0u);
}

TEST(OrderClimb, RestsWhereNothingCanFit) {
  Packing packing;
  packing.steps = 1;
  packing.items = {{0, 1, 4, 1, 0}, {0, 1, 4, 1, 1}};
  OrderClimb climb(packing, false, 1, ClimbTuning());
  WorkLimit work(WorkLimit::kUnlimited);
  EXPECT_FALSE(climb.Run(7, 1000, &work));
  const uint64_t tries = climb.tries();
  EXPECT_EQ(tries, 1u);
  EXPECT_FALSE(climb.Run(7, 1000, &work));
  EXPECT_FALSE(climb.Run(6, 1000, &work));
  EXPECT_EQ(climb.tries(), tries);
  EXPECT_TRUE(climb.Run(8, 1000, &work));
}

TEST(OrderClimb, HasNothingToDoAmongFixedItems) {
  Packing packing;
  packing.steps = 1;
  packing.items = {{0, 1, 4, 1, 0, 2}};
  OrderClimb climb(packing, false, 1, ClimbTuning());
  WorkLimit work(WorkLimit::kUnlimited);
  EXPECT_FALSE(climb.Run(6, 1000, &work));
  EXPECT_EQ(climb.nodes(), 0u);
}

TEST(OrderClimb, DependsOnItsSeedAlone) {
  const Packing packing = CutPacking(2, 40, 400, 120);
  const auto levels = [&](uint64_t seed) {
    OrderClimb climb(packing, true, seed, ClimbTuning());
    WorkLimit work(WorkLimit::kUnlimited);
    EXPECT_TRUE(climb.Run(500, 100000, &work));
    return climb.levels();
  };
  EXPECT_EQ(levels(1), levels(1));
  EXPECT_NE(levels(1), levels(2));
}

struct Started {
  Packing packing;
  Known known;
};

Started AnyStart() {
  Started start;
  start.packing = AnyPacking();
  start.known.lower = MaximumBreadth(start.packing);
  start.known.levels = StackLevels(start.packing);
  start.known.upper = TopOf(start.packing, start.known.levels);
  return start;
}

RC_GTEST_PROP(ClimbPortfolio, IsTheSameOnAnyNumberOfThreads, ()) {
  const Started start = AnyStart();
  Limits limits;
  limits.seed = *rc::gen::arbitrary<uint64_t>();
  const auto run = [&](size_t threads) {
    limits.threads = threads;
    ClimbPortfolio portfolio(start.packing, absl::nullopt, limits);
    Known known = start.known;
    for (int round = 0; round < 3; ++round) portfolio.Round(300, &known);
    return known;
  };
  const Known one = run(1);
  RC_ASSERT(one.levels == run(3).levels);
  RC_ASSERT(one.lower == start.known.lower);
  RC_ASSERT(one.upper <= start.known.upper);
  RC_ASSERT(one.upper == TopOf(start.packing, one.levels));
  RC_ASSERT(IsPacking(start.packing, one.levels));
}

RC_GTEST_PROP(ClimbPortfolio, CountsItsNodes, ()) {
  const Started start = AnyStart();
  ClimbPortfolio portfolio(start.packing, absl::nullopt, Limits());
  Known known = start.known;
  const auto each = *rc::gen::inRange<uint64_t>(0, 500);
  RC_ASSERT(portfolio.Round(each, &known) <= each * ClimbPortfolio::kClimbs);
}

TEST(ClimbPortfolio, AsksNothingButTheCapacityIfThereIsOne) {
  const Packing packing = CutPacking(3, 20, 100, 40);
  Known known;
  known.lower = 100;
  known.levels = StackLevels(packing);
  known.upper = TopOf(packing, known.levels);
  const Level stack = known.upper;
  ClimbPortfolio decides(packing, Level{130}, Limits());
  decides.Round(10000, &known);
  EXPECT_LT(known.upper, stack);
  EXPECT_LE(known.upper, 130);
  EXPECT_EQ(decides.FoundBy(1024), "climb of orders (capacity 133120, try 1)");
  const uint64_t after = decides.Round(10000, &known);
  EXPECT_EQ(after, 0u) << "it is decided";
}

}  // namespace
}  // namespace stowage::optimal
