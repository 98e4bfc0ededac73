// SPDX-License-Identifier: Apache-2.0
// Tests the lifetimes, the sharing in place and the offsets of the CPU arena.
#include "stowage/harness/arena_planner.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/construct/arena_fit.h"
#include "stowage/planner.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "tests/support/vectors.h"

namespace stowage::harness {
namespace {

using nlohmann::json;
using support::LoadJsonLines;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

using Numbers = std::vector<absl::optional<size_t>>;

Numbers NumbersIn(const json& list) {
  Numbers numbers;
  for (const json& entry : list) {
    numbers.push_back(entry.is_null() ? absl::optional<size_t>()
                                      : entry.get<size_t>());
  }
  return numbers;
}

Storage StorageNamed(const std::string& type) {
  if (type == "rw") return Storage::kArena;
  if (type == "persist") return Storage::kPersistent;
  if (type == "ro") return Storage::kConstant;
  EXPECT_EQ(type, "dyn");
  return Storage::kDynamic;
}

std::vector<size_t> TensorsIn(const json& list) {
  std::vector<size_t> tensors;
  for (const json& entry : list) {
    tensors.push_back(entry.get<int64_t>() < 0 ? kAbsent : entry.get<size_t>());
  }
  return tensors;
}

ArenaGraph GraphIn(const json& vector) {
  ArenaGraph graph;
  for (const json& tensor : vector.at("tensors")) {
    graph.tensors.push_back(
        {tensor.at("bytes").get<size_t>(), StorageNamed(tensor.at("type"))});
  }
  for (const json& node : vector.at("nodes")) {
    graph.nodes.push_back(
        {TensorsIn(node.at("inputs")), TensorsIn(node.at("outputs")),
         TensorsIn(node.at("temporaries")),
         static_cast<InPlace>(node.at("inplace").get<uint8_t>())});
  }
  graph.inputs = TensorsIn(vector.at("inputs"));
  graph.outputs = TensorsIn(vector.at("outputs"));
  graph.variables = TensorsIn(vector.at("variables"));
  return graph;
}

void ExpectLifetimes(const std::vector<Lifetime>& lifetimes,
                     const json& expected) {
  Numbers first;
  Numbers last;
  json shared = json::object();
  for (size_t t = 0; t < lifetimes.size(); ++t) {
    first.push_back(lifetimes[t].first);
    last.push_back(lifetimes[t].last);
    if (lifetimes[t].root != t) shared[std::to_string(t)] = lifetimes[t].root;
  }
  EXPECT_EQ(first, NumbersIn(expected.at("alloc_node")));
  EXPECT_EQ(last, NumbersIn(expected.at("dealloc_node")));
  EXPECT_EQ(shared, expected.at("shared"));
}

// Returns the offset of each tensor. The offset of a tensor that shares memory
// is the offset of its root.
Numbers OffsetsWithShared(const ArenaGraph& graph, const ArenaPlan& plan,
                          const std::vector<Lifetime>& lifetimes) {
  Numbers offsets;
  for (size_t t = 0; t < lifetimes.size(); ++t) {
    offsets.push_back(graph.tensors[t].storage == Storage::kDynamic
                          ? absl::nullopt
                          : plan.offsets[lifetimes[t].root]);
  }
  return offsets;
}

TEST(ArenaVectors, GraphsArePlannedAsTheCpuInterpreterPlansThem) {
  size_t count = 0;
  for (const json& vector : LoadJsonLines("vectors_arena_public.jsonl")) {
    if (vector.at("kind") != "graph") continue;
    ++count;
    SCOPED_TRACE(vector.at("name").get<std::string>());
    const ArenaGraph graph = GraphIn(vector);
    const json& expected = vector.at("expected");
    LifetimeOptions options;
    options.preserve_all = vector.at("preserve_all").get<bool>();
    const std::vector<Lifetime> lifetimes = PlanLifetimes(graph, options);
    ExpectLifetimes(lifetimes, expected);
    ArenaPlan plan;
    for (const json& step : vector.at("execute_steps")) {
      ASSERT_TRUE(PlaceTensors(graph, lifetimes, step.at(0), step.at(1),
                               vector.at("alignment"), &plan)
                      .ok());
    }
    EXPECT_EQ(OffsetsWithShared(graph, plan, lifetimes),
              NumbersIn(expected.at("offsets")));
    EXPECT_EQ(plan.arena_bytes, expected.at("arena_size").get<size_t>());
    EXPECT_EQ(plan.persistent_bytes,
              expected.at("persistent_size").get<size_t>());
  }
  EXPECT_EQ(count, 80u);
}

// Given the records of a graph, the registered strategy finds the same offsets
// as the interpreter's planner finds for the graph.
TEST(ArenaVectors, RecordsOfGraphsArePlannedTheSameByTheStrategy) {
  size_t count = 0;
  for (const json& vector : LoadJsonLines("vectors_arena_public.jsonl")) {
    if (vector.at("kind") != "graph") continue;
    const ArenaGraph graph = GraphIn(vector);
    const size_t end = graph.nodes.size() - 1;
    // Skips vectors in which the graph is planned in several steps.
    if (vector.at("execute_steps") != json({{0, end}})) continue;
    ++count;
    SCOPED_TRACE(vector.at("name").get<std::string>());
    LifetimeOptions options;
    options.preserve_all = vector.at("preserve_all").get<bool>();
    const std::vector<Lifetime> lifetimes = PlanLifetimes(graph, options);
    const ArenaRecords records = RecordsOf(graph, lifetimes, end);
    ProblemSpec spec;
    spec.records = records.records;
    spec.alignment = vector.at("alignment").get<size_t>();
    spec.place_first = PlacedFirst(records, lifetimes);
    const auto problem = Problem::Create(std::move(spec));
    ASSERT_TRUE(problem.ok()) << problem.status();
    const auto solution = Solve(*problem, "arena_best_fit");
    ASSERT_TRUE(solution.ok()) << solution.status();
    const Numbers expected = NumbersIn(vector.at("expected").at("offsets"));
    for (size_t i = 0; i < records.tensors.size(); ++i) {
      EXPECT_EQ(solution->offsets()->offsets[i], expected[records.tensors[i]]);
    }
    EXPECT_EQ(solution->total_size,
              vector.at("expected").at("arena_size").get<size_t>());
  }
  EXPECT_GT(count, 40u);
}

TEST(ArenaVectors, BestFitPlacesInTheOrderGiven) {
  size_t count = 0;
  for (const json& vector : LoadJsonLines("vectors_arena_public.jsonl")) {
    if (vector.at("kind") != "simple_memory_arena") continue;
    ++count;
    SCOPED_TRACE(vector.at("name").get<std::string>());
    const auto records = support::RecordsIn<size_t>(vector.at("records"));
    std::vector<size_t> order(records.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const ArenaFit fit =
        PlaceArenaFit(records, order, vector.at("alignment").get<size_t>());
    ASSERT_FALSE(fit.misfit);
    const json& expected = vector.at("expected");
    EXPECT_THAT(
        fit.plan.offsets,
        ElementsAreArray(expected.at("offsets").get<std::vector<size_t>>()));
    EXPECT_EQ(fit.plan.total_size, expected.at("arena_size").get<size_t>());
  }
  EXPECT_EQ(count, 50u);
}

// Each size fits 64 bits, but their sum does not.
TEST(PlaceTensors, NamesTheTensorWhosePlaceDoesNotFit64Bits) {
  ArenaGraph graph;
  graph.tensors.assign(2, {size_t{1} << 63, Storage::kArena});
  graph.inputs = {0, 1};
  ArenaPlan plan;
  const absl::Status status =
      PlaceTensors(graph, PlanLifetimes(graph), 0, 0, 64, &plan);
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(),
            "tensor 1: its end in the arena overflows 64 bits");
}

// Returns a chain, in which node i reads only tensor i and writes only tensor i
// + 1. Tensor 0 is the input of the graph.
ArenaGraph Chain(const std::vector<InPlace>& nodes) {
  ArenaGraph graph;
  graph.tensors.assign(nodes.size() + 1, {1024, Storage::kArena});
  for (size_t i = 0; i < nodes.size(); ++i) {
    graph.nodes.push_back({{i}, {i + 1}, {}, nodes[i]});
  }
  graph.inputs = {0};
  graph.outputs = {nodes.size()};
  return graph;
}

std::vector<size_t> RootsOf(const std::vector<Lifetime>& lifetimes) {
  std::vector<size_t> roots;
  for (const Lifetime& lifetime : lifetimes) roots.push_back(lifetime.root);
  return roots;
}

TEST(Lifetimes, AChainOfSharersHasOneRoot) {
  const ArenaGraph graph =
      Chain({InPlace::kNever, InPlace::kInput0, InPlace::kInput0,
             InPlace::kInput0, InPlace::kNever});
  const std::vector<Lifetime> lifetimes = PlanLifetimes(graph);
  EXPECT_THAT(RootsOf(lifetimes), ElementsAre(0, 1, 1, 1, 1, 5));
  EXPECT_EQ(lifetimes[1].first, 0u);
  EXPECT_EQ(lifetimes[1].last, 4u);
}

// Tensors 2 and 3 are views of tensor 1. The last node reads tensor 2 after
// node 3 has run, so node 3 would overwrite tensor 2 if it took over tensor 3.
// The planner of TensorFlow Lite allows this.
TEST(Lifetimes, WhatAnotherViewStillReadsIsNotOverwritten) {
  const InPlace view = InPlace::kUnmodified | InPlace::kInput0;
  ArenaGraph graph = Chain({InPlace::kNever, view, view, InPlace::kInput0});
  graph.tensors.push_back({1024, Storage::kArena});
  graph.nodes.push_back({{2, 4}, {5}, {}, InPlace::kNever});
  graph.outputs = {5};
  EXPECT_THAT(RootsOf(PlanLifetimes(graph)), ElementsAre(0, 1, 1, 1, 4, 5));
}

TEST(Lifetimes, NodesWhoseSizesAreNotKnownShareNothing) {
  const ArenaGraph graph = Chain(
      {InPlace::kNever, InPlace::kInput0, InPlace::kInput0, InPlace::kNever});
  LifetimeOptions options;
  options.sharing_nodes = 2;
  EXPECT_THAT(RootsOf(PlanLifetimes(graph, options)),
              ElementsAre(0, 1, 1, 3, 4));
}

TEST(Lifetimes, AnInputMayBeFreedAfterItsLastUse) {
  const ArenaGraph graph = Chain({InPlace::kNever, InPlace::kNever});
  LifetimeOptions options;
  EXPECT_EQ(PlanLifetimes(graph, options)[0].last, absl::nullopt);
  options.io = IoLifetime::kUse;
  EXPECT_EQ(PlanLifetimes(graph, options)[0].last, 0u);
  EXPECT_EQ(PlanLifetimes(graph, options)[2].last, absl::nullopt);
}

TEST(Lifetimes, RecordsAreThoseOfRootsWithBytes) {
  ArenaGraph graph =
      Chain({InPlace::kNever, InPlace::kInput0, InPlace::kNever});
  graph.tensors.push_back({0, Storage::kArena});
  graph.tensors.push_back({64, Storage::kPersistent});
  graph.nodes[0].temporaries = {4, 5};
  const ArenaRecords records = RecordsOf(graph, PlanLifetimes(graph), 2);
  EXPECT_THAT(records.tensors, ElementsAre(0, 1, 3));
  EXPECT_EQ(records.records[0].last_task, 2u);
  EXPECT_EQ(records.records[1].first_task, 0u);
  EXPECT_EQ(records.records[1].last_task, 2u);
}

}  // namespace
}  // namespace stowage::harness
