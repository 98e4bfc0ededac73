// SPDX-License-Identifier: Apache-2.0
// Tests models in the arena of a device. The arena is as large as predicted, an
// arena that is 16 bytes smaller is too small, and the outputs equal those of
// runs without such an arena.

#include "stowage/harness/micro_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/run_model.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/output_hashes.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::FilesIn;
using support::IsOk;
using support::RealDataFolder;
using ::testing::HasSubstr;

// The outputs of larger real models are not compared, because that would take
// too long.
constexpr size_t kMaxRunBytes = 2000000;

std::string ShippedModel() {
  return std::string(STOWAGE_SOURCE_DIR) + "/data/models/residual_int8.tflite";
}

std::unique_ptr<const Model> ReadOrDie(const std::string& path) {
  auto model = Model::Read(path);
  EXPECT_THAT(model.status(), IsOk());
  return *std::move(model);
}

size_t PredictedBytes(const Model& model, const std::string& strategy = "") {
  const auto bytes = PredictMicroMemory(model, {strategy, false});
  EXPECT_THAT(bytes.status(), IsOk());
  return bytes.ok() ? *bytes : 0;
}

// Places the model in an arena of `bytes` bytes.
absl::Status PlaceIn(const Model& model, size_t bytes, size_t* required,
                     const MicroPlacing& placing = MicroPlacing()) {
  auto memory = MicroMemory::Create(bytes);
  if (!memory.ok()) return memory.status();
  InterpreterOptions options;
  options.shadow = ShadowMode::kMissing;
  const auto interpreter = Interpreter::Create(model, options);
  if (!interpreter.ok()) return interpreter.status();
  absl::Status status = (*memory)->Place(**interpreter, placing);
  *required = (*memory)->required_bytes();
  return status;
}

void ExpectSufficientAndNecessary(const Model& model) {
  const size_t bytes = PredictedBytes(model);
  size_t required = 0;
  EXPECT_THAT(PlaceIn(model, bytes, &required), IsOk());
  EXPECT_EQ(required, bytes);
  EXPECT_THAT(PlaceIn(model, bytes - kMicroAlignment, &required),
              FailsWith(absl::StatusCode::kResourceExhausted,
                        HasSubstr("expected a larger arena")));
}

RunOptions ThreeInvocations() {
  RunOptions options;
  options.invocations = 3;
  options.plan.shadow = ShadowMode::kMissing;
  return options;
}

void ExpectOutputsOfHost(const Model& model, const std::string& strategy) {
  const auto memory = MicroMemory::Create(PredictedBytes(model, strategy));
  ASSERT_THAT(memory.status(), IsOk());
  RunOptions options = ThreeInvocations();
  options.plan.observers = {memory->get()};
  options.place_tensors = [&](Interpreter& interpreter) {
    return (*memory)->Place(interpreter, {strategy, false});
  };
  EXPECT_EQ(HashesOf(RunModel(model, options)),
            HashesOf(RunModel(model, ThreeInvocations())));
}

TEST(MicroMemoryTest, ShippedModelNeedsWhatIsPredicted) {
  ExpectSufficientAndNecessary(*ReadOrDie(ShippedModel()));
}

TEST(MicroMemoryTest, ShippedModelComputesWhatItDoesOnTheHost) {
  const auto model = ReadOrDie(ShippedModel());
  ExpectOutputsOfHost(*model, "");
  ExpectOutputsOfHost(*model, "optimal");
  ExpectOutputsOfHost(*model, "naive");
}

TEST(MicroMemoryTest, RealModelsNeedWhatIsPredicted) {
  const absl::optional<std::string> models = RealDataFolder("STOWAGE_MODELS");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  for (const std::string& path : FilesIn(*models, ".tflite")) {
    SCOPED_TRACE(path);
    ExpectSufficientAndNecessary(*ReadOrDie(path));
  }
}

TEST(MicroMemoryTest, RealModelsComputeWhatTheyDoOnTheHost) {
  const absl::optional<std::string> models = RealDataFolder("STOWAGE_MODELS");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  size_t compared = 0;
  for (const std::string& path : FilesIn(*models, ".tflite")) {
    SCOPED_TRACE(path);
    const auto model = ReadOrDie(path);
    if (PredictedBytes(*model, "micro_first_fit") > kMaxRunBytes) continue;
    ExpectOutputsOfHost(*model, "");
    ++compared;
  }
  EXPECT_GE(compared, 15);
}

// Runs a model whose tensors are in the arena of a device. If `memory` is null,
// the tensors are in memory of the interpreter.
class MicroTenant {
 public:
  MicroTenant(const Model& model, MicroMemory* memory) : feed_(1, {}) {
    InterpreterOptions options;
    options.shadow = ShadowMode::kMissing;
    if (memory != nullptr) options.observers = {memory};
    auto interpreter = Interpreter::Create(model, options);
    EXPECT_THAT(interpreter.status(), IsOk());
    interpreter_ = *std::move(interpreter);
    if (memory != nullptr) {
      EXPECT_THAT(memory->Place(*interpreter_), IsOk());
    }
    EXPECT_THAT(interpreter_->primary().Allocate(), IsOk());
  }

  // Returns the bytes of all outputs.
  std::string Invoke() {
    Subgraph& graph = interpreter_->primary();
    EXPECT_THAT(feed_(graph, invocation_++), IsOk());
    EXPECT_THAT(graph.Invoke(), IsOk());
    std::string bytes;
    for (size_t i = 0; i < graph.output_count(); ++i) {
      const Tensor& output = graph.output(i);
      bytes.append(static_cast<const char*>(output.data), output.bytes);
    }
    return bytes;
  }

 private:
  InputSource feed_;
  size_t invocation_ = 0;
  std::unique_ptr<Interpreter> interpreter_;
};

// The numbers of bytes that two models need in one shared arena.
struct Shared {
  size_t head = 0;
  size_t tail = 0;
};

Shared RunAlternately(const Model& a, const Model& b, size_t bytes) {
  const auto memory = MicroMemory::Create(bytes);
  EXPECT_THAT(memory.status(), IsOk());
  MicroTenant first(a, memory->get());
  MicroTenant second(b, memory->get());
  MicroTenant first_alone(a, nullptr);
  MicroTenant second_alone(b, nullptr);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(first.Invoke(), first_alone.Invoke()) << "first, " << i;
    EXPECT_EQ(second.Invoke(), second_alone.Invoke()) << "second, " << i;
  }
  return {(*memory)->head_bytes(), (*memory)->tail_bytes()};
}

size_t HeadOf(const Model& model) {
  const auto memory = MicroMemory::Create(1 << 20);
  MicroTenant tenant(model, memory->get());
  return (*memory)->head_bytes();
}

size_t TailOf(const Model& model) {
  const auto memory = MicroMemory::Create(1 << 20);
  MicroTenant tenant(model, memory->get());
  return (*memory)->tail_bytes();
}

TEST(MicroMemoryTest, TwoModelsShareTheHeadInEitherOrder) {
  const absl::optional<std::string> models = RealDataFolder("STOWAGE_MODELS");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  // The first model has variables; the second has none.
  const auto a = ReadOrDie(*models + "/keyword_scrambled_i8.tflite");
  const auto b = ReadOrDie(*models + "/micro_speech_i8.tflite");
  const Shared shared = RunAlternately(*a, *b, 1 << 20);
  EXPECT_EQ(shared.head, std::max(HeadOf(*a), HeadOf(*b)));
  EXPECT_LT(shared.tail, TailOf(*a) + TailOf(*b));
  const Shared reversed = RunAlternately(*b, *a, 1 << 20);
  EXPECT_EQ(reversed.head, shared.head);
  EXPECT_EQ(reversed.tail, shared.tail);
}

// Both models have resources, and each model has a table of its own for them.
TEST(MicroMemoryTest, ModelsWithResourcesShareAnArena) {
  const absl::optional<std::string> models = RealDataFolder("STOWAGE_MODELS");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  const auto model = ReadOrDie(*models + "/mww_okay_nabu_v1_inception.tflite");
  const Shared shared = RunAlternately(*model, *model, 1 << 20);
  EXPECT_EQ(shared.head, HeadOf(*model));
  // The arena object and the allocator, of 72 bytes each, are counted in the
  // tail of each model but exist only once in the shared arena.
  EXPECT_EQ(shared.tail, 2 * TailOf(*model) - 72 - 72);
}

TEST(MicroMemoryTest, ShippedModelSharesAnArenaWithItself) {
  const auto model = ReadOrDie(ShippedModel());
  const Shared shared = RunAlternately(*model, *model, 20000);
  EXPECT_EQ(shared.head, HeadOf(*model));
}

// Returns a model that computes the mean of an INT8 tensor of shape [1, 4, 4,
// 10] over its two middle dimensions. The kernel of the device requests scratch
// memory for this operator.
ModelSpec MeanModel() {
  ModelSpec model;
  model.codes = {{tflite::BuiltinOperator::MEAN}};
  model.buffers = {{}, {{1, 0, 0, 0, 2, 0, 0, 0}}};
  GraphSpec graph;
  graph.tensors = {{{1, 4, 4, 10}, tflite::TensorType::INT8},
                   {{2}, tflite::TensorType::INT32, 1},
                   {{1, 10}, tflite::TensorType::INT8}};
  for (const size_t t : {size_t{0}, size_t{2}}) {
    graph.tensors[t].scales = {1};
    graph.tensors[t].zero_points = {0};
  }
  graph.inputs = {0};
  graph.outputs = {2};
  graph.operators = {{0, {0, 1}, {2}}};
  model.graphs.push_back(graph);
  return model;
}

// Reads the first byte of the kernel's scratch memory when the operator runs.
// The scratch memory is `distance` bytes after the start of tensor 0.
class ScratchReader : public ExecutionObserver {
 public:
  explicit ScratchReader(ptrdiff_t distance) : distance_(distance) {}
  absl::Status BeforeOperator(const Execution& execution) override {
    byte_ =
        *(static_cast<const uint8_t*>(execution.tensors[0].data) + distance_);
    return absl::OkStatus();
  }
  int byte() const { return byte_; }

 private:
  ptrdiff_t distance_;
  int byte_ = -1;
};

TEST(MicroMemoryTest, ScratchMemoryIsOverwrittenWhileItsOperatorRuns) {
  const std::string bytes = Build(MeanModel());
  const auto model = Model::Parse(bytes, "mean.tflite");
  ASSERT_THAT(model.status(), IsOk());
  // The planner places larger buffers first, and later buffers first among
  // equally large ones. Buffer 3 is the scratch memory with the sums of 10
  // elements. Buffer 0 is larger, so it is placed before buffer 3.
  ScratchReader reader(160);
  const auto memory = MicroMemory::Create(4000);
  ASSERT_THAT(memory.status(), IsOk());
  RunOptions options;
  options.plan.observers = {memory->get(), &reader};
  options.place_tensors = [&](Interpreter& interpreter) {
    return (*memory)->Place(interpreter);
  };
  EXPECT_THAT(RunModel(**model, options).status(), IsOk());
  EXPECT_EQ(reader.byte(), 0x5A);
}

// An arena that was too small for a model refuses all models afterwards.
TEST(MicroMemoryTest, AnArenaThatWasTooSmallTakesNoOther) {
  const auto model = ReadOrDie(ShippedModel());
  const auto memory = MicroMemory::Create(4000);
  ASSERT_THAT(memory.status(), IsOk());
  const auto interpreter = Interpreter::Create(*model);
  ASSERT_THAT(interpreter.status(), IsOk());
  EXPECT_THAT((*memory)->Place(**interpreter),
              FailsWith(absl::StatusCode::kResourceExhausted,
                        HasSubstr("residual_int8.tflite: arena: 4000 bytes")));
  EXPECT_THAT((*memory)->Place(**interpreter),
              FailsWith(absl::StatusCode::kFailedPrecondition,
                        HasSubstr("expected another arena")));
}

TEST(MicroMemoryTest, AnArenaOfNoBytesIsTooSmall) {
  const auto model = ReadOrDie(ShippedModel());
  size_t required = 0;
  for (const int bytes : {0, 1, 15, 16, 100}) {
    EXPECT_THAT(PlaceIn(*model, static_cast<size_t>(bytes), &required),
                FailsWith(absl::StatusCode::kResourceExhausted,
                          HasSubstr("expected a larger arena")))
        << bytes;
  }
}

// The plan in the model comes from a strategy that never shares bytes between
// tensors.
TEST(MicroMemoryTest, KeepsTheOffsetsOfAPlanInTheModel) {
  const auto model = ReadOrDie(ShippedModel());
  const auto naive = PlanOffline(*model, "naive");
  ASSERT_THAT(naive.status(), IsOk());
  const auto file = AddOfflinePlan(model->bytes(), model->name(), naive->plan);
  ASSERT_THAT(file.status(), IsOk());
  const auto planned = Model::Parse(*file, "planned.tflite");
  ASSERT_THAT(planned.status(), IsOk());
  const auto memory = MicroMemory::Create(size_t{1} << 20);
  ASSERT_THAT(memory.status(), IsOk());
  RunOptions options = ThreeInvocations();
  options.plan.observers = {memory->get()};
  options.place_tensors = [&](Interpreter& interpreter) {
    return (*memory)->Place(interpreter, {"", true});
  };
  EXPECT_EQ(HashesOf(RunModel(**planned, options)),
            HashesOf(RunModel(*model, ThreeInvocations())));
  EXPECT_EQ((*memory)->head_bytes(), naive->head_bytes);
}

// Two operators call subgraph 1. Tensor 1 is live during the first call, and
// tensor 2 during the second. The device considers only the last call, so it
// places the tensors of the subgraph in the memory of tensor 1.
ModelSpec WithSubgraphCalledTwice() {
  const TensorDraft tensor = {{16}, tflite::TensorType::FLOAT32};
  tflite::CallOnceOptionsT once;
  once.init_subgraph_index = 1;
  GraphSpec main;
  main.tensors = {tensor, tensor, tensor, tensor};
  main.inputs = {0};
  main.outputs = {3};
  main.operators = {
      {0, {0}, {1}}, {1, {}, {}}, {0, {1}, {2}}, {1, {}, {}}, {0, {2}, {3}}};
  main.operators[1].options.Set(once);
  main.operators[3].options.Set(once);
  GraphSpec called;
  called.tensors = {tensor, tensor};
  called.tensors[0].buffer = 1;
  called.operators = {{0, {0}, {1}}};
  ModelSpec model;
  model.codes = {{tflite::BuiltinOperator::RELU},
                 {tflite::BuiltinOperator::CALL_ONCE}};
  model.buffers.emplace_back();
  model.buffers.push_back({std::vector<uint8_t>(64)});
  model.graphs = {main, called};
  return model;
}

TEST(MicroMemoryTest, WhatTheDeviceOverwritesInAnEarlierRunIsRefused) {
  const LoadedModel model(WithSubgraphCalledTwice());
  size_t required = 0;
  EXPECT_THAT(PlaceIn(*model, PredictedBytes(*model), &required),
              FailsWith(absl::StatusCode::kFailedPrecondition,
                        HasSubstr("in an earlier run of a subgraph; expected a "
                                  "strategy of the host")));
  const size_t bytes = PredictedBytes(*model, "greedy_by_size");
  EXPECT_THAT(PlaceIn(*model, bytes, &required, {"greedy_by_size", false}),
              IsOk());
  EXPECT_EQ(required, bytes);
}

}  // namespace
}  // namespace stowage::harness
