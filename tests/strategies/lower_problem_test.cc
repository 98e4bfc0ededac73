// SPDX-License-Identifier: Apache-2.0
// Tests how a problem is rewritten into one with simpler constraints. A problem
// is rewritten only if the simpler problem has the same plans.
#include "src/construct/lower_problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "src/bounds/conflicts.h"
#include "stowage/planner.h"

namespace stowage {
namespace {

ProblemSpec SampleOrdered(uint32_t seed) {
  std::mt19937 random(seed);
  const size_t tasks = 2 + random() % 5;
  std::vector<TaskEdge> edges;
  for (TaskId a = 0; a < tasks; ++a) {
    for (TaskId b = a + 1; b < tasks; ++b) {
      if (random() % 3 == 0) edges.push_back({a, b});
    }
  }
  ProblemSpec spec;
  spec.constraints.order = *TaskOrder::FromEdges(tasks, edges);
  const size_t count = 2 + random() % 4;
  for (size_t i = 0; i < count; ++i) {
    std::vector<TaskId> users = {static_cast<TaskId>(random() % tasks)};
    if (random() % 2 == 0) {
      users.push_back(static_cast<TaskId>(random() % tasks));
    }
    const auto [first, last] = std::minmax_element(users.begin(), users.end());
    spec.records.emplace_back(1 + random() % 9, *first, *last);
    spec.constraints.users.Add(users);
  }
  return spec;
}

TEST(LowerProblem, KeepsWhichRecordsOfAnOrderConflict) {
  size_t lowered = 0;
  size_t others = 0;
  for (uint32_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    ProblemSpec spec = SampleOrdered(seed);
    const auto problem = Problem::Create(spec);
    ASSERT_TRUE(problem.ok()) << problem.status();
    const auto simpler = LowerProblem(*problem);
    ASSERT_TRUE(simpler.ok()) << simpler.status();
    if (!*simpler) {
      ++others;
      continue;
    }
    ++lowered;
    const rigid::Relation relation(*problem);
    const auto records = (*simpler)->problem.records();
    for (uint32_t a = 0; a < records.size(); ++a) {
      for (uint32_t b = 0; b < a; ++b) {
        EXPECT_EQ(Conflict(records[a], records[b]), relation.Conflict(a, b));
      }
    }
    const auto direct = Solve(*problem, "optimal");
    const auto plain = Solve((*simpler)->problem, "optimal");
    ASSERT_TRUE(direct.ok() && plain.ok());
    EXPECT_EQ(direct->status, SolutionStatus::kOptimal);
    EXPECT_EQ(direct->total_size, plain->total_size);
  }
  EXPECT_GT(lowered, 100);
  EXPECT_GT(others, 10);
}

ProblemSpec TwoInOneGroup(ByteRecord first, ByteRecord second) {
  ProblemSpec spec;
  spec.records = {first, second, {8, 0, 9}};
  spec.constraints.places.resize(3);
  spec.constraints.places[0].group = 0;
  spec.constraints.places[1].group = 0;
  return spec;
}

TEST(LowerProblem, HolesOfAnOrderMayDifferInTheirTasksAlone) {
  ProblemSpec spec;
  spec.records = {{4, 0, 0}, {4, 1, 1}};
  spec.constraints.users.Add({0});
  spec.constraints.users.Add({1});
  spec.constraints.order = *TaskOrder::FromEdges(3, {});
  spec.constraints.holes = {{2, 3, 0, 0, 0}, {2, 3, 1, 1, 0}, {3, 4, 0, 0, 0}};
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto simpler = LowerProblem(*problem);
  ASSERT_TRUE(simpler.ok()) << simpler.status();
  const auto relaxed = RelaxToBoxes(*problem);
  ASSERT_TRUE(relaxed.ok()) << relaxed.status();
  EXPECT_EQ(relaxed->problem.constraints()->holes.size(), 2U);
  for (const char* strategy : {"optimal", "skyline", "greedy_by_size"}) {
    const auto solution = Solve(*problem, strategy);
    ASSERT_TRUE(solution.ok()) << solution.status();
    EXPECT_EQ(solution->total_size, 12U) << strategy;
  }
}

TEST(LowerProblem, MergesTheEqualBytesOfAGroupWhereLifetimesTouch) {
  const auto lower = [](const ProblemSpec& spec) {
    const auto problem = Problem::Create(spec);
    EXPECT_TRUE(problem.ok()) << problem.status();
    return *LowerProblem(*problem);
  };
  const auto merged = lower(TwoInOneGroup({16, 0, 2}, {16, 3, 5}));
  ASSERT_TRUE(merged.has_value());
  EXPECT_EQ(merged->problem.constraints(), nullptr);
  EXPECT_EQ(merged->map.record_of, (std::vector<uint32_t>{0, 0, 1}));
  EXPECT_EQ(merged->problem.records()[0].last_task, 5);
  EXPECT_TRUE(lower(TwoInOneGroup({16, 0, 4}, {16, 3, 5})));
  // Records are not merged if there is a task between their lifetimes, or if
  // they differ in size or in their place in the group.
  EXPECT_FALSE(lower(TwoInOneGroup({16, 0, 2}, {16, 4, 5})));
  EXPECT_FALSE(lower(TwoInOneGroup({16, 0, 2}, {8, 3, 5})));
  ProblemSpec displaced = TwoInOneGroup({16, 0, 2}, {16, 3, 5});
  displaced.constraints.places[1].at = 8;
  EXPECT_FALSE(lower(displaced));
}

// The sets that must be apart are {0, 1} and {2, 1, 0}, and record 2 is in
// another pool. Without record 2, the two sets are equal, so the pool of
// records 0 and 1 keeps only one of them.
TEST(LowerProblem, SplitsSetsThatAreApartByPool) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 2, 3}, {8, 4, 5}};
  spec.constraints.pools = {{"a", absl::nullopt}, {"b", absl::nullopt}};
  spec.constraints.choices = {{{0, 0}}, {{0, 0}}, {{1, 0}}};
  spec.constraints.apart = {{0, 1}, {2, 1, 0}};
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto parts = SplitByPool(*problem);
  ASSERT_TRUE(parts.ok()) << parts.status();
  ASSERT_EQ(parts->size(), 2);
  EXPECT_EQ(parts->front().problem.constraints()->apart,
            (std::vector<std::vector<size_t>>{{0, 1}}));
}

}  // namespace
}  // namespace stowage
