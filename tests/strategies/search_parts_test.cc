// SPDX-License-Identifier: Apache-2.0
// Tests the parts of OPTIMAL that choose what to search next, on handwritten
// packings.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimal/exact/diversified_order.h"
#include "optimal/exact/packing.h"
#include "optimal/exact/portfolio.h"
#include "optimal/limits.h"
#include "optimal/repair/ejection_search.h"
#include "optimal/repair/neighbours.h"
#include "optimal/repair/overlap_pairs.h"
#include "optimal/repair/overlap_search.h"
#include "optimal/repair/repair_portfolio.h"
#include "optimal/repair/repair_search.h"
#include "optimal/search_tuning.h"
#include "src/base/work_limit.h"
#include "tests/strategies/packings.h"

namespace stowage::optimal {
namespace {

using ::testing::ElementsAre;

// Returns a packing of three steps with the breadths 8, 7 and 5. Step 1
// represents eight tasks, and the other steps represent one task each.
Packing FiveItems() {
  Packing packing =
      MakePacking(3, {{0, 3, 2}, {0, 1, 6}, {1, 2, 4}, {1, 3, 1}, {2, 3, 2}});
  const uint64_t lifetimes[] = {10, 1, 8, 9, 1};
  for (size_t i = 0; i < 5; ++i) packing.items[i].lifetime = lifetimes[i];
  return packing;
}

// Returns the order with the given index if no search has failed yet.
SearchOrder OrderOf(const DiversifiedOrders& orders, uint64_t index) {
  return orders.Order(index, std::vector<uint64_t>(64, 0));
}

TEST(DiversifiedOrders, BeginWithEachPlainOrder) {
  const Packing packing = FiveItems();
  const PortfolioTuning tuning;
  const DiversifiedOrders orders(packing, 1, tuning);
  // These orders sort items first by the load of their steps. They break ties
  // by the number of tasks (order 0), the area (order 2), the size (order 4),
  // or the number of tasks and then the size (order 6).
  for (const uint64_t k : {0U, 2U, 4U, 6U}) {
    EXPECT_TRUE(OrderOf(orders, k).by_load);
  }
  EXPECT_THAT(OrderOf(orders, 0).items, ElementsAre(0, 3, 2, 1, 4));
  EXPECT_THAT(OrderOf(orders, 2).items, ElementsAre(2, 0, 3, 1, 4));
  EXPECT_THAT(OrderOf(orders, 4).items, ElementsAre(1, 2, 0, 4, 3));
  EXPECT_THAT(OrderOf(orders, 6).items, ElementsAre(0, 3, 2, 1, 4));
  // These orders do not depend on the load during a search. They measure
  // lifetimes in steps.
  for (const uint64_t k : {1U, 3U, 5U, 7U, 8U, 9U, 10U, 11U}) {
    EXPECT_FALSE(OrderOf(orders, k).by_load);
  }
  EXPECT_THAT(OrderOf(orders, 1).items,
              ElementsAre(0, 1, 3, 2, 4));  // congestion
  EXPECT_THAT(OrderOf(orders, 3).items, ElementsAre(0, 1, 2, 3, 4));  // area
  EXPECT_THAT(OrderOf(orders, 5).items, ElementsAre(0, 3, 1, 2, 4));  // load
  EXPECT_THAT(OrderOf(orders, 7).items,
              ElementsAre(0, 3, 1, 2, 4));  // steps, size
  EXPECT_THAT(OrderOf(orders, 8).items, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(OrderOf(orders, 9).items, ElementsAre(0, 3, 1, 2, 4));
  EXPECT_THAT(OrderOf(orders, 10).items, ElementsAre(1, 2, 0, 4, 3));  // size
  EXPECT_THAT(OrderOf(orders, 11).items, ElementsAre(0, 1, 3, 2, 4));
}

Packing ManyItems() {
  std::vector<Item> items;
  for (uint32_t i = 0; i < 40; ++i) items.push_back({i, i + 3, 100 + i});
  return MakePacking(43, items);
}

TEST(DiversifiedOrders, GoOnWithNeighboursThatDependOnTheSeed) {
  const Packing packing = ManyItems();
  const PortfolioTuning tuning;
  const DiversifiedOrders orders(packing, 1, tuning);
  const DiversifiedOrders same(packing, 1, tuning);
  const DiversifiedOrders others(packing, 2, tuning);
  constexpr uint64_t kFirst = DiversifiedOrders::kPlain;
  std::set<std::vector<uint32_t>> different;
  int equal_for_other_seed = 0;
  for (uint64_t k = kFirst; k < kFirst + 40; ++k) {
    EXPECT_EQ(OrderOf(orders, k).items, OrderOf(same, k).items);
    EXPECT_EQ(OrderOf(orders, k).by_load, OrderOf(same, k).by_load);
    different.insert(OrderOf(orders, k).items);
    if (OrderOf(orders, k).items == OrderOf(others, k).items) {
      ++equal_for_other_seed;
    }
  }
  EXPECT_GT(different.size(), 25U);
  EXPECT_LT(equal_for_other_seed, 10);
}

TEST(DiversifiedOrders, HaveNames) {
  const Packing packing = FiveItems();
  const PortfolioTuning tuning;
  const DiversifiedOrders orders(packing, 1, tuning);
  EXPECT_EQ(orders.NameOf(0), "load-tasks-area-size");
  EXPECT_EQ(orders.NameOf(1), "congestion-steps-step_area");
  std::set<std::string> plain;
  for (uint64_t k = 0; k < DiversifiedOrders::kPlain; ++k) {
    plain.insert(orders.NameOf(k));
  }
  EXPECT_EQ(plain.size(), DiversifiedOrders::kPlain);
  for (uint64_t k = 0; k < 20; ++k) {
    const uint64_t index = DiversifiedOrders::kPlain + k;
    const std::string name = orders.NameOf(index);
    const std::string end = absl::StrCat(", neighbour ", k);
    ASSERT_TRUE(absl::EndsWith(name, end)) << name;
    const std::string family = name.substr(0, name.size() - end.size());
    EXPECT_TRUE(plain.count(family) == 1 ||
                absl::StartsWith(family, "failures-"))
        << name;
    EXPECT_EQ(OrderOf(orders, index).by_load,
              absl::StartsWith(family, "load-"));
  }
}

TEST(DiversifiedOrders, WithOneFactorArePlain) {
  const Packing packing = ManyItems();
  PortfolioTuning tuning;
  tuning.neighbour_factors = 1;
  const DiversifiedOrders orders(packing, 1, tuning);
  std::set<std::vector<uint32_t>> plain;
  for (uint64_t k = 0; k < DiversifiedOrders::kPlain; ++k) {
    plain.insert(OrderOf(orders, k).items);
  }
  for (uint64_t k = 0; k < 40; ++k) {
    EXPECT_EQ(plain.count(OrderOf(orders, k + DiversifiedOrders::kPlain).items),
              1U);
  }
}

TEST(DiversifiedOrders, PutFirstWhatIsLiveWhereSearchesFailed) {
  const Packing packing = ManyItems();
  PortfolioTuning tuning;
  tuning.failures_period = 1;
  const DiversifiedOrders orders(packing, 1, tuning);
  std::vector<uint64_t> failures(packing.steps, 0);
  failures[20] = 60;
  failures[30] = 10;  // factors of failures are limited to 5
  for (uint64_t k = 0; k < 10; ++k) {
    std::vector<uint32_t> items =
        orders.Order(k + DiversifiedOrders::kPlain, failures).items;
    std::sort(items.begin(), items.begin() + 3);
    std::sort(items.begin() + 3, items.begin() + 6);
    items.resize(6);
    EXPECT_THAT(items, ElementsAre(18, 19, 20, 28, 29, 30));
    // Plain orders do not depend on failures.
    EXPECT_EQ(orders.Order(k, failures).items, OrderOf(orders, k).items);
  }
}

TEST(DiversifiedOrders, AreOfOneSortIfToldSo) {
  const Packing packing = ManyItems();
  PortfolioTuning tuning;
  tuning.static_period = 1;
  const DiversifiedOrders orders(packing, 1, tuning);
  for (uint64_t k = 0; k < 40; ++k) {
    EXPECT_FALSE(OrderOf(orders, k + DiversifiedOrders::kPlain).by_load);
  }
}

TEST(DiversifiedOrders, LeaveOutFixedItems) {
  Packing packing = FiveItems();
  packing.items[1].fixed_level = 0;
  const PortfolioTuning tuning;
  EXPECT_THAT(OrderOf(DiversifiedOrders(packing, 1, tuning), 1).items,
              ElementsAre(0, 3, 2, 4));
}

TEST(RepairPortfolio, OneGoesForTheBoundAndTheOthersForPartsOfTheWay) {
  const Packing packing = FiveItems();
  const RepairPortfolio portfolio(packing, absl::nullopt, Limits());
  Known known;
  known.lower = 100;
  known.upper = 260;
  EXPECT_EQ(portfolio.GoalOf(0, known), 100);
  EXPECT_EQ(portfolio.GoalOf(1, known), 180);
  EXPECT_EQ(portfolio.GoalOf(2, known), 220);
  EXPECT_EQ(portfolio.GoalOf(3, known), 250);
  known.upper = 101;
  EXPECT_EQ(portfolio.GoalOf(3, known), 100);
  known.upper = 100;
  EXPECT_EQ(portfolio.GoalOf(3, known), 100);
  const RepairPortfolio decides(packing, Level{120}, Limits());
  EXPECT_EQ(decides.GoalOf(0, known), 120);
  EXPECT_EQ(decides.GoalOf(3, known), 120);
}

// The number of iterations is computed from the packing. The five items form
// six pairs, so each item is in about two pairs, and they cover eight steps in
// total.
TEST(RepairPortfolio, TakesTimeLikeTheExactSearch) {
  const Packing packing = FiveItems();
  const OverlapTuning tuning;
  EXPECT_EQ(
      RepairPortfolio(packing, absl::nullopt, Limits()).IterationsFor(960),
      uint64_t{960} * 8 /
          (4 * (tuning.time_per_turn + 2 * tuning.time_per_side)));
  Limits ejecting;
  ejecting.tuning.overlap.max_sides = 0;
  EXPECT_EQ(
      RepairPortfolio(packing, absl::nullopt, ejecting).IterationsFor(960),
      uint64_t{960} / EjectionTuning().nodes_per_turn);
  const Packing apart = MakePacking(2, {{0, 1, 2}, {1, 2, 2}});
  EXPECT_GT(RepairPortfolio(apart, absl::nullopt, Limits()).IterationsFor(960),
            0u);
}

// The first item is fixed at a place where the second item could otherwise be.
// The third item is so large that it fits in only one place.
TEST(RepairSearch, LeavesFixedItemsWhereTheyAre) {
  const Packing packing = MakePacking(
      2, {{0, 2, 2, 1, 0, 6}, {0, 1, 2, 1}, {0, 2, 6, 1}, {1, 2, 1, 1}});
  const Neighbours neighbours(packing);
  const auto pairs = OverlapPairs::Make(packing, neighbours, 100);
  const std::vector<Level> start = {6, 3, 11, 2};
  std::vector<std::unique_ptr<RepairSearch>> searches;
  for (const auto manner :
       {EjectionSearch::Manner::kLatest, EjectionSearch::Manner::kAny}) {
    searches.push_back(std::make_unique<EjectionSearch>(packing, neighbours,
                                                        start, 10, manner, 1));
  }
  searches.push_back(
      std::make_unique<OverlapSearch>(packing, *pairs, start, 10, 1));
  for (const auto& search : searches) {
    WorkLimit work(WorkLimit::kUnlimited);
    ASSERT_TRUE(search->Run(1000, &work));
    EXPECT_EQ(search->levels()[0], 6);
    EXPECT_EQ(search->levels()[2], 0);
    EXPECT_EQ(search->levels()[1], 8);
    EXPECT_EQ(TopOf(packing, search->levels()), 10);
  }
}

// A benchmark disables each constant of the search by setting it to a neutral
// value. The search must still work with each of these values.
TEST(Portfolio, FindsTheOptimumWithEachConstantSwitchedOff) {
  const Packing packing = MakePacking(1, {{0, 1, 5, 4}, {0, 1, 5, 4}});
  std::vector<PortfolioTuning> tunings(5);
  tunings[0].first_slice = 0;
  tunings[1].kept_at_bound = 0;
  tunings[2].kept_at_bound = tunings[2].kept_between = 0;
  tunings[3].new_slices = 0;
  tunings[4].between_period = 0;
  for (const PortfolioTuning& tuning : tunings) {
    Limits limits;
    limits.tuning.portfolio = tuning;
    Portfolio portfolio(packing, 10, 20, absl::nullopt, limits);
    while (portfolio.Round(100000) > 0) {
    }
    EXPECT_EQ(portfolio.lower(), 13);
    EXPECT_EQ(portfolio.upper(), 13);
  }
}

}  // namespace
}  // namespace stowage::optimal
