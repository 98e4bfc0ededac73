// SPDX-License-Identifier: Apache-2.0
// The parts of OPTIMAL that choose what is searched, by hand-made packings.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimal/conflict.h"
#include "optimal/diversified_order.h"
#include "optimal/ejection_portfolio.h"
#include "optimal/ejection_search.h"
#include "optimal/limits.h"
#include "optimal/neighbours.h"
#include "optimal/packing.h"
#include "optimal/portfolio.h"
#include "optimal/search_tuning.h"
#include "src/core/work_limit.h"

namespace stowage::optimal {
namespace {

using ::testing::ElementsAre;

Packing MakePacking(uint32_t steps, std::vector<Item> items) {
  Packing packing;
  packing.steps = steps;
  packing.items = std::move(items);
  for (uint32_t i = 0; i < packing.items.size(); ++i) {
    packing.items[i].record = i;
  }
  return packing;
}

// Breadths 8, 7 and 5.
Packing FiveItems() {
  return MakePacking(3,
                     {{0, 3, 2}, {0, 1, 6}, {1, 2, 4}, {1, 3, 1}, {2, 3, 2}});
}

TEST(DiversifiedOrders, BeginWithEachStaticOrder) {
  const Packing packing = FiveItems();
  const PortfolioTuning tuning;
  const DiversifiedOrders orders(packing, 1, tuning);
  EXPECT_THAT(orders.Order(0), ElementsAre(0, 1, 3, 2, 4));  // congestion
  EXPECT_THAT(orders.Order(1), ElementsAre(0, 1, 2, 3, 4));  // area
  EXPECT_THAT(orders.Order(2), ElementsAre(0, 3, 1, 2, 4));  // load
  EXPECT_THAT(orders.Order(3), ElementsAre(0, 3, 1, 2, 4));  // lifetime, size
  EXPECT_THAT(orders.Order(4), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(orders.Order(5), ElementsAre(0, 3, 1, 2, 4));
  EXPECT_THAT(orders.Order(6), ElementsAre(1, 2, 0, 4, 3));  // size
  EXPECT_THAT(orders.Order(7), ElementsAre(0, 1, 3, 2, 4));
}

TEST(DiversifiedOrders, GoOnWithNeighboursThatDependOnTheSeed) {
  std::vector<Item> items;
  for (uint32_t i = 0; i < 40; ++i) items.push_back({i, i + 3, 100 + i});
  const Packing packing = MakePacking(43, items);
  const PortfolioTuning tuning;
  const DiversifiedOrders orders(packing, 1, tuning);
  const DiversifiedOrders same(packing, 1, tuning);
  const DiversifiedOrders others(packing, 2, tuning);
  EXPECT_NE(orders.Order(9), orders.Order(1));
  EXPECT_NE(orders.Order(9), orders.Order(17));
  EXPECT_EQ(orders.Order(9), same.Order(9));
  EXPECT_NE(orders.Order(9), others.Order(9));
}

TEST(DiversifiedOrders, WithOneFactorAreStatic) {
  const Packing packing = FiveItems();
  PortfolioTuning tuning;
  tuning.neighbour_factors = 1;
  const DiversifiedOrders orders(packing, 1, tuning);
  for (uint64_t k = 0; k < DiversifiedOrders::kStatic; ++k) {
    EXPECT_EQ(orders.Order(k + DiversifiedOrders::kStatic), orders.Order(k));
  }
}

TEST(DiversifiedOrders, LeaveOutFixedItems) {
  Packing packing = FiveItems();
  packing.items[1].fixed_level = 0;
  const PortfolioTuning tuning;
  EXPECT_THAT(DiversifiedOrders(packing, 1, tuning).Order(0),
              ElementsAre(0, 3, 2, 4));
}

TEST(EjectionPortfolio, HalfGoesForTheBoundAndHalfForASmallStep) {
  const Packing packing = FiveItems();
  const EjectionPortfolio portfolio(packing, absl::nullopt, Limits());
  Known known;
  known.lower = 100;
  known.upper = 260;
  EXPECT_EQ(portfolio.GoalOf(0, known), 100);
  EXPECT_EQ(portfolio.GoalOf(1, known), 100);
  EXPECT_EQ(portfolio.GoalOf(2, known), 250);
  EXPECT_EQ(portfolio.GoalOf(3, known), 250);
  known.upper = 105;
  EXPECT_EQ(portfolio.GoalOf(3, known), 104);
  const EjectionPortfolio decides(packing, Level{120}, Limits());
  EXPECT_EQ(decides.GoalOf(0, known), 120);
  EXPECT_EQ(decides.GoalOf(3, known), 120);
}

// The first lies where the second must, which is too large for any other place.
TEST(EjectionSearch, LeavesFixedItemsWhereTheyAre) {
  const Packing packing = MakePacking(
      2, {{0, 2, 2, 1, 0, 6}, {0, 1, 2, 1}, {0, 2, 6, 1}, {1, 2, 1, 1}});
  const Neighbours neighbours(packing);
  for (const auto manner :
       {EjectionSearch::Manner::kLatest, EjectionSearch::Manner::kAny}) {
    EjectionSearch search(packing, neighbours, {6, 3, 11, 2}, 10, manner, 1);
    WorkLimit work(WorkLimit::kUnlimited);
    ASSERT_TRUE(search.Run(1000, &work));
    EXPECT_EQ(search.levels()[0], 6);
    EXPECT_EQ(search.levels()[2], 0);
    EXPECT_EQ(search.levels()[1], 8);
    EXPECT_EQ(TopOf(packing, search.levels()), 10);
  }
}

TEST(FindConflict, KeepsOnlyWhatIsNeeded) {
  const Packing packing =
      MakePacking(3, {{0, 1, 6}, {0, 1, 6}, {0, 2, 1}, {1, 3, 3}, {2, 3, 7}});
  const Conflict conflict = FindConflict(packing, 10, Limits());
  EXPECT_THAT(conflict.records, ElementsAre(0, 1));
  EXPECT_TRUE(conflict.irreducible);
}

TEST(FindConflict, NamesFixedItemsThatAreInTheWay) {
  const Packing packing =
      MakePacking(2, {{0, 1, 2, 1, 0, 4}, {0, 2, 5}, {1, 2, 2}, {0, 1, 1}});
  const Conflict conflict = FindConflict(packing, 10, Limits());
  EXPECT_THAT(conflict.records, ElementsAre(0, 1));
  EXPECT_TRUE(conflict.irreducible);
}

// Padding, which no breadth knows: only a search can tell, and it may not.
TEST(FindConflict, KeepsAllWithoutNodes) {
  const Packing packing =
      MakePacking(1, {{0, 1, 5, 8}, {0, 1, 5, 8}, {0, 1, 5, 8}});
  Limits limits;
  limits.nodes = 0;
  const Conflict conflict = FindConflict(packing, 20, limits);
  EXPECT_THAT(conflict.records, ElementsAre(0, 1, 2));
  EXPECT_FALSE(conflict.irreducible);
  EXPECT_EQ(conflict.nodes, 0u);
}

// Neutral values of every constant that a benchmark switches off still search.
TEST(Portfolio, FindsTheOptimumWithEachConstantSwitchedOff) {
  const Packing packing = MakePacking(1, {{0, 1, 5, 4}, {0, 1, 5, 4}});
  std::vector<PortfolioTuning> tunings(5);
  tunings[0].first_turn = 0;
  tunings[1].kept_at_bound = 0;
  tunings[2].kept_at_bound = tunings[2].kept_between = 0;
  tunings[3].new_turns = 0;
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
