// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/partition.h"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "rapidcheck/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace stowage::harness {

bool operator==(const GraphPartition& a, const GraphPartition& b) {
  return a.delegated == b.delegated && a.nodes == b.nodes &&
         a.inputs == b.inputs && a.outputs == b.outputs;
}

void PrintTo(const GraphPartition& part, std::ostream* os) {
  *os << (part.delegated ? "delegated " : "not delegated ")
      << ::testing::PrintToString(part.nodes) << " from "
      << ::testing::PrintToString(part.inputs) << " to "
      << ::testing::PrintToString(part.outputs);
}

namespace {

using nlohmann::json;
using support::FailsWith;
using support::IsOk;
using support::LoadJsonLines;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Edges = std::vector<std::pair<int, int>>;

// The tests below use recorded partitions.

PartitionRequest RequestOf(const json& graph) {
  PartitionRequest request;
  request.tensor_count = graph["tensors"];
  request.graph_inputs = graph["inputs"].get<std::vector<int>>();
  request.graph_outputs = graph["outputs"].get<std::vector<int>>();
  for (const json& node : graph["nodes"]) {
    request.nodes.push_back({node["inputs"].get<std::vector<int>>(),
                             node["outputs"].get<std::vector<int>>(),
                             node.value("side_effect", false)});
  }
  request.execution_plan = graph["plan"].get<std::vector<int>>();
  return request;
}

std::vector<GraphPartition> PartsOf(const json& subsets) {
  std::vector<GraphPartition> parts;
  for (const json& subset : subsets) {
    parts.push_back({subset["delegated"].get<bool>(),
                     subset["nodes"].get<std::vector<int>>(),
                     subset["inputs"].get<std::vector<int>>(),
                     subset["outputs"].get<std::vector<int>>()});
  }
  return parts;
}

TEST(PartitionGraph, IsThatOfTheOriginal) {
  const std::vector<json> vectors =
      LoadJsonLines("vectors_partition_public.jsonl");
  ASSERT_EQ(vectors.size(), 200);
  for (const json& vector : vectors) {
    SCOPED_TRACE(vector["name"]);
    PartitionRequest request = RequestOf(vector);
    request.claims = vector["claims"].get<std::vector<int>>();
    request.greedy = vector["greedy"];
    request.fuse = vector["fuse"];
    if (!vector["control_edges"].is_null()) {
      request.control_edges = vector["control_edges"].get<Edges>();
    }
    const auto parts = PartitionGraph(request);
    const json& expected = vector["expected"];
    if (expected["status"] == "error") {
      EXPECT_TRUE(absl::IsInvalidArgument(parts.status())) << parts.status();
      continue;
    }
    ASSERT_THAT(parts, IsOk());
    EXPECT_EQ(*parts, PartsOf(expected["subsets"]));
  }
}

// Replaces each delegated part by one node, as the interpreter does. Returns
// the new nodes.
std::vector<int> Replace(const std::vector<GraphPartition>& parts,
                         PartitionRequest* request) {
  std::vector<int> delegate_nodes;
  request->execution_plan.clear();
  for (const GraphPartition& part : parts) {
    std::vector<int> nodes = part.nodes;
    if (part.delegated) {
      nodes = {static_cast<int>(request->nodes.size())};
      delegate_nodes.push_back(nodes[0]);
      request->nodes.push_back({part.inputs, part.outputs});
    }
    request->execution_plan.insert(request->execution_plan.end(), nodes.begin(),
                                   nodes.end());
  }
  return delegate_nodes;
}

TEST(LimitClaims, IsThatOfTheOriginalForDelegatesInARow) {
  const std::vector<json> vectors =
      LoadJsonLines("vectors_partition_steps_public.jsonl");
  ASSERT_EQ(vectors.size(), 80);
  for (const json& vector : vectors) {
    PartitionRequest request = RequestOf(vector);
    for (const json& step : vector["steps"]) {
      SCOPED_TRACE(vector["name"].get<std::string>() + step.dump());
      const json& expected = step["expected"];
      request.claims = step["claims"].get<std::vector<int>>();
      const auto all = PartitionGraph(request);
      ASSERT_THAT(all, IsOk());
      EXPECT_EQ(std::count_if(all->begin(), all->end(),
                              [](const auto& part) { return part.delegated; }),
                expected["candidates"]);
      const auto claims =
          LimitClaims(request, {step["max_partitions"], step["min_nodes"]});
      ASSERT_THAT(claims, IsOk());
      EXPECT_EQ(*claims, expected["chosen"].get<std::vector<int>>());
      if (claims->empty()) continue;
      request.claims = *claims;
      const auto parts = PartitionGraph(request);
      ASSERT_THAT(parts, IsOk());
      EXPECT_EQ(*parts, PartsOf(expected["subsets"]));
      EXPECT_EQ(Replace(*parts, &request),
                expected["delegate_nodes"].get<std::vector<int>>());
      EXPECT_EQ(request.execution_plan,
                expected["plan"].get<std::vector<int>>());
    }
  }
}

// The tests below use handwritten cases.

// Returns a chain in which node i reads tensor i and writes tensor i + 1. The
// last tensor is tensor `length`.
PartitionRequest Chain(int length, std::vector<int> claims) {
  PartitionRequest request;
  request.tensor_count = length + 1;
  request.graph_inputs = {0};
  request.graph_outputs = {length};
  for (int i = 0; i < length; ++i) {
    request.nodes.push_back({{i}, {i + 1}});
    request.execution_plan.push_back(i);
  }
  request.claims = std::move(claims);
  return request;
}

TEST(PartitionGraph, OfAnEmptyPlanHasNoParts) {
  EXPECT_THAT(*PartitionGraph({}), IsEmpty());
}

TEST(PartitionGraph, KeepsTheOrderOfSideEffectsUnlessEdgesAreGiven) {
  // No tensor orders these nodes. Only the side effects keep node 1 between
  // nodes 0 and 2.
  PartitionRequest request;
  request.tensor_count = 3;
  request.graph_outputs = {0, 1, 2};
  request.nodes = {{{}, {0}, true}, {{}, {1}, true}, {{}, {2}, true}};
  request.execution_plan = {0, 1, 2};
  request.claims = {0, 2};
  EXPECT_EQ(PartitionGraph(request)->size(), 3);
  request.control_edges = Edges();
  EXPECT_EQ(PartitionGraph(request)->size(), 2);
}

// The edges may require an order that differs from that of the plan. A part of
// consecutive nodes may then reach the end of the plan and continue at its
// beginning.
TEST(PartitionGraph, InOrderBeginsAgainAtTheEndOfThePlan) {
  PartitionRequest request;
  request.nodes.resize(3);
  request.execution_plan = {0, 1, 2};
  request.greedy = false;
  request.control_edges = Edges{{2, 0}};
  const auto parts = PartitionGraph(request);
  ASSERT_THAT(parts, IsOk());
  ASSERT_EQ(parts->size(), 1);
  EXPECT_THAT((*parts)[0].nodes, ElementsAre(1, 2, 0));
}

TEST(LimitClaims, PrefersTheEarlierOfEqualParts) {
  const PartitionRequest request = Chain(8, {0, 1, 3, 4, 6});
  EXPECT_THAT(*LimitClaims(request, {1, 0}), ElementsAre(0, 1));
  EXPECT_THAT(*LimitClaims(request, {2, 0}), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(*LimitClaims(request, {0, 2}), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(*LimitClaims(request, {-1, 1}), ElementsAre(0, 1, 3, 4, 6));
  EXPECT_THAT(*LimitClaims(request, {0, 3}), IsEmpty());
}

TEST(PartitionGraph, TakesLargeGraphs) {
  PartitionRequest request = Chain(100'000, {});
  for (int i = 0; i < 100'000; i += 2) request.claims.push_back(i);
  // The reversed plan begins with the last node of the chain, so only one node
  // is ready at a time.
  std::reverse(request.execution_plan.begin(), request.execution_plan.end());
  EXPECT_EQ(PartitionGraph(request)->size(), 100'000);
}

struct BadRequest {
  std::string name;
  void (*spoil)(PartitionRequest* chain_of_3);
  std::string error;
};

TEST(PartitionGraph, RefusesBadIndicesAndCycles) {
  const BadRequest cases[] = {
      {"negative count", [](auto* r) { r->tensor_count = -1; },
       "tensor_count: -1; expected 0 or more"},
      {"tensor", [](auto* r) { r->nodes[1].inputs = {4}; },
       "node 1: there is no tensor 4; expected 0 to 3"},
      {"tensor below -1", [](auto* r) { r->nodes[2].outputs = {-2}; },
       "node 2: there is no tensor -2; expected 0 to 3"},
      {"graph input", [](auto* r) { r->graph_inputs = {9}; },
       "graph_inputs: there is no tensor 9; expected 0 to 3"},
      {"graph output", [](auto* r) { r->graph_outputs = {9}; },
       "graph_outputs: there is no tensor 9; expected 0 to 3"},
      {"node of the plan",
       [](auto* r) {
         r->execution_plan = {0, 3};
       },
       "execution_plan: there is no node 3; expected 0 to 2"},
      {"node in the plan twice",
       [](auto* r) {
         r->execution_plan = {0, 1, 0};
       },
       "execution_plan: node 0 is in it twice; expected once"},
      {"claim", [](auto* r) { r->claims = {-1}; },
       "claims: there is no node -1; expected 0 to 2"},
      {"control edge",
       [](auto* r) {
         r->control_edges = Edges{{0, 3}};
       },
       "control_edges: there is no position 3; expected 0 to 2"},
      {"control edge to itself",
       [](auto* r) {
         r->control_edges = Edges{{1, 1}};
       },
       "node 1: it is in a cycle of tensors and control edges, or after one; "
       "expected a graph without cycles"},
      {"two writers", [](auto* r) { r->nodes[2].outputs = {1}; },
       "node 2: node 0 writes tensor 1, too; expected one writer"},
      {"no node at all", [](auto* r) { *r = {}, r->execution_plan = {0}; },
       "execution_plan: there is no node 0; expected no node"},
  };
  for (const BadRequest& bad : cases) {
    SCOPED_TRACE(bad.name);
    PartitionRequest request = Chain(3, {1});
    bad.spoil(&request);
    EXPECT_THAT(PartitionGraph(request),
                FailsWith(absl::StatusCode::kInvalidArgument, bad.error));
    EXPECT_THAT(LimitClaims(request, {}),
                FailsWith(absl::StatusCode::kInvalidArgument, bad.error));
  }
}

// Returns the nodes of the parts. Follows the rules literally, by walking
// through the plan repeatedly.
std::vector<std::vector<int>> WalkByWalk(const PartitionRequest& request) {
  const std::set<int> claims(request.claims.begin(), request.claims.end());
  std::set<int> pending;
  std::set<std::pair<int, int>> edges;
  int last = -1;
  const int length = static_cast<int>(request.execution_plan.size());
  const auto node = [&](int at) -> const PartitionNode& {
    return request.nodes[static_cast<size_t>(
        request.execution_plan[static_cast<size_t>(at)])];
  };
  for (int at = 0; at < length; ++at) {
    pending.insert(node(at).outputs.begin(), node(at).outputs.end());
    if (!request.greedy || !node(at).has_side_effects) continue;
    if (last >= 0) edges.insert({last, at});
    last = at;
  }
  pending.erase(-1);
  if (request.control_edges) {
    edges = {request.control_edges->begin(), request.control_edges->end()};
  }
  std::set<int> placed;
  std::vector<std::vector<int>> parts;
  absl::optional<bool> kind;
  const auto join = [&](int at) {
    const int id = request.execution_plan[static_cast<size_t>(at)];
    if (placed.count(at) > 0) return false;
    for (const int t : node(at).inputs) {
      if (pending.count(t) > 0) return false;
    }
    for (const auto& [before, after] : edges) {
      if (after == at && placed.count(before) == 0) return false;
    }
    if (!kind) kind = claims.count(id) > 0;
    if (*kind != (claims.count(id) > 0)) return false;
    placed.insert(at);
    parts.back().push_back(id);
    for (const int t : node(at).outputs) pending.erase(t);
    return true;
  };
  const auto walk = [&] {
    bool has_joined = false;
    for (int at = 0; at < length; ++at) {
      if (join(at)) {
        has_joined = true;
        if (!request.fuse) return false;
      } else if (has_joined && !request.greedy) {
        return false;
      }
    }
    return has_joined;
  };
  while (true) {
    parts.emplace_back();
    kind.reset();
    while (walk()) {
    }
    if (parts.back().empty()) break;
  }
  parts.pop_back();
  return placed.size() == request.execution_plan.size()
             ? parts
             : std::vector<std::vector<int>>();
}

// Returns a request whose nodes, edges and plan order are random.
PartitionRequest AnyRequest() {
  PartitionRequest request;
  const int count = *rc::gen::inRange(1, 12);
  request.tensor_count = count + 3;
  const auto some = [](int size, int end) {
    return *rc::gen::container<std::vector<int>>(static_cast<size_t>(size),
                                                 rc::gen::inRange(0, end));
  };
  // Node i reads only tensors of nodes with lower numbers. The plan may have a
  // different order.
  for (int i = 0; i < count; ++i) {
    request.nodes.push_back(
        {some(*rc::gen::inRange(0, 3), i + 3),
         {i + 3},
         *rc::gen::weightedElement<bool>({{3, false}, {1, true}})});
  }
  for (int i = 0; i < count; ++i) request.execution_plan.push_back(i);
  if (*rc::gen::arbitrary<bool>()) {
    const auto keys = some(count, 100);
    std::sort(request.execution_plan.begin(), request.execution_plan.end(),
              [&](int a, int b) {
                return std::pair(keys[static_cast<size_t>(a)], a) <
                       std::pair(keys[static_cast<size_t>(b)], b);
              });
  }
  request.graph_outputs = some(2, count + 3);
  request.claims = some(*rc::gen::inRange(0, count + 1), count);
  request.greedy = *rc::gen::arbitrary<bool>();
  request.fuse = *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
  if (*rc::gen::arbitrary<bool>()) {
    request.control_edges = Edges();
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      const std::vector<int> edge = some(2, count);
      request.control_edges->emplace_back(edge[0], edge[1]);
    }
  }
  return request;
}

RC_GTEST_PROP(PartitionGraph, FollowsTheRulesByTheLetter, ()) {
  const PartitionRequest request = AnyRequest();
  const auto parts = PartitionGraph(request);
  const std::vector<std::vector<int>> expected = WalkByWalk(request);
  RC_CLASSIFY(expected.empty(), "cycle");
  if (expected.empty()) {
    RC_ASSERT(absl::IsInvalidArgument(parts.status()));
    return;
  }
  RC_ASSERT(parts.ok());
  std::vector<std::vector<int>> nodes;
  for (const GraphPartition& part : *parts) nodes.push_back(part.nodes);
  RC_ASSERT(nodes == expected);
}

// If the parts run one after another, every tensor exists when a part reads it.
// Every tensor of a part that is read outside the part is an output of the
// part.
RC_GTEST_PROP(PartitionGraph, HandsOnWhatOthersRead, ()) {
  const PartitionRequest request = AnyRequest();
  const auto parts = PartitionGraph(request);
  RC_PRE(parts.ok());
  std::set<int> there = {-1};
  for (int t = 0; t < request.tensor_count; ++t) there.insert(t);
  for (const int id : request.execution_plan) {
    for (const int t : request.nodes[static_cast<size_t>(id)].outputs) {
      there.erase(t);
    }
  }
  for (const GraphPartition& part : *parts) {
    std::set<int> inside(part.inputs.begin(), part.inputs.end());
    for (const int t : part.inputs) RC_ASSERT(there.count(t) == 1);
    for (const int id : part.nodes) {
      const PartitionNode& node = request.nodes[static_cast<size_t>(id)];
      for (const int t : node.inputs) RC_ASSERT(inside.count(t) == 1);
      inside.insert(node.outputs.begin(), node.outputs.end());
    }
    for (const int t : part.outputs) RC_ASSERT(inside.count(t) == 1);
    there.insert(part.outputs.begin(), part.outputs.end());
  }
  for (const int t : request.graph_outputs) RC_ASSERT(there.count(t) == 1);
}

}  // namespace
}  // namespace stowage::harness
