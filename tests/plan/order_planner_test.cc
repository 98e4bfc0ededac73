// SPDX-License-Identifier: Apache-2.0

#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/free_order.h"
#include "stowage/labels.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/verify.h"
#include "tests/plan/random_orders.h"
#include "tests/support/ordered_solution.h"
#include "tests/support/test_observer.h"

namespace stowage {
namespace {

using support::RandomOrderProblem;
using testing::HasSubstr;

SolveOptions LongTime() {
  SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(60));
  return options;
}

// Returns four chains of two tasks. Both tasks of a chain use one record of 10
// bytes. If the chains run one after another, 10 bytes are needed; in the order
// of the task numbers, 40 bytes are needed.
RandomOrderProblem FourChains() {
  RandomOrderProblem problem;
  problem.free_order.tasks = 8;
  for (TaskId t = 0; t < 4; ++t) {
    problem.free_order.edges.push_back({t, t + 4});
    problem.free_order.users.Add({t, t + 4});
    problem.spec.records.emplace_back(10, 0, 0);
  }
  return problem;
}

absl::StatusOr<support::OrderedSolution> SolveIt(
    const RandomOrderProblem& problem, const SolveOptions& options,
    const char* strategy = "optimal") {
  return support::SolveFreeOrder(problem.spec, problem.free_order, strategy,
                                 options);
}

// Solves the problem for every order of the tasks and returns the smallest
// total size, or nothing if no order has a plan.
absl::optional<size_t> TrueTotal(const RandomOrderProblem& problem) {
  absl::optional<size_t> least;
  support::ForEachOrder(
      problem.free_order, [&](const std::vector<TaskId>& order) {
        ProblemSpec spec = problem.spec;
        spec.records = RecordsInOrder(spec.records, problem.free_order, order);
        SolveOptions options = LongTime();
        options.threads = 1;
        const auto solution =
            Solve(*Problem::Create(std::move(spec)), "optimal", options);
        RC_ASSERT(solution.ok());
        RC_ASSERT(solution->status != SolutionStatus::kFeasible);
        if (!solution->has_plan()) return;
        if (!least || solution->total_size < *least) {
          least = solution->total_size;
        }
      });
  return least;
}

void CheckTruth(const RandomOrderProblem& problem) {
  const absl::StatusOr<support::OrderedSolution> found =
      SolveIt(problem, LongTime());
  RC_ASSERT(found.ok());
  RC_ASSERT(!FindOrderViolation(problem.free_order, found->solution.order));
  const absl::optional<size_t> truth = TrueTotal(problem);
  const Solution& solution = found->solution;
  if (!truth) {
    RC_ASSERT(solution.status == SolutionStatus::kInfeasible);
    return;
  }
  RC_ASSERT(solution.status == SolutionStatus::kOptimal);
  RC_ASSERT(solution.total_size == *truth);
  RC_ASSERT(solution.lower_bound == *truth);
  RC_ASSERT(!FindViolation(found->problem, *solution.offsets()));
}

RC_GTEST_PROP(OrderPlanner, FindsTheLeastTotalOfAllOrders, ()) {
  CheckTruth(*support::RandomOrders(5, 7));
}

RC_GTEST_PROP(OrderPlanner, HonoursWhatElseIsAskedFor, ()) {
  RandomOrderProblem problem = *support::RandomOrders(4, 5, 2);
  ProblemSpec& spec = problem.spec;
  const size_t count = spec.records.size();
  const auto some = [&] { return *rc::gen::inRange<size_t>(0, count); };
  for (size_t i = 0; i < count; ++i) {
    spec.alignments.push_back(size_t{1} << *rc::gen::inRange(0, 4));
  }
  if (*rc::gen::inRange(0, 2) == 0) spec.constraints.apart = {{0, 1}};
  if (*rc::gen::inRange(0, 2) == 0) {
    spec.constraints.holes = {{4, 9, 0, std::numeric_limits<TaskId>::max(), 0}};
  }
  if (*rc::gen::inRange(0, 2) == 0) {
    const size_t first = some();
    const size_t second = some();
    if (first != second) spec.constraints.never = {{first, second}};
  }
  if (*rc::gen::inRange(0, 2) == 0) {
    spec.capacity = *rc::gen::inRange<size_t>(10, 60);
  }
  CheckTruth(problem);
}

RC_GTEST_PROP(OrderPlanner, PlansGroups, ()) {
  RandomOrderProblem problem = *support::RandomOrders(4, 5, 2);
  ProblemSpec& spec = problem.spec;
  spec.constraints.places.resize(spec.records.size());
  for (size_t i = 0; i < 2; ++i) {
    spec.constraints.places[i].group = 0;
    spec.constraints.places[i].at = *rc::gen::inRange<size_t>(0, 8);
  }
  CheckTruth(problem);
}

TEST(OrderPlanner, RunsChainsOneAfterTheOther) {
  for (const char* strategy : {"optimal", "greedy_by_size", "skyline"}) {
    const auto found = SolveIt(FourChains(), LongTime(), strategy);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->solution.total_size, 10) << strategy;
    EXPECT_EQ(found->solution.status, SolutionStatus::kOptimal);
    EXPECT_EQ(found->solution.reason,
              "the total equals the bytes live in any order");
  }
}

TEST(OrderPlanner, PlansNothingAndOneTask) {
  RandomOrderProblem empty;
  auto found = SolveIt(empty, LongTime());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found->solution.order.empty());
  EXPECT_EQ(found->solution.total_size, 0);
  EXPECT_EQ(found->solution.status, SolutionStatus::kOptimal);
  RandomOrderProblem one;
  one.free_order.tasks = 1;
  one.free_order.users.Add({0, 0});
  one.spec.records.emplace_back(5, 0, 0);
  found = SolveIt(one, LongTime());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->solution.order, std::vector<TaskId>{0});
  EXPECT_EQ(found->solution.total_size, 5);
}

TEST(OrderPlanner, ProvesThatNoOrderFitsACapacity) {
  RandomOrderProblem problem = FourChains();
  problem.spec.capacity = 9;
  auto found = SolveIt(problem, LongTime());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->solution.status, SolutionStatus::kInfeasible);
  EXPECT_EQ(found->solution.reason,
            "the bytes live in any order, 10, exceed the capacity 9");
  problem.spec.capacity = 10;
  found = SolveIt(problem, LongTime());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->solution.status, SolutionStatus::kOptimal);
}

TEST(OrderPlanner, EndsAtItsLimitsWithAPlan) {
  SolveOptions no_time;
  no_time.time_limit_ns = 0;
  SolveOptions no_nodes;
  no_nodes.node_budget = 0;
  support::ImpatientObserver impatient;
  SolveOptions is_cancelled = LongTime();
  is_cancelled.observer = &impatient;
  for (const SolveOptions& options : {no_time, no_nodes, is_cancelled}) {
    const auto found = SolveIt(FourChains(), options);
    ASSERT_TRUE(found.ok()) << found.status();
    ASSERT_TRUE(found->solution.has_plan());
    EXPECT_LE(found->solution.lower_bound, 10);
    EXPECT_GE(found->solution.total_size, 10);
  }
}

TEST(OrderPlanner, IsTheSameForAnyNumberOfThreads) {
  const RandomOrderProblem problem = FourChains();
  SolveOptions options;
  options.node_budget = 1000;
  options.threads = 1;
  const auto one = SolveIt(problem, options);
  options.threads = 3;
  const auto three = SolveIt(problem, options);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(one->solution.order, three->solution.order);
  EXPECT_EQ(one->solution.offsets()->offsets,
            three->solution.offsets()->offsets);
}

TEST(OrderPlanner, ReportsProgress) {
  SolveOptions options = LongTime();
  std::vector<size_t> totals;
  support::TestObserver observer([&](const SearchProgress& progress) {
    totals.push_back(progress.total_size);
    EXPECT_LE(progress.lower_bound, 10);
    return true;
  });
  options.observer = &observer;
  ASSERT_TRUE(SolveIt(FourChains(), options).ok());
  ASSERT_FALSE(totals.empty());
  EXPECT_EQ(totals.back(), 10);
  EXPECT_TRUE(std::is_sorted(totals.rbegin(), totals.rend()));
}

TEST(OrderPlanner, RefusesByNameWhatDoesNotGoWithIt) {
  struct Case {
    void (*ask)(ProblemSpec*);
    const char* text;
  };
  const Case cases[] = {
      {[](ProblemSpec* spec) { spec->kind = PlanKind::kObjects; },
       "shared objects"},
      {[](ProblemSpec* spec) { spec->reallocation_graph.emplace(); },
       "reallocation graphs"},
      {[](ProblemSpec* spec) {
         spec->constraints.order = *TaskOrder::FromEdges(8, {});
       },
       "partial orders and streams"},
      {[](ProblemSpec* spec) {
         spec->constraints.pools = {{"a", {}}};
       },
       "pools"},
      {[](ProblemSpec* spec) {
         spec->constraints.prefer_apart = {{0, 1, 2}};
       },
       "preferences"},
      {[](ProblemSpec* spec) {
         spec->constraints.holes = {{0, 1, 0, 3, 0}};
       },
       "holes of some tasks"},
  };
  for (const Case& c : cases) {
    RandomOrderProblem problem = FourChains();
    c.ask(&problem.spec);
    const absl::Status status = SolveIt(problem, LongTime()).status();
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.text));
  }
}

TEST(OrderPlanner, LabelsOfTheDecidedProblemFollowTheOrder) {
  RandomOrderProblem problem = FourChains();
  Labels& labels = problem.spec.labels;
  for (TaskId t = 0; t < 4; ++t) {
    TensorInfo& info = labels.tensors.emplace_back();
    info.name = std::to_string(t);
    info.producer = t;
    info.consumers = {t + 4};
  }
  for (TaskId t = 0; t < 8; ++t) labels.operators.push_back(std::to_string(t));
  const auto found = SolveIt(problem, LongTime());
  ASSERT_TRUE(found.ok()) << found.status();
  const Labels& decided = found->problem.labels();
  const std::vector<TaskId>& order = found->solution.order;
  for (size_t p = 0; p < order.size(); ++p) {
    EXPECT_EQ(decided.operators[p], std::to_string(order[p]));
  }
  for (size_t i = 0; i < decided.tensors.size(); ++i) {
    EXPECT_EQ(decided.tensors[i].name, std::to_string(i));
    EXPECT_EQ(order[*decided.tensors[i].producer], i);
    EXPECT_EQ(order[decided.tensors[i].consumers.at(0)], i + 4);
  }
}

TEST(OrderPlanner, RefusesCyclesAndUnknownStrategies) {
  RandomOrderProblem problem = FourChains();
  EXPECT_TRUE(absl::IsNotFound(SolveIt(problem, LongTime(), "none").status()));
  problem.free_order.edges.push_back({4, 0});
  EXPECT_TRUE(absl::IsInvalidArgument(SolveIt(problem, LongTime()).status()));
}

}  // namespace
}  // namespace stowage
