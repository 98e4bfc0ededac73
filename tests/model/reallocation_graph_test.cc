// SPDX-License-Identifier: Apache-2.0
// Tests which tensors may take over the objects of other tensors, given the
// dependencies between tensors.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/error_payload.h"
#include "stowage/usage_record.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;

TEST(BuildReallocationGraphTest, JoinsATensorWithWhatAllItsChildrenLeadTo) {
  const struct {
    const char* name;
    UsageGraph deps;  // deps[x] lists the tensors that are computed from x
    UsageGraph want;
  } cases[] = {
      {"nothing", {}, {}},
      {"no dependencies", {{}, {}}, {{}, {}}},
      {"a child is not strictly behind itself", {{1}, {}}, {{}, {}}},
      {"chain 0 > 1 > 2", {{1}, {2}, {}}, {{2}, {}, {0}}},
      {"diamond: 3 is behind both children of 0",
       {{1, 2}, {3}, {3}, {}},
       {{3}, {}, {}, {0}}},
      {"fork: 3 is behind one child of 0, and of 1 the child",
       {{1, 2}, {3}, {}, {}},
       {{}, {}, {}, {}}},
      {"a child that is also a grandchild is behind one child only",
       {{1, 2}, {2}, {3}, {}},
       {{3}, {3}, {}, {0, 1}}},
      {"indices in any order", {{}, {0}, {1}}, {{2}, {}, {0}}},
      {"a child named twice counts once", {{1, 1}, {2, 2}, {}}, {{2}, {}, {0}}},
  };
  for (const auto& c : cases) {
    const auto graph = BuildReallocationGraph(c.deps);
    ASSERT_THAT(graph, IsOk()) << c.name;
    EXPECT_EQ(*graph, c.want) << c.name;
  }
}

TEST(BuildReallocationGraphTest, AgreesWithTheOriginalsOwnCases) {
  const auto cases = support::LoadUpstreamCases({"deps_graph", "expected"});
  ASSERT_EQ(cases.size(), 4);
  for (const auto& c : cases) {
    const auto graph =
        BuildReallocationGraph(c.at("deps_graph").get<UsageGraph>());
    ASSERT_THAT(graph, IsOk());
    EXPECT_EQ(*graph,
              c.at("expected").at("reallocation_graph").get<UsageGraph>())
        << c.at("test");
  }
}

TEST(BuildReallocationGraphTest, AgreesWithEveryRecordedGraph) {
  for (const auto& vector : support::LoadReallocationVectors()) {
    const auto graph = BuildReallocationGraph(vector.deps_graph);
    ASSERT_THAT(graph, IsOk()) << vector.name;
    EXPECT_EQ(*graph, vector.reallocation_graph) << vector.name;
  }
}

TEST(BuildReallocationGraphTest, RefusesTensorsThatAreNotThere) {
  const auto graph = BuildReallocationGraph({{1}, {2}});
  EXPECT_THAT(graph, FailsWith(absl::StatusCode::kInvalidArgument,
                               "dependency graph: tensor 1 lists tensor 2; "
                               "expected a tensor below 2"));
  EXPECT_THAT(RecordsOf(graph.status()), ElementsAre(1));
}

TEST(BuildReallocationGraphTest, RefusesCycles) {
  const struct {
    UsageGraph deps;
    const char* message;
    size_t tensor;
  } cases[] = {
      {{{0}},
       "dependency graph: tensor 0 is on or behind a cycle of dependencies; "
       "expected none",
       0},
      {{{1}, {2}, {1}},
       "dependency graph: tensor 1 is on or behind a cycle of dependencies; "
       "expected none",
       1},
      {{{}, {0, 2}, {3}, {2}},
       "dependency graph: tensor 2 is on or behind a cycle of dependencies; "
       "expected none",
       2},
  };
  for (const auto& c : cases) {
    const auto graph = BuildReallocationGraph(c.deps);
    EXPECT_THAT(graph,
                FailsWith(absl::StatusCode::kInvalidArgument, c.message));
    EXPECT_THAT(RecordsOf(graph.status()), ElementsAre(c.tensor));
  }
}

// Computes the reallocation graph by its definition, from the transitive
// closure of the dependencies.
UsageGraph SlowReallocationGraph(const UsageGraph& deps) {
  const size_t n = deps.size();
  std::vector<std::vector<bool>> leads(n, std::vector<bool>(n, false));
  for (size_t x = 0; x < n; ++x) {
    for (const size_t y : deps[x]) leads[x][y] = true;
  }
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        if (leads[i][k] && leads[k][j]) leads[i][j] = true;
      }
    }
  }
  const auto may_take_over = [&](size_t root, size_t x) {
    return !deps[root].empty() &&
           std::all_of(deps[root].begin(), deps[root].end(),
                       [&](size_t child) { return leads[child][x]; });
  };
  UsageGraph graph(n);
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = 0; b < n; ++b) {
      if (may_take_over(a, b) || may_take_over(b, a)) graph[a].push_back(b);
    }
  }
  return graph;
}

RC_GTEST_PROP(BuildReallocationGraphTest, MatchesItsDefinition, ()) {
  const size_t n = *rc::gen::inRange<size_t>(0, 12);
  // Each tensor has a random key. Every edge leads from a lower to a higher
  // key, so the graph has no cycle.
  const auto edges =
      *rc::gen::container<std::vector<std::pair<size_t, size_t>>>(rc::gen::pair(
          rc::gen::inRange<size_t>(0, 12), rc::gen::inRange<size_t>(0, 12)));
  const auto keys =
      *rc::gen::container<std::vector<size_t>>(n, rc::gen::arbitrary<size_t>());
  UsageGraph deps(n);
  for (const auto& [a, b] : edges) {
    if (a >= n || b >= n) continue;
    if (std::make_pair(keys[a], a) < std::make_pair(keys[b], b)) {
      deps[a].push_back(b);
    }
  }
  const auto graph = BuildReallocationGraph(deps);
  RC_ASSERT(graph.ok());
  RC_ASSERT(*graph == SlowReallocationGraph(deps));
}

}  // namespace
}  // namespace stowage
