// SPDX-License-Identifier: Apache-2.0
// Tests the graphs that describe parallel execution, and the function that
// checks plans for these graphs.
#include "stowage/testing/graphs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/planner.h"
#include "stowage/testing/generators.h"
#include "stowage/usage_record.h"
#include "tests/support/plan_request.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

using support::FailsWith;
using support::IsOk;
using support::Plan;
using support::PlanRequest;
using ::testing::HasSubstr;

GraphInstance GraphOf(UsageGraph dependencies) {
  GraphInstance graph;
  for (size_t i = 0; i < dependencies.size(); ++i) {
    const size_t last = dependencies[i].empty() ? i : dependencies[i].back();
    graph.records.emplace_back(8, i, last);
  }
  graph.dependencies = std::move(dependencies);
  return graph;
}

TEST(CheckParallelPlanTest, FollowsTheDependencies) {
  const struct {
    const char* name;
    UsageGraph dependencies;
    std::vector<size_t> objects;
    const char* error;  // null if the plan is safe
  } cases[] = {
      {"a chain of three", {{1}, {2}, {}}, {0, 1, 0}, nullptr},
      {"a chain of four in two objects",
       {{1}, {2}, {3}, {}},
       {0, 1, 0, 1},
       nullptr},
      {"both branches have been read",
       {{1, 2}, {3}, {3}, {}},
       {0, 1, 2, 0},
       nullptr},
      {"the branches at the same time",
       {{1, 2}, {3}, {4}, {}, {}},
       {0, 1, 2, 3, 1},
       "tensor 1 and tensor 4 both hold object 1, and nothing keeps 4 from "
       "being computed before 1 has been read"},
      {"not read, so that it is not known when it is done",
       {{}, {2}, {}},
       {0, 1, 0},
       "tensor 0 and tensor 2 both hold object 0, and nothing keeps 2 from "
       "being computed before 0 has been read"},
      {"live at the same task in any order",
       {{1}, {}},
       {0, 0},
       "tensor 0 and tensor 1 both hold object 0 at task 1"},
  };
  for (const auto& c : cases) {
    const GraphInstance graph = GraphOf(c.dependencies);
    const size_t count = graph.records.size();
    const ObjectsAssignment<size_t> plan = {c.objects,
                                            std::vector<size_t>(count, 8)};
    const absl::Status status = CheckParallelPlan(graph, plan);
    if (c.error == nullptr) {
      EXPECT_THAT(status, IsOk()) << c.name;
    } else {
      EXPECT_THAT(status, FailsWith(absl::StatusCode::kInternal, c.error))
          << c.name;
    }
  }
}

TEST(CheckParallelPlanTest, RefusesOtherGraphs) {
  GraphInstance graph = GraphOf({{1}, {}});
  graph.dependencies[1] = {0};
  const ObjectsAssignment<size_t> plan = {{0, 1}, {8, 8}};
  EXPECT_THAT(CheckParallelPlan(graph, plan),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "tensor 1 lists tensor 0; expected one from 2 to 2, "
                        "exclusive"));
  graph.dependencies.pop_back();
  EXPECT_THAT(CheckParallelPlan(graph, plan),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("1 lists of dependencies for 2 records")));
}

TEST(RandomGraphTest, RecordsFollowTheGraph) {
  size_t edges = 0;
  size_t roots = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const GraphInstance graph = RandomGraph(seed, 30);
    ASSERT_EQ(graph.records.size(), 30);
    ASSERT_EQ(graph.dependencies.size(), 30);
    std::vector<bool> is_root(30, true);
    for (size_t i = 0; i < 30; ++i) {
      const std::vector<size_t>& children = graph.dependencies[i];
      EXPECT_TRUE(std::is_sorted(children.begin(), children.end()));
      EXPECT_EQ(graph.records[i].first_task, i);
      EXPECT_EQ(graph.records[i].last_task,
                children.empty() ? i : children.back());
      for (const size_t child : children) is_root[child] = false;
      edges += children.size();
    }
    roots +=
        static_cast<size_t>(std::count(is_root.begin(), is_root.end(), true));
    EXPECT_THAT(BuildReallocationGraph(graph.dependencies), IsOk());
  }
  EXPECT_GT(edges, 50 * 25);
  EXPECT_GT(roots, 50 * 4);
}

RC_GTEST_PROP(RandomGraphTest, PlansThatHonourTheGraphAreSafeInParallel, ()) {
  const GraphInstance graph = *AnyGraphs();
  const auto reallocation = BuildReallocationGraph(graph.dependencies);
  RC_ASSERT(reallocation.ok());
  PlanRequest options;
  options.strategy = "greedy_in_order";
  options.kind = PlanKind::kObjects;
  options.reallocation_graph = &*reallocation;
  const auto plan = Plan(graph.records, options);
  RC_ASSERT(plan.ok());
  RC_ASSERT(CheckParallelPlan(graph, *plan->objects()) == absl::OkStatus());
}

// A plan for one order of execution may be unsafe in parallel execution. The
// check finds such plans.
TEST(RandomGraphTest, PlansForOneOrderAreNotSafeInParallel) {
  PlanRequest options;
  options.strategy = "greedy_in_order";
  options.kind = PlanKind::kObjects;
  size_t caught = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const GraphInstance graph = RandomGraph(seed, 30);
    const auto plan = Plan(graph.records, options);
    ASSERT_THAT(plan, IsOk());
    if (!CheckParallelPlan(graph, *plan->objects()).ok()) ++caught;
  }
  EXPECT_GT(caught, 45);
}

}  // namespace
}  // namespace stowage::testing
