// SPDX-License-Identifier: Apache-2.0
// Runs damaged models. Each of them must either return an error or run, and
// must not do anything worse, such as accessing bytes outside its memory, which
// the sanitizers would report.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "flatbuffers/flatbuffers.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/run_operator.h"
#include "tests/support/net_builder.h"
#include "tests/support/real_data.h"
#include "tests/support/sanitized.h"

namespace stowage::harness {
namespace {

using support::FilesIn;
using support::RealDataFolder;

// This limit is far above the memory that these models need, and far below the
// memory that a damaged size would request.
constexpr size_t kMemoryLimit = size_t{16} << 20;

std::string ContentsOf(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

// Loads, plans and runs the model with zeros as inputs.
absl::Status RunZeros(const std::string& bytes) {
  const auto model = Model::Parse(bytes, "broken.tflite");
  if (!model.ok()) return model.status();
  InterpreterOptions options;
  options.strategy = "greedy_by_size";
  options.memory_limit = kMemoryLimit;
  const auto interpreter = Interpreter::Create(**model, options);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  absl::Status status = graph.Allocate();
  if (status.ok()) status = FeedZeros(graph);
  return status.ok() ? graph.Invoke() : status;
}

// Expects success, or an error that has a message and a code other than
// Internal.
void ExpectHonest(const absl::Status& status, absl::string_view what) {
  EXPECT_TRUE(status.ok() || !status.message().empty()) << what;
  EXPECT_NE(status.code(), absl::StatusCode::kInternal) << what << status;
}

std::string SmallModel() {
  return ContentsOf(STOWAGE_SOURCE_DIR "/data/models/residual_int8.tflite");
}

TEST(BrokenRun, TheModelIsSound) {
  const absl::Status status = RunZeros(SmallModel());
  EXPECT_TRUE(status.ok()) << status;
}

TEST(BrokenRun, EveryByteFlipped) {
  const std::string model = SmallModel();
  constexpr std::array<int, 3> kFlips = {0x01, 0x80, 0xFF};
  size_t refused = 0;
  for (size_t i = 0; i < model.size(); ++i) {
    for (size_t k = 0; k < support::Sampled(kFlips.size()); ++k) {
      const int flip = kFlips[(i + k) % kFlips.size()];
      std::string broken = model;
      broken[i] = static_cast<char>(broken[i] ^ flip);
      const absl::Status status = RunZeros(broken);
      refused += status.ok() ? 0 : 1;
      ExpectHonest(status, absl::StrCat("byte ", i, " flipped by ", flip));
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(BrokenRun, EveryTruncation) {
  const std::string model = SmallModel();
  for (size_t size = 0; size < model.size(); ++size) {
    const absl::Status status = RunZeros(model.substr(0, size));
    EXPECT_FALSE(status.ok()) << size;
  }
}

// Each subgraph calls the next one. Nested calls use stack space, so a model
// must not be able to nest them without limit.
TEST(BrokenRun, CallsWithinCallsHaveAnEnd) {
  ModelSpec model;
  model.buffers.emplace_back();
  model.codes = {{tflite::BuiltinOperator::CALL_ONCE, ""}};
  model.graphs.resize(1000);
  for (size_t i = 0; i + 1 < model.graphs.size(); ++i) {
    tflite::CallOnceOptionsT options;
    options.init_subgraph_index = static_cast<int32_t>(i) + 1;
    OperatorDraft& call = model.graphs[i].operators.emplace_back();
    call.options.Set(options);
  }
  const absl::Status status = RunZeros(Build(model));
  EXPECT_NE(std::string(status.message()).find("too deep"), std::string::npos)
      << status;
}

// The verifier of flatbuffers accepts a list at any position in the file, so
// the elements of a list may be misaligned.
TEST(BrokenRun, ZeroPointsMayLieAnywhere) {
  NetBuilder net;
  net.SetType(tflite::TensorType::INT8, 0.5F, 7);
  net.MarkOutput(net.Add(tflite::BuiltinOperator::RELU, {net.Input({4})}, {4}));
  std::string bytes = Build(net.spec());
  bytes.resize((bytes.size() + 7) / 8 * 8);
  const size_t list = bytes.size();
  // The list consists of the four bytes of its length, followed by a single
  // 64-bit number, which is 9.
  bytes.append({1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0});
  const auto* const table =
      reinterpret_cast<const flatbuffers::Table*>(tflite::GetModel(bytes.data())
                                                      ->subgraphs()
                                                      ->Get(0)
                                                      ->tensors()
                                                      ->Get(0)
                                                      ->quantization());
  const uint8_t* const field =
      table->GetAddressOf(tflite::QuantizationParameters::VT_ZERO_POINT);
  const size_t at = static_cast<size_t>(
      field - reinterpret_cast<const uint8_t*>(bytes.data()));
  const auto distance = static_cast<uint32_t>(list - at);
  std::memcpy(&bytes[at], &distance, sizeof(distance));
  const auto model = Model::Parse(bytes, "broken.tflite");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->subgraphs()[0].tensors[0].quantization.zero_point(), 9);
}

// An output with a computed shape gets new memory in every run, but a variable
// must keep its memory. Therefore a variable must not have a computed shape.
TEST(BrokenRun, AVariableHasNoComputedShape) {
  NetBuilder net;
  net.SetType(tflite::TensorType::INT32);
  const int32_t shape = net.Input({1});
  const int32_t one = net.Numbers({}, {1});
  const int32_t filled = net.Variable({});
  net.AddOperator(tflite::BuiltinOperator::FILL, {shape, one}, {filled});
  net.MarkOutput(filled);
  const absl::Status status = RunZeros(Build(net.spec()));
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_NE(std::string(status.message()).find("the shape of the variable"),
            std::string::npos)
      << status;
}

// An operator may compute a variable from itself only if it can compute in
// place. Any other operator would read bytes that it has already overwritten.
TEST(BrokenRun, AVariableIsOverwrittenInPlace) {
  for (const bool transposes : {false, true}) {
    SCOPED_TRACE(transposes);
    NetBuilder net;
    const int32_t x = net.Input({2, 2});
    const int32_t state = net.Variable({2, 2});
    if (transposes) {
      net.AddOperator(tflite::BuiltinOperator::TRANSPOSE,
                      {state, net.List({1, 0})}, {state});
    } else {
      net.AddOperator(tflite::BuiltinOperator::ADD, {x, state}, {state})
          .options.Set(tflite::AddOptionsT());
    }
    net.MarkOutput(state);
    const absl::Status status = RunZeros(Build(net.spec()));
    EXPECT_EQ(status.ok(), !transposes) << status;
    if (transposes) {
      EXPECT_NE(std::string(status.message()).find("reads and writes tensor 1"),
                std::string::npos)
          << status;
    }
  }
}

// Each run frees the output of the previous run before it requests new memory,
// so after a failed run the output has no memory.
TEST(BrokenRun, AnOutputThatFindsNoMemoryHasNoBytes) {
  NetBuilder net;
  net.SetType(tflite::TensorType::INT32);
  const int32_t limit = net.Input({});
  net.MarkOutput(net.Add(tflite::BuiltinOperator::RANGE,
                         {net.Numbers({}, {0}), limit, net.Numbers({}, {1})},
                         {}));
  const std::string bytes = Build(net.spec());
  const auto model = Model::Parse(bytes, "broken.tflite");
  ASSERT_TRUE(model.ok()) << model.status();
  InterpreterOptions options;
  options.memory_limit = 10000;
  const auto interpreter = Interpreter::Create(**model, options);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_TRUE(graph.Allocate().ok());
  *graph.input(0).as<int32_t>() = 4;
  ASSERT_TRUE(graph.Invoke().ok());
  EXPECT_EQ(graph.output(0).bytes, 16u);
  *graph.input(0).as<int32_t>() = 1000000;
  EXPECT_TRUE(absl::IsResourceExhausted(graph.Invoke()));
  EXPECT_EQ(graph.output(0).bytes, 0u);
  EXPECT_EQ(graph.output(0).data, nullptr);
}

// Damages real models of at most 64 KiB: every byte of the smallest models, and
// at most 400 bytes of each other model.
TEST(BrokenRun, ModelsInUse) {
  const auto models = RealDataFolder("STOWAGE_MODELS");
  if (!models) GTEST_SKIP() << "STOWAGE_MODELS is not set";
  constexpr size_t kLargest = size_t{64} << 10;
  constexpr size_t kFlips = 400;
  size_t tried = 0;
  for (const std::string& path : FilesIn(*models, ".tflite")) {
    const std::string model = ContentsOf(path);
    if (model.size() > kLargest) continue;
    ++tried;
    const size_t step = model.size() / kFlips + 1;
    for (size_t i = 0; i < model.size(); i += step) {
      std::string broken = model;
      broken[i] = static_cast<char>(~broken[i]);
      ExpectHonest(RunZeros(broken), absl::StrCat(path, ": byte ", i));
    }
  }
  EXPECT_GT(tried, 0u);
}

struct HostileShape {
  const char* name;
  Shape shape;
};

class HostileShapes : public testing::TestWithParam<HostileShape> {};

// Both the graph input, which the caller would fill, and the output of the
// operator have the hostile shape.
TEST_P(HostileShapes, AreAnErrorBeforeAnythingIsAllocated) {
  OperatorCase relu{tflite::BuiltinOperator::RELU};
  relu.inputs = {Output(ElementType::kFloat32, GetParam().shape)};
  relu.outputs = {Output(ElementType::kFloat32, GetParam().shape)};
  const std::string bytes = ModelOf(relu);
  const absl::Status status = RunZeros(bytes);
  EXPECT_FALSE(status.ok());
  EXPECT_FALSE(status.message().empty());
}

INSTANTIATE_TEST_SUITE_P(
    BrokenRun, HostileShapes,
    testing::Values(
        HostileShape{"Vast", {2147483647, 2147483647}},
        HostileShape{"BeyondAllBytes",
                     {2147483647, 2147483647, 2147483647, 2147483647}},
        HostileShape{"EmptyButVast", {2147483647, 2147483647, 2147483647, 0}},
        HostileShape{"Large", {1, 65536, 65536, 4}},
        HostileShape{"Negative", {1, -4}}),
    [](const auto& c) { return std::string(c.param.name); });

// No operator writes tensor 1, because it is the working memory of an
// accelerator. Only shadows, which replace the operator of the accelerator,
// accept such a tensor.
TEST(BrokenRun, ACustomKernelReadsWhatIsWritten) {
  class Kernel final : public harness::Kernel {
   public:
    absl::Status Prepare(OperatorContext& context) override {
      return context.ResizeOutput(0, context.input(0).shape);
    }
    absl::Status Invoke(OperatorContext& /*context*/) override {
      return absl::OkStatus();
    }
  };
  ModelSpec model;
  model.codes = {{tflite::BuiltinOperator::CUSTOM, "npu"}};
  model.buffers.emplace_back();
  GraphSpec& graph = model.graphs.emplace_back();
  graph.tensors = {{{4}}, {{4}}, {{4}}};
  graph.inputs = {0};
  graph.outputs = {2};
  graph.operators = {{0, {0, 1}, {2}}};
  const std::string bytes = Build(model);
  const auto read = Model::Parse(bytes, "npu.tflite");
  ASSERT_TRUE(read.ok()) << read.status();
  OperatorResolver resolver = BuiltinOperators();
  resolver.Add(OperatorRegistration("npu").IsCustom().Creates<Kernel>());
  for (const ShadowMode shadow : {ShadowMode::kNone, ShadowMode::kMissing}) {
    InterpreterOptions options;
    options.shadow = shadow;
    const auto interpreter = Interpreter::Create(**read, resolver, options);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    const absl::Status status = (*interpreter)->primary().Allocate();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(status.message(),
                testing::HasSubstr("reads tensor 1, which nothing writes"));
  }
  InterpreterOptions options;
  options.shadow = ShadowMode::kAll;
  const auto interpreter = Interpreter::Create(**read, resolver, options);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  EXPECT_TRUE((*interpreter)->primary().Allocate().ok());
}

}  // namespace
}  // namespace stowage::harness
