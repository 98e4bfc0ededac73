// SPDX-License-Identifier: Apache-2.0
// Tests plans of problems in which pairs pay for sharing bytes. Compares the
// plans with an exhaustive search, with the plans of all other strategies, and
// with plans of changed problems. How a problem was changed determines which of
// the two plans may cost more.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "rapidcheck/gtest.h"
#include "stowage/base/random.h"
#include "stowage/lower_bound.h"
#include "stowage/plan_cost.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/random_problems.h"
#include "tests/support/least_cost.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_observer.h"

namespace stowage {
namespace {

SolveOptions ByNodes(uint64_t nodes) {
  SolveOptions options;
  options.node_budget = nodes;
  return options;
}

Solution Planned(const ProblemSpec& spec, uint64_t nodes) {
  const auto problem = Problem::Create(spec);
  EXPECT_TRUE(problem.ok()) << problem.status();
  auto solution = Solve(*problem, "optimal", ByNodes(nodes));
  EXPECT_TRUE(solution.ok()) << solution.status();
  return *std::move(solution);
}

bool AreLiveTogether(const ByteRecord& a, const ByteRecord& b) {
  return a.first_task <= b.last_task && b.first_task <= a.last_task;
}

// Returns a problem of records that are live together or one after another. The
// capacity exceeds the bytes that are live together by up to a half. Each pair
// that is close in time but not live together has a cost.
ProblemSpec Pipeline(uint64_t seed, size_t count, size_t largest) {
  Random random(seed);
  ProblemSpec spec;
  std::vector<size_t> live(count + 3);
  for (size_t i = 0; i < count; ++i) {
    const size_t last = i + random.Below(3);
    spec.records.emplace_back(1 + random.Below(largest), i, last);
    for (size_t t = i; t <= last; ++t) live[t] += spec.records[i].tensor_size;
    for (size_t j = i > 6 ? i - 6 : 0; j < i; ++j) {
      if (AreLiveTogether(spec.records[i], spec.records[j])) continue;
      spec.constraints.prefer_apart.push_back({j, i, 1 + random.Below(4)});
    }
  }
  const size_t most = *std::max_element(live.begin(), live.end());
  spec.capacity = std::max(most, largest) + random.Below(most / 2 + 1);
  return spec;
}

TEST(ReusePlans, CostWhatTheBestOfAllOffsetsCosts) {
  size_t costly = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const ProblemSpec spec = Pipeline(seed, 4 + seed % 4, 3);
    const auto truth = support::LeastCostOfAllPlans(spec);
    const Solution solution = Planned(spec, 30000);
    ASSERT_EQ(solution.has_plan(), truth.has_value());
    if (!truth) continue;
    EXPECT_EQ(solution.cost, *truth);
    costly += *truth > 0 ? 1 : 0;
  }
  EXPECT_GT(costly, 20u);
}

// Each problem has two variants, which express the same problem in other units
// of bytes or of costs.
TEST(ReusePlans, DoNotDependOnUnits) {
  for (uint64_t seed = 1; seed <= support::Sampled(10); ++seed) {
    SCOPED_TRACE(seed);
    const ProblemSpec spec = Pipeline(seed, 24, 9);
    const Solution solution = Planned(spec, 8000);
    ASSERT_TRUE(solution.has_plan());
    ProblemSpec larger = spec;
    *larger.capacity *= 3;
    for (ByteRecord& record : larger.records) record.tensor_size *= 3;
    const Solution scaled = Planned(larger, 8000);
    EXPECT_EQ(scaled.cost, solution.cost);
    EXPECT_EQ(scaled.total_size, 3 * solution.total_size);
    ProblemSpec dearer = spec;
    for (ApartPreference& wish : dearer.constraints.prefer_apart) {
      wish.cost *= 5;
    }
    const Solution heavy = Planned(dearer, 8000);
    EXPECT_EQ(heavy.cost, 5 * solution.cost);
    EXPECT_EQ(heavy.offsets()->offsets, solution.offsets()->offsets);
  }
}

// All plans here are proved optimal, so no two of them may contradict each
// other.
TEST(ReusePlans, CostNoMoreWithMoreRoomAndNoLessWithPairsApart) {
  for (uint64_t seed = 1; seed <= support::Sampled(40); ++seed) {
    SCOPED_TRACE(seed);
    const ProblemSpec spec = Pipeline(seed, 6, 4);
    const Solution solution = Planned(spec, 100000);
    if (!solution.has_plan()) continue;
    ProblemSpec wider = spec;
    ++*wider.capacity;
    EXPECT_LE(Planned(wider, 100000).cost, solution.cost);
    ProblemSpec reversed = spec;
    for (ByteRecord& record : reversed.records) {
      const TaskId first = 8 - record.last_task;
      record.last_task = 8 - record.first_task;
      record.first_task = first;
    }
    EXPECT_EQ(Planned(reversed, 100000).cost, solution.cost);
    if (spec.constraints.prefer_apart.empty()) continue;
    ProblemSpec stricter = spec;
    const ApartPreference pair = stricter.constraints.prefer_apart.back();
    stricter.constraints.prefer_apart.pop_back();
    stricter.constraints.apart.push_back({pair.first, pair.second});
    const Solution strict = Planned(stricter, 100000);
    if (!strict.has_plan()) continue;
    EXPECT_GE(strict.cost, solution.cost);
  }
}

TEST(ReusePlans, AreTheSameForTheSameNumberOfNodes) {
  const ProblemSpec spec = Pipeline(3, 60, 50);
  const auto problem = Problem::Create(spec);
  SolveOptions options = ByNodes(10000);
  const auto once = Solve(*problem, "optimal", options);
  options.threads = 4;
  const auto again = Solve(*problem, "optimal", options);
  EXPECT_EQ(once->offsets()->offsets, again->offsets()->offsets);
  EXPECT_EQ(once->nodes, again->nodes);
  EXPECT_LE(once->nodes, 10000u);
  EXPECT_THAT(once->found_by, ::testing::HasSubstr(" (round "));
}

// The set contains the names of parts that docs/search.md lists.
TEST(ReusePlans, SayWhichPartFoundThem) {
  const std::set<std::string> parts = {
      "stack",           "skyline dive",      "lowest place", "body search",
      "reuse annealing", "ruin and recreate", "exact search"};
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 60; seed += support::kIsSanitized ? 5 : 1) {
    const Solution solution = Planned(Pipeline(seed, 2 + seed, 60), 3000);
    if (!solution.has_plan()) continue;
    const std::string& found_by = solution.found_by;
    seen.insert(found_by.substr(0, found_by.find(" (")));
  }
  EXPECT_THAT(parts, ::testing::IsSupersetOf(seen));
  EXPECT_EQ(seen.count("ruin and recreate"), 1u);
}

// The capacity is the number of bytes that are live together, and the
// constructed plans need more.
TEST(ReusePlans, ExistWhereOnlyThePackingSearchFindsOne) {
  size_t tight = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    ProblemSpec spec = Pipeline(seed, 40, 60);
    const auto problem = Problem::Create(spec);
    spec.capacity = LowerBoundOf(*problem).bytes;
    ProblemSpec without_costs = spec;
    without_costs.constraints = Constraints();
    const Solution packed = Planned(without_costs, 20000);
    if (!packed.has_plan()) continue;
    ++tight;
    EXPECT_TRUE(Planned(spec, 50000).has_plan());
  }
  EXPECT_GT(tight, 10u);
}

// Each pool uses only its share of the nodes, so every pool gets a plan.
TEST(ReusePlans, ExistForAllPools) {
  ProblemSpec spec = Pipeline(1, 40, 60);
  for (const char* const name : {"left", "right"}) {
    spec.constraints.pools.push_back({name, *spec.capacity});
  }
  for (uint32_t i = 0; i < spec.records.size(); ++i) {
    spec.constraints.choices.push_back({{i % 2, 0}});
  }
  spec.capacity.reset();
  const Solution few = Planned(spec, 10);
  ASSERT_TRUE(few.has_plan());
  const Solution fixed = Planned(spec, 10000);
  ASSERT_TRUE(fixed.has_plan());
  EXPECT_LT(fixed.cost, few.cost);
  // The search now chooses a pool for each record.
  for (std::vector<PoolChoice>& choices : spec.constraints.choices) {
    choices = {{0, 0}, {1, 0}};
  }
  const Solution chosen = Planned(spec, 10000);
  ASSERT_TRUE(chosen.has_plan());
  EXPECT_LE(chosen.cost, Planned(spec, 10).cost);
}

// Returns a pipeline whose records choose between two pools. Some of the
// choices have their own cost.
ProblemSpec PipelineInPools(uint64_t seed, size_t count) {
  ProblemSpec spec = Pipeline(seed, count, 5);
  Random random(seed);
  spec.constraints.pools = {{"fast", *spec.capacity / 2 + 3},
                            {"slow", *spec.capacity / 2 + 2}};
  spec.capacity.reset();
  for (size_t i = 0; i < count; ++i) {
    spec.constraints.choices.push_back({{0, 0}, {1, random.Below(3)}});
  }
  return spec;
}

// Compares the plan with those of all selections of pools. Each selection is
// planned as a separate problem in which no pools remain to be chosen.
TEST(ReusePlans, CostNoMoreThanThoseOfAnySelectionOfPools) {
  constexpr size_t kCount = 6;
  size_t costly = 0;
  size_t dearer = 0;  // best selections without the cheapest pools
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    const ProblemSpec spec = PipelineInPools(seed, kCount);
    const Solution solution = Planned(spec, 1000000);
    absl::optional<std::pair<uint64_t, size_t>> best;
    uint64_t of_pools = 0;
    uint64_t least_of_pools = ~uint64_t{0};
    for (uint32_t chosen = 0; chosen < 1u << kCount; ++chosen) {
      ProblemSpec fixed = spec;
      uint64_t cost = 0;
      for (size_t i = 0; i < kCount; ++i) {
        const PoolChoice choice = spec.constraints.choices[i][chosen >> i & 1];
        fixed.constraints.choices[i] = {choice};
        cost += choice.cost;
      }
      const Solution other = Planned(fixed, 100000);
      if (!other.has_plan()) continue;
      least_of_pools = std::min(least_of_pools, cost);
      const auto next = std::pair(other.cost, other.total_size);
      if (best && *best <= next) continue;
      best = next;
      of_pools = cost;
    }
    ASSERT_EQ(solution.has_plan(), best.has_value());
    if (!best) continue;
    EXPECT_EQ(std::pair(solution.cost, solution.total_size), *best);
    EXPECT_EQ(solution.cost_bound, solution.cost);
    costly += best->first > 0 ? 1 : 0;
    dearer += of_pools > least_of_pools ? 1 : 0;
  }
  EXPECT_GT(costly, 8u);
  EXPECT_GT(dearer, 2u);
}

// There are too many selections to try them all, so the search moves items from
// pool to pool.
TEST(ReusePlans, CostNoMoreThanRandomSelectionsOfManyRecords) {
  for (uint64_t seed = 1; seed <= support::Sampled(5); ++seed) {
    SCOPED_TRACE(seed);
    const ProblemSpec spec = PipelineInPools(seed, 24);
    const Solution solution = Planned(spec, 400000);
    ASSERT_TRUE(solution.has_plan());
    Random random(seed);
    for (int k = 0; k < 10; ++k) {
      ProblemSpec fixed = spec;
      for (std::vector<PoolChoice>& choices : fixed.constraints.choices) {
        choices = {choices[random.Below(2)]};
      }
      const Solution other = Planned(fixed, 20000);
      if (!other.has_plan()) continue;
      EXPECT_LE(solution.cost, other.cost);
    }
  }
}

// If no pair has to pay, all records are apart, so the sum of their sizes is a
// bound. No search could try all orders of this many records.
TEST(ReusePlans, HaveAProvedTotalWhereNoPairPays) {
  constexpr size_t kCount = 40;
  ProblemSpec spec;
  spec.capacity = 100 * kCount;
  for (TaskId task = 0; task < kCount; ++task) {
    spec.records.emplace_back(60 + task, task, task);
    for (size_t other = 0; other < task; ++other) {
      spec.constraints.prefer_apart.push_back({other, task, 1});
    }
  }
  const Solution solution = Planned(spec, 100000);
  EXPECT_EQ(solution.status, SolutionStatus::kOptimal);
  EXPECT_EQ(solution.cost, 0u);
  EXPECT_EQ(solution.total_size, kCount * 60 + kCount * (kCount - 1) / 2);
}

// No other strategy finds a plan where `optimal` finds none, a plan of lower
// cost, or a smaller plan of the same cost.
RC_GTEST_PROP(ReusePlans, AreNeverWorseThanThoseOfOtherStrategies, ()) {
  testing::ProblemParameters parameters;
  parameters.has_never = *rc::gen::arbitrary<bool>();
  parameters.has_prefer_apart = true;
  const ProblemSpec spec =
      *rc::gen::resize(25, testing::AnyProblems(parameters));
  const auto problem = Problem::Create(spec);
  RC_PRE(problem.ok());
  const auto best = Solve(*problem, "optimal", ByNodes(500));
  RC_ASSERT(best.ok());
  for (const Strategy* const strategy : AllStrategies()) {
    const auto other = Solve(*problem, *strategy, ByNodes(500));
    if (!other.ok() || !other->has_plan()) continue;
    RC_LOG() << strategy->info().name << '\n';
    RC_ASSERT(best->has_plan());
    RC_ASSERT(std::pair(best->cost, best->total_size) <=
              std::pair(other->cost, other->total_size));
  }
}

// The costs reported to observers never rise. The last reported cost is that of
// the returned plan.
TEST(ReuseProgress, NeverRises) {
  for (const bool has_pool : {false, true}) {
    ProblemSpec spec = Pipeline(5, 60, 16);
    if (has_pool) {
      spec.constraints.pools = {{"sram", spec.capacity}};
      spec.capacity.reset();
    }
    const Problem problem = Problem::Create(spec).value();
    std::vector<SearchProgress> seen;
    support::TestObserver observer([&](const SearchProgress& progress) {
      seen.push_back(progress);
      return true;
    });
    SolveOptions options = ByNodes(100000);
    options.observer = &observer;
    const Solution solution = Solve(problem, "optimal", options).value();
    ASSERT_GT(seen.size(), 2u);
    for (size_t k = 0; k < seen.size(); ++k) {
      ASSERT_TRUE(seen[k].cost);
      EXPECT_EQ(seen[k].cost_bound, solution.cost_bound);
      EXPECT_NE(seen[k].found_by, "");
      if (k == 0) continue;
      EXPECT_LT(std::pair(*seen[k].cost, seen[k].total_size),
                std::pair(*seen[k - 1].cost, seen[k - 1].total_size));
      EXPECT_GE(seen[k].nodes, seen[k - 1].nodes);
    }
    EXPECT_EQ(*seen.back().cost, solution.cost);
    EXPECT_EQ(seen.back().total_size, solution.total_size);
    EXPECT_EQ(seen.back().found_by, solution.found_by);
  }
}

// If pools are planned one after another, or if pairs within groups pay, the
// costs of a part are not those of the whole plan. The search then reports no
// costs.
TEST(ReuseProgress, IsNotThatOfAPart) {
  ProblemSpec spec = Pipeline(5, 20, 16);
  spec.constraints.pools = {{"sram", spec.capacity}, {"dram", absl::nullopt}};
  spec.capacity.reset();
  for (uint32_t i = 0; i < 20; ++i) {
    spec.constraints.choices.push_back({{i / 15, 0}});
  }
  const Problem problem = Problem::Create(spec).value();
  size_t count = 0;
  support::TestObserver observer([&](const SearchProgress& progress) {
    count += progress.cost ? 1 : 0;
    return true;
  });
  SolveOptions options = ByNodes(2000);
  options.observer = &observer;
  EXPECT_TRUE(Solve(problem, "optimal", options).value().has_plan());
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace stowage
