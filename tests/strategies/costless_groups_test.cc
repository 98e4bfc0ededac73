// SPDX-License-Identifier: Apache-2.0
// Tests plans in which no pair with a cost shares a byte. They are as small as
// the plans of the problem in which these pairs must be apart.
#include "optimal/constrained/reuse/costless_groups.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "optimal/constrained/group_optimum.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/random.h"
#include "stowage/constraints.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"
#include "tests/support/status_matchers.h"

namespace stowage::optimal {
namespace {

using support::IsOk;

constexpr int kNearTasks = 12;

// Returns records with short lives. Two records have a cost if the second one
// begins less than kNearTasks tasks after the end of the first one.
ProblemSpec Tiles(uint64_t seed, size_t count) {
  Random random(seed);
  ProblemSpec spec;
  spec.alignment = 64;
  for (size_t i = 0; i < count; ++i) {
    const TaskId first = i / 3;
    spec.records.emplace_back(64 * (1 + random.Below(300)), first,
                              first + 1 + random.Below(3));
  }
  for (size_t a = 0; a < count; ++a) {
    for (size_t b = a + 1; b < count; ++b) {
      const TaskId end = spec.records[a].last_task;
      const TaskId begin = spec.records[b].first_task;
      if (begin > end && begin - end < kNearTasks) {
        spec.constraints.prefer_apart.push_back({a, b, 3});
      }
    }
  }
  return spec;
}

// Returns the problem in which pairs with a cost must be apart.
ProblemSpec WithPairsApart(ProblemSpec spec) {
  for (const ApartPreference& pair : spec.constraints.prefer_apart) {
    spec.constraints.apart.push_back({pair.first, pair.second});
  }
  spec.constraints.prefer_apart.clear();
  return spec;
}

TEST(CostlessPlans, AreAsSmallAsThoseOfPairsApart) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const ProblemSpec spec = Tiles(seed, 240);
    const auto problem = Problem::Create(spec);
    const auto apart = Problem::Create(WithPairsApart(spec));
    ASSERT_THAT(problem, IsOk());
    ASSERT_THAT(apart, IsOk());
    SolveOptions options;
    options.time_limit_ns = kNoTimeLimit;
    options.node_budget = 20'000;
    const auto plan = Solve(*problem, "optimal", options);
    const auto plan_apart = Solve(*apart, "skyline", options);
    ASSERT_THAT(plan, IsOk());
    ASSERT_THAT(plan_apart, IsOk());
    EXPECT_EQ(plan->cost, 0u) << seed;
    EXPECT_LE(plan->total_size, plan_apart->total_size) << seed;
  }
}

TEST(CostlessGroups, KeepEverythingElse) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {4, 0, 1}, {4, 3, 4}, {2, 3, 4}, {6, 5, 6}};
  Constraints& constraints = spec.constraints;
  constraints.pools = {{"fast", 16}, {"slow", {}}};
  constraints.places.resize(5);
  constraints.places[1] = {0, {}, 0, 0};
  constraints.places[2] = {0, {}, 0, 4};
  constraints.holes = {{2, 4, 0, 9, 0}, {0, 1, 0, 9, 1}};
  constraints.prefer_apart = {{0, 2, 5}, {0, 3, 0}, {2, 3, 1}, {1, 4, 2}};
  const auto problem = Problem::Create(spec);
  ASSERT_THAT(problem, IsOk());
  const auto groups =
      rigid::RigidGroups::Make(*problem, std::vector<uint32_t>{3, 1, 2, 0}, 0);
  ASSERT_TRUE(groups);
  // Pieces, by record: 3 is 0, 1 is 1, 2 is 2, 0 is 3.
  const std::vector<CostlyPair> costly = {{3, 2, 5}, {3, 0, 0}, {2, 0, 1}};
  const CostlessGroups made = MakeCostlessGroups(*groups, costly, 16);
  ASSERT_NE(made.relation, nullptr);
  ASSERT_EQ(made.groups->size(), groups->size());
  for (size_t b = 0; b < groups->size(); ++b) {
    EXPECT_EQ((*made.groups)[b].extent, (*groups)[b].extent) << b;
    EXPECT_EQ(made.groups->PiecesOf(b).size(), groups->PiecesOf(b).size()) << b;
  }
  EXPECT_EQ(made.groups->holes().size(), 1u);
  EXPECT_EQ(made.groups->capacity(), 16);
  EXPECT_TRUE(made.relation->Conflict(3, 2));   // records 0 and 2: cost 5
  EXPECT_FALSE(made.relation->Conflict(3, 0));  // records 0 and 3: cost 0
}

}  // namespace
}  // namespace stowage::optimal
