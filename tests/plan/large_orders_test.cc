// SPDX-License-Identifier: Apache-2.0
// Tests problems with a free order and too many tasks for trying all orders.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "stowage/base/random.h"
#include "stowage/free_order.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/verify.h"
#include "tests/support/ordered_solution.h"

namespace stowage {
namespace {

struct LargeProblem {
  ProblemSpec spec;
  FreeOrder free_order;

  void AddRecord(size_t size, const std::vector<TaskId>& users) {
    spec.records.emplace_back(size, 0, 0);
    free_order.users.Add(users);
  }
};

// Returns `chains` chains of `length` tasks. Any two consecutive tasks of a
// chain use one record. The numbers of the tasks go around the chains: first
// the first task of each chain, then the second task of each chain, and so on.
LargeProblem Chains(size_t chains, size_t length) {
  LargeProblem problem;
  problem.free_order.tasks = chains * length;
  for (TaskId task = chains; task < chains * length; ++task) {
    problem.free_order.edges.push_back({task - chains, task});
    problem.AddRecord(10, {task - chains, task});
  }
  return problem;
}

// Returns tasks that each write one record. Each task also reads up to two
// records written by the 20 tasks before it.
LargeProblem Network(size_t tasks) {
  LargeProblem problem;
  problem.free_order.tasks = tasks;
  Random random(7);
  std::vector<std::vector<TaskId>> users(tasks);
  for (TaskId task = 0; task < tasks; ++task) {
    users[task].push_back(task);
    for (int k = 0; k < 2 && task > 0; ++k) {
      const TaskId before = task - 1 - random.Below(std::min<size_t>(task, 20));
      problem.free_order.edges.push_back({before, task});
      users[before].push_back(task);
    }
  }
  for (TaskId task = 0; task < tasks; ++task) {
    problem.AddRecord(1 + random.Below(1000), users[task]);
  }
  return problem;
}

// Returns options that limit the search by nodes instead of time, so the result
// does not depend on the machine.
SolveOptions SomeNodes() {
  SolveOptions options;
  options.node_budget = 30'000;
  return options;
}

void ExpectHonest(const LargeProblem& problem,
                  const support::OrderedSolution& found) {
  const Solution& solution = found.solution;
  EXPECT_FALSE(FindOrderViolation(problem.free_order, found.solution.order));
  ASSERT_TRUE(solution.has_plan());
  EXPECT_FALSE(FindViolation(found.problem, *solution.offsets()));
  EXPECT_LE(solution.lower_bound, solution.total_size);
  EXPECT_EQ(solution.status == SolutionStatus::kOptimal,
            solution.lower_bound == solution.total_size);
}

TEST(LargeOrders, ChainsRunOneAfterTheOther) {
  const LargeProblem problem = Chains(100, 100);
  const absl::StatusOr<support::OrderedSolution> found =
      support::SolveFreeOrder(problem.spec, problem.free_order,
                              "greedy_by_size", SomeNodes());
  ASSERT_TRUE(found.ok()) << found.status();
  ExpectHonest(problem, *found);
  EXPECT_EQ(found->solution.total_size, 20);
  EXPECT_EQ(found->solution.status, SolutionStatus::kOptimal);
}

TEST(LargeOrders, TenThousandTasksHaveAnHonestPlan) {
  const LargeProblem problem = Network(10'000);
  for (const char* strategy : {"greedy_by_size", "skyline"}) {
    const absl::StatusOr<support::OrderedSolution> found =
        support::SolveFreeOrder(problem.spec, problem.free_order, strategy,
                                SomeNodes());
    ASSERT_TRUE(found.ok()) << found.status();
    ExpectHonest(problem, *found);
  }
}

TEST(LargeOrders, TasksWithoutEdgesAreManyOrders) {
  LargeProblem problem;
  problem.free_order.tasks = 10'000;
  for (TaskId task = 0; task < 10'000; ++task) problem.AddRecord(task, {task});
  const absl::StatusOr<support::OrderedSolution> found =
      support::SolveFreeOrder(problem.spec, problem.free_order,
                              "greedy_by_size", SomeNodes());
  ASSERT_TRUE(found.ok()) << found.status();
  ExpectHonest(problem, *found);
  EXPECT_EQ(found->solution.total_size, 9'999);
}

// No single task needs as many bytes as the optimum, so the bound must come
// from the search.
TEST(LargeOrders, ForksNeedMoreThanAnyTask) {
  LargeProblem problem;
  // There are 16 sources in a ring. For each source, one task joins it with the
  // next source.
  constexpr size_t kRing = 16;
  problem.free_order.tasks = 2 * kRing;
  for (TaskId s = 0; s < kRing; ++s) {
    const TaskId left = kRing + s;
    const TaskId right = kRing + (s + 1) % kRing;
    problem.free_order.edges.push_back({s, left});
    problem.free_order.edges.push_back({s, right});
    problem.AddRecord(4, {s, left, right});
  }
  SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(60));
  const absl::StatusOr<support::OrderedSolution> found =
      support::SolveFreeOrder(problem.spec, problem.free_order, "optimal",
                              options);
  ASSERT_TRUE(found.ok()) << found.status();
  ExpectHonest(problem, *found);
  EXPECT_EQ(found->solution.status, SolutionStatus::kOptimal);
  EXPECT_EQ(found->solution.total_size, 12);
}

}  // namespace
}  // namespace stowage
