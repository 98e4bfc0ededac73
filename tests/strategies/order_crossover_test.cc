// SPDX-License-Identifier: Apache-2.0
// Tests orders that sort items by their lifetimes multiplied by factors: how
// much area each order leaves unplaced, and how two orders are combined.
#include "optimal/repair/order_crossover.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/numeric/int128.h"
#include "gtest/gtest.h"
#include "optimal/exact/packing.h"
#include "optimal/repair/lifetime_orders.h"
#include "optimal/repair/lowest_first.h"
#include "optimal/search_tuning.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "src/base/work_limit.h"
#include "tests/strategies/packings.h"

namespace stowage::optimal {
namespace {

// Returns three items with two different lifetimes and three different sizes,
// and a fixed item.
Packing SomeFixed() {
  return MakePacking(4, {{0, 1, 5, 1, 0, kUnplaced, 100},
                         {0, 1, 5, 1, 0, 0, 1000},
                         {1, 4, 7, 1, 0, kUnplaced, 300},
                         {1, 4, 9, 1, 0, kUnplaced, 300}});
}

TEST(LifetimeOrders, SortsByProductsThenBySizes) {
  struct Case {
    const char* what;
    LifetimeOrders::Factors factors;  // in order of falling size
    std::vector<uint32_t> sorted;
  };
  const Case cases[] = {
      {"equal factors leave lifetimes, ties the larger",
       {10, 10, 10},
       {3, 2, 0}},
      {"of two lifetimes the larger factor", {10, 11, 10}, {2, 3, 0}},
      {"a factor outweighs a lifetime", {10, 10, 31}, {0, 3, 2}},
      {"equal products, the larger", {10, 10, 30}, {3, 2, 0}},
  };
  LifetimeOrders orders(SomeFixed(), 1);
  ASSERT_EQ(orders.count(), 3u);
  for (const Case& c : cases) {
    EXPECT_EQ(orders.Sorted(c.factors), c.sorted) << c.what;
  }
}

TEST(LifetimeOrders, TakesTheLongestLifetimes) {
  Packing packing = SomeFixed();
  packing.items[0].lifetime = std::numeric_limits<uint64_t>::max();
  packing.items[2].lifetime = std::numeric_limits<uint64_t>::max() / 2;
  LifetimeOrders orders(packing, 1);
  EXPECT_EQ(orders.Sorted({600, 600, 400}), (std::vector<uint32_t>{0, 2, 3}));
  EXPECT_EQ(orders.Sorted({600, 600, 200}), (std::vector<uint32_t>{2, 0, 3}));
}

RC_GTEST_PROP(LifetimeOrders, SortsEveryItemOnce, ()) {
  const Packing packing = AnyPacking();
  LifetimeOrders orders(packing, *rc::gen::arbitrary<uint64_t>());
  std::vector<uint32_t> sorted = orders.Sorted(orders.Sample());
  std::sort(sorted.begin(), sorted.end());
  RC_ASSERT(sorted.size() == packing.items.size());
  for (uint32_t k = 0; k < sorted.size(); ++k) RC_ASSERT(sorted[k] == k);
}

RC_GTEST_PROP(LifetimeOrders, CrossesAndChangesFactors, ()) {
  const Packing packing = AnyPacking();
  LifetimeOrders orders(packing, *rc::gen::arbitrary<uint64_t>());
  const LifetimeOrders::Factors a = orders.Sample();
  const LifetimeOrders::Factors b = orders.Sample();
  const LifetimeOrders::Factors cross = orders.Cross(a, b);
  for (size_t k = 0; k < a.size(); ++k) {
    RC_ASSERT(a[k] >= 128 && a[k] <= 128 + 4 * 127);
    RC_ASSERT(cross[k] == a[k] || cross[k] == b[k]);
  }
  const auto changes = *rc::gen::inRange<uint64_t>(0, 5);
  LifetimeOrders::Factors changed = a;
  orders.Change(changes, &changed);
  size_t differ = 0;
  for (size_t k = 0; k < a.size(); ++k) differ += changed[k] != a[k] ? 1 : 0;
  RC_ASSERT(differ <= changes);
}

TEST(LifetimeOrders, TakesMostOfTheFirst) {
  const Packing packing = CutPacking(1, 60, 400, 400);
  LifetimeOrders orders(packing, 1);
  const LifetimeOrders::Factors first(400, 200);
  const LifetimeOrders::Factors others(400, 300);
  const LifetimeOrders::Factors cross = orders.Cross(first, others);
  const auto max = std::count(cross.begin(), cross.end(), 200);
  EXPECT_GT(max, 240);
  EXPECT_LT(max, 320);
}

// Returns the area of the items that do not fit if the items are placed in
// `order`. Follows the definition of LowestFirst literally, item by item.
absl::uint128 PlainLeft(const Packing& packing, std::vector<uint32_t> order,
                        Level capacity) {
  std::vector<Level> floors(packing.items.size(), 0);
  absl::uint128 left = 0;
  while (!order.empty()) {
    const auto lowest = std::min_element(
        order.begin(), order.end(),
        [&](uint32_t a, uint32_t b) { return floors[a] < floors[b]; });
    const Item& placed = packing.items[*lowest];
    const Level top = floors[*lowest] + placed.size;
    order.erase(lowest);
    if (top > capacity) {
      left += AreaOf(placed);
      continue;
    }
    for (const uint32_t i : order) {
      if (Overlap(placed, packing.items[i])) {
        floors[i] = std::max(floors[i], top);
      }
    }
  }
  return left;
}

Packing AnyPlainPacking() {
  Packing packing = AnyPacking();
  for (Item& item : packing.items) item.alignment = 1;
  return packing;
}

RC_GTEST_PROP(LowestFirst, LeavesWhatEndsAboveTheCapacity, ()) {
  const Packing packing = AnyPlainPacking();
  const Level capacity =
      MaximumBreadth(packing) + *rc::gen::inRange<Level>(-50, 50);
  LifetimeOrders orders(packing, *rc::gen::arbitrary<uint64_t>());
  LowestFirst lowest_first(packing);
  RC_ASSERT(LowestFirst::Takes(packing, capacity));
  for (int k = 0; k < 2; ++k) {
    const std::vector<uint32_t> order = orders.Sorted(orders.Sample());
    RC_ASSERT(lowest_first.Left(order, capacity) ==
              PlainLeft(packing, order, capacity));
  }
}

TEST(LowestFirst, TakesWhatFits16Bits) {
  const Level max = std::numeric_limits<int16_t>::max() - 1;
  struct Case {
    const char* what;
    Packing packing;
    Level capacity;
    bool takes;
  };
  const Case cases[] = {
      {"nothing", MakePacking(0, {}), 10, true},
      {"the highest level", MakePacking(1, {{0, 1, max}}), max, true},
      {"a level more", MakePacking(1, {{0, 1, max}}), max + 1, false},
      {"a size above the capacity", MakePacking(1, {{0, 1, Level{1} << 40}}),
       max, true},
      {"as many steps", MakePacking(32766, {{0, 32766, 1}}), 10, true},
      {"one more", MakePacking(32767, {{0, 32767, 1}}), 10, false},
      {"alignment", MakePacking(1, {{0, 1, 4, 2}}), 10, false},
      {"fixed", MakePacking(1, {{0, 1, 4, 1, 0, 3}}), 10, false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(LowestFirst::Takes(c.packing, c.capacity), c.takes) << c.what;
    if (!c.takes) continue;
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < c.packing.items.size(); ++i) order.push_back(i);
    EXPECT_EQ(LowestFirst(c.packing).Left(order, c.capacity),
              PlainLeft(c.packing, order, c.capacity))
        << c.what;
  }
}

// Returns, for each generation, the area that its best order leaves unplaced.
std::vector<absl::uint128> BestByGeneration(const GeneticTuning& tuning) {
  const Packing packing = CutPacking(1, 60, 400, 300);
  LifetimeOrders orders(packing, 1);
  OrderCrossover crossover(packing, 412, &orders, tuning);
  LowestFirst lowest_first(packing);
  WorkLimit work(WorkLimit::kUnlimited);
  std::vector<absl::uint128> best;
  while (!crossover.IsDone()) {
    const uint64_t nodes = crossover.MakeGeneration(&work);
    EXPECT_GT(nodes, 0u);
    EXPECT_LE(nodes, OrderCrossover::NodesOfGeneration(300, tuning));
    best.push_back(
        lowest_first.Left(orders.Sorted(crossover.Best(1).front()), 412));
  }
  return best;
}

TEST(OrderCrossover, KeepsTheBestOfAllGenerations) {
  const GeneticTuning tuning;
  const std::vector<absl::uint128> best = BestByGeneration(tuning);
  ASSERT_EQ(best.size(), tuning.generations);
  EXPECT_TRUE(std::is_sorted(best.rbegin(), best.rend()));
  EXPECT_LT(best.back(), best.front() / 2);
}

TEST(OrderCrossover, MakesFewerGenerationsOfMoreItems) {
  struct Case {
    const char* what;
    size_t items;
    uint64_t generations;
  };
  const Case cases[] = {
      {"few items", 10, 40}, {"twice 512", 1024, 20}, {"four times", 2048, 10}};
  for (const Case& c : cases) {
    const Packing packing =
        MakePacking(1, std::vector<Item>(c.items, Item(0, 1, 1)));
    LifetimeOrders orders(packing, 1);
    GeneticTuning tuning;
    tuning.offspring = 4;
    tuning.best_offspring = 2;
    tuning.sampled_anew = 1;
    OrderCrossover crossover(packing, 3000, &orders, tuning);
    WorkLimit work(WorkLimit::kUnlimited);
    uint64_t generations = 0;
    for (; !crossover.IsDone(); ++generations) crossover.MakeGeneration(&work);
    EXPECT_EQ(generations, c.generations) << c.what;
  }
}

TEST(OrderCrossover, GivesSeveralThatDiffer) {
  const Packing packing = CutPacking(1, 60, 400, 300);
  LifetimeOrders orders(packing, 1);
  OrderCrossover crossover(packing, 412, &orders, GeneticTuning());
  WorkLimit work(WorkLimit::kUnlimited);
  for (int k = 0; k < 3; ++k) crossover.MakeGeneration(&work);
  const std::vector<LifetimeOrders::Factors> best = crossover.Best(6);
  ASSERT_EQ(best.size(), 6u);
  for (size_t a = 0; a < best.size(); ++a) {
    for (size_t b = 0; b < a; ++b) EXPECT_NE(best[a], best[b]);
  }
}

TEST(OrderCrossover, MakesNoneWithoutWork) {
  const Packing packing = CutPacking(1, 60, 400, 300);
  LifetimeOrders orders(packing, 1);
  OrderCrossover crossover(packing, 412, &orders, GeneticTuning());
  WorkLimit few(uint64_t{301} * 59);
  EXPECT_EQ(crossover.MakeGeneration(&few), 0u);
  WorkLimit enough(uint64_t{301} * 60 + 1);
  EXPECT_GT(crossover.MakeGeneration(&enough), 0u);
}

}  // namespace
}  // namespace stowage::optimal
