// SPDX-License-Identifier: Apache-2.0
// Tests the genetic searches of OPTIMAL.
#include "optimal/repair/genetic_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "optimal/exact/packing.h"
#include "optimal/limits.h"
#include "optimal/repair/genetic_portfolio.h"
#include "optimal/search_tuning.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "src/base/work_limit.h"
#include "tests/strategies/packings.h"

namespace stowage::optimal {
namespace {

RC_GTEST_PROP(GeneticSearch, WhatFitsIsAPackingWithinTheCapacity, ()) {
  const Packing packing = AnyPacking();
  const Level capacity =
      MaximumBreadth(packing) + *rc::gen::inRange<Level>(0, 100);
  GeneticSearch search(packing, *rc::gen::arbitrary<bool>(),
                       *rc::gen::arbitrary<uint64_t>(), GeneticTuning());
  WorkLimit work(WorkLimit::kUnlimited);
  const auto nodes = *rc::gen::inRange<uint64_t>(0, 5000);
  const bool fits = search.Run(capacity, nodes, &work);
  RC_ASSERT(search.nodes() <= nodes);
  if (!fits) return;
  RC_ASSERT(IsPacking(packing, search.levels()));
  RC_ASSERT(TopOf(packing, search.levels()) <= capacity);
}

// The maximum number of nodes that the search uses to try one order for the
// packings of this test.
constexpr uint64_t kTry = 1200;

// Runs the search repeatedly, each time with the nodes for one try. Once every
// order of the population has been tried, each run has a result: the area that
// the best order leaves unplaced. Returns the first 60 results.
std::vector<absl::uint128> LeftByTry(const GeneticTuning& tuning) {
  const Packing packing = CutPacking(1, 60, 400, 400);
  GeneticSearch search(packing, true, 1, tuning);
  WorkLimit work(WorkLimit::kUnlimited);
  std::vector<absl::uint128> left;
  while (left.size() < 60) {
    EXPECT_FALSE(search.Run(400, kTry, &work));
    if (search.least_left()) left.push_back(*search.least_left());
  }
  return left;
}

GeneticTuning SmallPopulation() {
  GeneticTuning tuning;
  tuning.population = 5;
  tuning.generations = 0;
  return tuning;
}

TEST(GeneticSearch, KeepsTheOrderThatLeavesTheLeast) {
  const std::vector<absl::uint128> left = LeftByTry(SmallPopulation());
  EXPECT_TRUE(std::is_sorted(left.rbegin(), left.rend()));
  EXPECT_LT(left.back(), left.front());
  EXPECT_GT(left.back(), 0u);
}

TEST(GeneticSearch, BeginsAnewAfterTriesInVain) {
  GeneticTuning tuning = SmallPopulation();
  tuning.patience = 3;
  const std::vector<absl::uint128> left = LeftByTry(tuning);
  EXPECT_FALSE(std::is_sorted(left.rbegin(), left.rend()));
}

TEST(GeneticSearch, CountsHowOftenItBeganAnew) {
  const Packing packing = CutPacking(1, 60, 400, 400);
  const auto restarts = [&](uint64_t patience) {
    GeneticTuning tuning = SmallPopulation();
    tuning.patience = patience;
    GeneticSearch search(packing, true, 1, tuning);
    WorkLimit work(WorkLimit::kUnlimited);
    EXPECT_FALSE(search.Run(400, 60 * kTry, &work));
    return search.restarts();
  };
  EXPECT_GT(restarts(3), 0u);
  EXPECT_EQ(restarts(1000), 0u);
}

TEST(GeneticSearch, ForgetsWhatWasLeftAtAnotherCapacity) {
  const Packing packing = CutPacking(1, 60, 400, 400);
  GeneticSearch search(packing, true, 1, SmallPopulation());
  WorkLimit work(WorkLimit::kUnlimited);
  EXPECT_FALSE(search.Run(401, 6 * kTry, &work));
  EXPECT_TRUE(search.least_left().has_value());
  EXPECT_FALSE(search.Run(400, 0, &work));
  EXPECT_FALSE(search.least_left().has_value());
}

TEST(GeneticSearch, BeginsWithOffspring) {
  const Packing packing = CutPacking(1, 60, 400, 400);
  const auto best = [&](uint64_t generations) {
    GeneticTuning tuning = SmallPopulation();
    tuning.generations = generations;
    tuning.of_each_crossover = 1;
    GeneticSearch search(packing, false, 1, tuning);
    WorkLimit work(WorkLimit::kUnlimited);
    while (!search.least_left()) EXPECT_FALSE(search.Run(400, kTry, &work));
    return *search.least_left();
  };
  EXPECT_LT(best(40), best(0));
}

TEST(GeneticSearch, StopsWithoutWork) {
  const Packing packing = CutPacking(1, 10, 50, 30);
  GeneticSearch search(packing, false, 1, GeneticTuning());
  WorkLimit none(0);
  EXPECT_FALSE(search.Run(50, 1000, &none));
  EXPECT_EQ(search.tries(), 0u);
  WorkLimit work(WorkLimit::kUnlimited);
  EXPECT_FALSE(search.Run(50, 0, &work));
  EXPECT_EQ(search.nodes(), 0u);
}

TEST(GeneticSearch, RestsWhereNothingCanFit) {
  Packing packing;
  packing.steps = 1;
  packing.items = {{0, 1, 4, 1, 0}, {0, 1, 4, 1, 1}};
  GeneticSearch search(packing, false, 1, SmallPopulation());
  WorkLimit work(WorkLimit::kUnlimited);
  EXPECT_FALSE(search.Run(7, 1000, &work));
  const uint64_t tries = search.tries();
  EXPECT_EQ(tries, 1u);
  EXPECT_FALSE(search.Run(7, 1000, &work));
  EXPECT_FALSE(search.Run(6, 1000, &work));
  EXPECT_EQ(search.tries(), tries);
  EXPECT_TRUE(search.Run(8, 1000, &work));
}

TEST(GeneticSearch, HasNothingToDoAmongFixedItems) {
  Packing packing;
  packing.steps = 1;
  packing.items = {{0, 1, 4, 1, 0, 2}};
  GeneticSearch search(packing, false, 1, GeneticTuning());
  WorkLimit work(WorkLimit::kUnlimited);
  EXPECT_FALSE(search.Run(6, 1000, &work));
  EXPECT_EQ(search.nodes(), 0u);
}

TEST(GeneticSearch, DependsOnItsSeedAlone) {
  const Packing packing = CutPacking(2, 40, 400, 120);
  const auto levels = [&](uint64_t seed) {
    GeneticSearch search(packing, true, seed, GeneticTuning());
    WorkLimit work(WorkLimit::kUnlimited);
    EXPECT_TRUE(search.Run(500, 100000, &work));
    return search.levels();
  };
  EXPECT_EQ(levels(1), levels(1));
  EXPECT_NE(levels(1), levels(2));
}

RC_GTEST_PROP(GeneticPortfolio, IsTheSameOnAnyNumberOfThreads, ()) {
  const Packing packing = AnyPacking();
  const Known start = KnownStack(packing);
  Limits limits;
  limits.seed = *rc::gen::arbitrary<uint64_t>();
  const auto run = [&](size_t threads) {
    limits.threads = threads;
    GeneticPortfolio portfolio(packing, absl::nullopt, limits);
    Known known = start;
    for (int round = 0; round < 3; ++round) portfolio.Round(3000, &known);
    return known;
  };
  const Known one = run(1);
  RC_ASSERT(one.levels == run(3).levels);
  RC_ASSERT(one.lower == start.lower);
  RC_ASSERT(one.upper <= start.upper);
  RC_ASSERT(one.upper == TopOf(packing, one.levels));
  RC_ASSERT(IsPacking(packing, one.levels));
}

RC_GTEST_PROP(GeneticPortfolio, CountsItsNodes, ()) {
  const Packing packing = AnyPacking();
  GeneticPortfolio portfolio(packing, absl::nullopt, Limits());
  Known known = KnownStack(packing);
  const auto each = *rc::gen::inRange<uint64_t>(0, 3000);
  RC_ASSERT(portfolio.Round(each, &known) <=
            each * GeneticPortfolio::kSearches);
}

TEST(GeneticPortfolio, AsksNothingButTheCapacityIfThereIsOne) {
  const Packing packing = CutPacking(3, 20, 100, 40);
  Known known = KnownStack(packing);
  ASSERT_EQ(known.lower, 100);
  const Level stack = known.upper;
  GeneticPortfolio decides(packing, Level{130}, Limits());
  decides.Round(100000, &known);
  EXPECT_LT(known.upper, stack);
  EXPECT_LE(known.upper, 130);
  EXPECT_EQ(decides.FoundBy(1024), "genetic search (capacity 133120, try 1)");
  const uint64_t after = decides.Round(100000, &known);
  EXPECT_EQ(after, 0u) << "it is decided";
}

}  // namespace
}  // namespace stowage::optimal
