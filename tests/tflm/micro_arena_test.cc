// SPDX-License-Identifier: Apache-2.0
// Compares predicted sizes of arenas with numbers computed by hand, for a small
// model, and with measurements, for real models.

#include "stowage/tflm/micro_arena.h"

#include <cstddef>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "nlohmann/json.hpp"
#include "src/tflite/model_draft.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_structure.h"
#include "stowage/tflm/micro_trace.h"
#include "tests/support/real_data.h"
#include "tests/tflm/device_recordings.h"

namespace stowage {
namespace {

using support::RealDataFolder;
using tflite::BuiltinOperator;
using tflite::TensorType;

MicroArena Predicted(const Model& model, const MicroArenaOptions& options) {
  const absl::StatusOr<MicroArena> arena = PredictMicroArena(model, options);
  EXPECT_TRUE(arena.ok()) << arena.status();
  return arena.ok() ? *arena : MicroArena();
}

MicroArena Predicted(const ModelSpec& spec, const MicroArenaOptions& options) {
  const std::string bytes = Build(spec);
  const auto model = ParseModelStructure(bytes, "m.tflite");
  EXPECT_TRUE(model.ok()) << model.status();
  return Predicted(**model, options);
}

const MicroUsage& Usage(const MicroArena& arena, MicroCategory category) {
  return arena.tail[static_cast<size_t>(category)];
}

// Returns a model of one RELU whose input and output have 40 bytes each.
ModelSpec ReluModel() {
  ModelSpec model;
  model.codes = {{BuiltinOperator::RELU}};
  model.buffers.emplace_back();
  GraphSpec graph;
  graph.tensors = {{{10}, TensorType::FLOAT32}, {{10}, TensorType::FLOAT32}};
  graph.inputs = {0};
  graph.outputs = {1};
  graph.operators = {{0, {0}, {1}}};
  model.graphs.push_back(graph);
  return model;
}

TEST(MicroArenaTest, AddsUpASmallModelOn64Bits) {
  MicroArenaOptions options;
  options.head_bytes = 96;
  const MicroArena arena = Predicted(ReluModel(), options);
  // The sizes of the arena object, the planner, the allocator and the allocator
  // of options, in bytes.
  EXPECT_EQ(Usage(arena, MicroCategory::kAllocators).used_bytes,
            72 + 72 + 72 + 16);
  EXPECT_EQ(Usage(arena, MicroCategory::kSubgraphs).used_bytes, 16);
  EXPECT_EQ(Usage(arena, MicroCategory::kEvalTensors).used_bytes, 2 * 24);
  EXPECT_EQ(Usage(arena, MicroCategory::kNodes).used_bytes, 64);
  // The kernel requests 28 bytes, a pointer to the input and a pointer to the
  // output, each aligned to 16.
  EXPECT_EQ(Usage(arena, MicroCategory::kPersistentBuffers).requested_bytes,
            28 + 8 + 8);
  EXPECT_EQ(Usage(arena, MicroCategory::kPersistentBuffers).count, 3);
  EXPECT_EQ(Usage(arena, MicroCategory::kPersistentTensors).used_bytes, 2 * 64);
  // The tail first has 232 + 16 + 48 + 64 = 360 bytes. The next allocation, of
  // 28 bytes, is rounded up so that the tail is a multiple of 16, which gives
  // 400. Further allocations give 416 (8 bytes), 480 (64), 496 (8) and 560
  // (64).
  EXPECT_EQ(arena.tail_bytes, 560);
  EXPECT_EQ(arena.running.arena_bytes(), 96 + 560);
  // There is room for 12 requests, a number and two descriptions: 12 * 16 + 8 +
  // 2 * 32 = 264. The workspace of 2 * 40 bytes begins at the next multiple of
  // 16, which is 272.
  EXPECT_EQ(arena.planning.front_bytes, 272 + 80);
  EXPECT_EQ(arena.planning.tail_bytes, 400);
  // There is room for 12 requests and two tensors.
  EXPECT_EQ(arena.preparing.front_bytes, 12 * 16 + 2 * 64);
  EXPECT_EQ(arena.peak_bytes, 752);
  EXPECT_EQ(arena.buffers, 2);
}

TEST(MicroArenaTest, AddsUpASmallModelOn32Bits) {
  MicroArenaOptions options;
  options.word = MicroWord::k32;
  options.head_bytes = 96;
  options.makes_planner = false;
  options.workspace_per_buffer = 20;
  const MicroArena arena = Predicted(ReluModel(), options);
  EXPECT_EQ(Usage(arena, MicroCategory::kAllocators).used_bytes, 36 + 36 + 8);
  EXPECT_EQ(Usage(arena, MicroCategory::kEvalTensors).used_bytes, 2 * 12);
  EXPECT_EQ(Usage(arena, MicroCategory::kNodes).used_bytes, 32);
  // The tail first has 80 + 8 + 24 + 32 = 144 bytes. With the kernel's 28
  // bytes, the tail is rounded up to a multiple of 16, which gives 176. Further
  // allocations give 192 (4 bytes), 224 (32), 240 (4) and 272 (32).
  EXPECT_EQ(arena.tail_bytes, 272);
  // 12 * 12 + 4 + 2 * 24 = 196, so the workspace of 2 * 20 bytes begins at 208.
  EXPECT_EQ(arena.planning.front_bytes, 208 + 40);
  EXPECT_EQ(arena.peak_bytes, 208 + 40 + 176 + 8);
}

TEST(MicroArenaTest, NamesOperatorsItKnowsNothingOf) {
  ModelSpec model = ReluModel();
  model.codes[0] = {BuiltinOperator::CUSTOM, "Riddle"};
  model.graphs[0].tensors.push_back({{10}});
  model.graphs[0].operators.push_back({0, {1}, {2}});
  EXPECT_THAT(Predicted(model, {}).unknown_operators,
              testing::ElementsAre("CUSTOM Riddle"));
}

TEST(MicroArenaTest, ACustomOperatorIsNotABuiltinOneOfItsName) {
  ModelSpec model = ReluModel();
  model.codes[0] = {BuiltinOperator::CUSTOM, "RELU"};
  EXPECT_THAT(Predicted(model, {}).unknown_operators,
              testing::ElementsAre("CUSTOM RELU"));
}

TEST(MicroArenaTest, WhatNo32BitsCanAddressIsRefused) {
  const std::string bytes = Build(ReluModel());
  const auto model = ParseModelStructure(bytes, "m.tflite");
  ASSERT_TRUE(model.ok()) << model.status();
  MicroArenaOptions options;
  options.head_bytes = size_t{1} << 32;
  const absl::Status status = PredictMicroArena(**model, options).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("4294967296 bytes of the head"));
}

TEST(MicroArenaTest, ResourcesShareTheirMemory) {
  ModelSpec spec;
  spec.codes = {{BuiltinOperator::VAR_HANDLE},
                {BuiltinOperator::ASSIGN_VARIABLE}};
  spec.buffers.emplace_back();
  GraphSpec graph;
  graph.tensors = {{{1}, TensorType::RESOURCE},
                   {{1}, TensorType::RESOURCE},
                   {{40}, TensorType::INT8}};
  graph.inputs = {2};
  tflite::VarHandleOptionsT named;
  named.container = "";
  named.shared_name = "state";
  graph.operators = {
      {0, {}, {0}}, {0, {}, {1}}, {1, {0, 2}, {}}, {1, {1, 2}, {}}};
  graph.operators[0].options.Set(named);
  graph.operators[1].options.Set(named);
  spec.graphs.push_back(graph);
  const MicroArena arena = Predicted(spec, {});
  // The sizes of the table, its entry, two handles, a pointer to the input and
  // the memory of the resource, which is needed only once. There are no
  // pointers to outputs.
  EXPECT_EQ(Usage(arena, MicroCategory::kPersistentBuffers).requested_bytes,
            16 + 40 + 2 * 4 + 8 + 40);
  EXPECT_EQ(arena.buffers, 1);
}

// Returns the size in bytes of the plan that the device makes.
size_t HeadBytes(const Model& model) {
  const auto buffers = MicroBuffersOf(model);
  EXPECT_TRUE(buffers.ok()) << buffers.status();
  ProblemSpec spec;
  for (const MicroBuffer& buffer : *buffers) {
    spec.records.push_back(buffer.record);
  }
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  EXPECT_TRUE(problem.ok()) << problem.status();
  const auto solution = Solve(*problem, "micro_first_fit");
  EXPECT_TRUE(solution.ok()) << solution.status();
  return solution->total_size;
}

size_t HandleCount(const Model& model) {
  size_t count = 0;
  for (const SubgraphSpec& graph : model.subgraphs()) {
    for (const OperatorSpec& op : graph.operators) {
      if (op.name == "VAR_HANDLE") ++count;
    }
  }
  return count;
}

void ExpectRecorded(const MicroArena& arena, const nlohmann::json& recorded) {
  const std::pair<MicroCategory, const char*> categories[] = {
      {MicroCategory::kEvalTensors, "eval_tensors"},
      {MicroCategory::kPersistentTensors, "persistent_tensors"},
      {MicroCategory::kPersistentQuantization, "persistent_quant"},
      {MicroCategory::kPersistentBuffers, "persistent_buffers"},
      {MicroCategory::kVariables, "variables"},
      {MicroCategory::kNodes, "nodes"}};
  for (const auto& [category, name] : categories) {
    SCOPED_TRACE(name);
    const MicroUsage& usage = Usage(arena, category);
    EXPECT_EQ(usage.used_bytes, recorded[name]["used"]);
    EXPECT_EQ(usage.requested_bytes, recorded[name]["requested"]);
    EXPECT_EQ(usage.count, recorded[name]["count"]);
  }
  EXPECT_EQ(arena.tail_bytes, recorded["tail_persistent"]);
}

TEST(MicroArenaTest, CategoriesAndTailAreThoseRecordedOnTheDevice) {
  const absl::optional<std::string> models = RealDataFolder("STOWAGE_MODELS");
  const absl::optional<std::string> golden = RealDataFolder("STOWAGE_GOLDEN");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  if (!golden) GTEST_SKIP() << "STOWAGE_GOLDEN is not set";
  size_t compared = 0;
  for (const auto& [path, manifest] : DeviceRecordings(*models, *golden)) {
    SCOPED_TRACE(path);
    // Some models were run with additional kernels for types that upstream's
    // kernels do not support.
    if (absl::StrContains(manifest["runtime"].get<std::string>(), "+ ext")) {
      continue;
    }
    const auto model = ReadModelStructure(path);
    ASSERT_TRUE(model.ok()) << model.status();
    MicroArenaOptions options;
    options.head_bytes = HeadBytes(**model);
    options.records = true;
    // In the recorded run, the table had room for four additional resources.
    options.resource_variables = HandleCount(**model) + 4;
    ExpectRecorded(Predicted(**model, options), manifest["arena"]);
    ++compared;
  }
  EXPECT_GE(compared, 25);
}

TEST(MicroArenaTest, PeakIsTheSmallestArenaThatRanOnTheDevice) {
  const absl::optional<std::string> models = RealDataFolder("STOWAGE_MODELS");
  const absl::optional<std::string> micro = RealDataFolder("STOWAGE_MICRO");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  if (!micro) GTEST_SKIP() << "STOWAGE_MICRO is not set";
  std::ifstream file(*micro + "/upstream_figures.tsv");
  ASSERT_TRUE(file);
  std::string line;
  std::getline(file, line);
  ASSERT_TRUE(
      absl::StartsWith(line, "model\thead\ttail\tused\tsmallest_arena"));
  size_t compared = 0;
  while (std::getline(file, line)) {
    SCOPED_TRACE(line);
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    const auto model =
        ReadModelStructure(absl::StrCat(*models, "/", fields[0], ".tflite"));
    ASSERT_TRUE(model.ok()) << model.status();
    MicroArenaOptions options;
    options.head_bytes = HeadBytes(**model);
    // In these runs, the program provided the planner and a table of this size.
    options.makes_planner = false;
    options.resource_variables = 64;
    const MicroArena arena = Predicted(**model, options);
    EXPECT_EQ(absl::StrCat(arena.head_bytes), fields[1]);
    EXPECT_EQ(absl::StrCat(arena.tail_bytes), fields[2]);
    EXPECT_EQ(absl::StrCat(arena.peak_bytes), fields[4]);
    EXPECT_EQ(absl::StrCat(arena.buffers), fields.back());
    ++compared;
  }
  EXPECT_EQ(compared, 18);
}

}  // namespace
}  // namespace stowage
