// Models that are damaged: an error or a run, never more than that. Sanitizers
// look on.
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
#include "gtest/gtest.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/model.h"
#include "stowage/harness/operator.h"
#include "tests/harness/run_operator.h"
#include "tests/support/model_spec.h"
#include "tests/support/real_data.h"

namespace stowage::harness {
namespace {

using support::FilesIn;
using support::RealDataFolder;

// Far above what the models here take, far below what a size gone wrong asks.
constexpr size_t kMemoryLimit = size_t{16} << 20;

std::string ContentsOf(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

// Loads, plans and runs, with zeros for inputs.
absl::Status RunZeros(const std::string& bytes) {
  const auto model = Model::Parse(bytes, "broken.tflite");
  if (!model.ok()) return model.status();
  InterpreterOptions options;
  options.strategy = "greedy_by_size";
  options.memory_limit = kMemoryLimit;
  const auto interpreter = Interpreter::Create(**model, options);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  const absl::Status status = graph.Allocate();
  if (!status.ok()) return status;
  for (size_t i = 0; i < graph.input_count(); ++i) {
    if (graph.input(i).bytes > 0) {
      std::memset(graph.input(i).data, 0, graph.input(i).bytes);
    }
  }
  return graph.Invoke();
}

// The message of an error says where.
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
  size_t refused = 0;
  for (size_t i = 0; i < model.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
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

// Each subgraph calls the next: the stack is not for the model to fill.
TEST(BrokenRun, CallsWithinCallsHaveAnEnd) {
  ModelSpec model;
  model.buffers.emplace_back();
  model.codes = {{tflite::BuiltinOperator::CALL_ONCE, ""}};
  model.graphs.resize(1000);
  for (size_t i = 0; i + 1 < model.graphs.size(); ++i) {
    tflite::CallOnceOptionsT options;
    options.init_subgraph_index = static_cast<int32_t>(i) + 1;
    stowage::OperatorSpec& call = model.graphs[i].operators.emplace_back();
    call.options.Set(options);
  }
  const absl::Status status = RunZeros(Build(model));
  EXPECT_NE(std::string(status.message()).find("deeper than"),
            std::string::npos)
      << status;
}

// Small models in use: every byte of the smallest, some of the others.
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

// Of a tensor that an operator writes and the caller would fill.
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

}  // namespace
}  // namespace stowage::harness
