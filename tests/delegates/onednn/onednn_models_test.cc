// SPDX-License-Identifier: Apache-2.0
// Tests the delegate `onednn` on real models. Each node that it claims must
// compute the same as the interpreter's kernel. Whole models must run with the
// scratch memory of the delegate in the arena.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/lone_node.h"
#include "tests/harness/recorded_models.h"
#include "tests/support/real_data.h"
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::DistanceOf;
using support::FailsWith;
using support::IsOk;
using support::LargestOf;
using support::RecordedGraph;
using support::RecordRun;
using support::RunLoneNode;

// Returns the largest difference from the recorded tensor: in quantization
// steps for quantized tensors, and as a fraction of the largest magnitude for
// FLOAT32.
double DifferenceOf(const Tensor& recorded, absl::Span<const uint8_t> output) {
  const double distance = DistanceOf(recorded, output);
  if (recorded.type != ElementType::kFloat32 || distance == 0) return distance;
  return distance / LargestOf(recorded);
}

class OnednnModel : public testing::TestWithParam<RecordedModel> {
 protected:
  void SetUp() override {
    const auto folder = support::RealDataFolder("STOWAGE_MODELS");
    if (!folder) GTEST_SKIP() << "STOWAGE_MODELS is not set";
    if (support::kIsSanitized && GetParam().is_large) {
      GTEST_SKIP() << "large models are run without sanitizers only";
    }
    auto model =
        Model::Read(absl::StrCat(*folder, "/", GetParam().name, ".tflite"));
    ASSERT_THAT(model, IsOk());
    model_ = *std::move(model);
    auto interpreter = RecordRun(*model_, /*seed=*/1);
    ASSERT_THAT(interpreter, IsOk());
    interpreter_ = *std::move(interpreter);
    recorded_ = std::make_unique<RecordedGraph>(graph(), resolver_);
  }

  Subgraph& graph() { return interpreter_->primary(); }
  bool IsQuantized() {
    return absl::c_any_of(graph().spec().tensors, [](const TensorSpec& tensor) {
      return tensor.quantization.is_quantized();
    });
  }

  std::unique_ptr<const Model> model_;
  std::unique_ptr<Interpreter> interpreter_;
  OperatorResolver resolver_ = BuiltinOperators();
  std::unique_ptr<RecordedGraph> recorded_;
};

TEST_P(OnednnModel, EachNodeComputesWhatTheKernelDoes) {
  const auto delegate = CreateDelegate("onednn");
  ASSERT_THAT(delegate, IsOk());
  std::map<std::string, double> worst;
  std::map<std::string, int> claimed;
  for (const int node : recorded_->execution_plan()) {
    if (!(*delegate)->CanRun(*recorded_, node)) continue;
    const std::string place =
        graph().spec().OperatorPlace(static_cast<size_t>(node));
    const auto output = RunLoneNode(**delegate, *recorded_, node, /*times=*/2);
    ASSERT_THAT(output, IsOk()) << place;
    const Tensor& expected =
        recorded_->tensor(recorded_->node(node).outputs[0]);
    const double difference = DifferenceOf(expected, *output);
    EXPECT_LE(difference, expected.type == ElementType::kFloat32 ? 1e-5 : 1)
        << place;
    const std::string kind =
        absl::StrCat(recorded_->node(node).name, "_",
                     absl::string_view(ElementTypeName(expected.type)));
    worst[kind] = std::max(worst[kind], difference);
    ++claimed[kind];
  }
  for (const auto& [kind, difference] : worst) {
    RecordProperty(kind, absl::StrCat(claimed[kind], ", ", difference));
  }
}

// The results of running the whole model with the delegate.
struct WholeRun {
  std::vector<std::vector<uint8_t>> outputs;
  std::vector<AppliedDelegate> delegates;
};

absl::StatusOr<WholeRun> RunWhole(const Model& model, const std::string& text,
                                  const InterpreterOptions& options) {
  auto interpreter = Interpreter::Create(model, options);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  absl::StatusOr<std::unique_ptr<Delegate>> delegate = CreateDelegate(text);
  absl::Status status = delegate.status();
  if (status.ok()) {
    status =
        graph.ApplyDelegate(std::shared_ptr<Delegate>(*std::move(delegate)));
  }
  InputSource feed(/*seed=*/1);
  if (status.ok()) status = feed(graph, 0);
  if (status.ok()) status = graph.Invoke();
  if (!status.ok()) return status;
  WholeRun run;
  run.delegates = graph.delegates();
  for (size_t i = 0; i < graph.output_count(); ++i) {
    const auto bytes = graph.output(i).span<uint8_t>();
    run.outputs.emplace_back(bytes.begin(), bytes.end());
  }
  return run;
}

TEST_P(OnednnModel, RunsAsAWhole) {
  if (graph().plan().prepared_nodes < graph().execution_plan().size()) {
    EXPECT_THAT(RunWhole(*model_, "onednn", {}),
                FailsWith(absl::StatusCode::kFailedPrecondition,
                          testing::HasSubstr("onednn")));
    return;
  }
  const auto run = RunWhole(*model_, "onednn", {});
  ASSERT_THAT(run, IsOk());
  for (size_t i = 0; i < graph().output_count(); ++i) {
    // In quantized models, the differences of single nodes accumulate, so no
    // bound is known.
    if (IsQuantized()) continue;
    EXPECT_LE(DifferenceOf(graph().output(i), run->outputs[i]), 5e-5)
        << "output " << i;
  }
  // The outputs must not depend on the address of the arena, on its plan, or on
  // the number of threads.
  InterpreterOptions moving;
  moving.moves_arena = true;
  moving.strategy = "naive";
  for (const std::string text : {"onednn", "onednn:threads=2"}) {
    const auto moved = RunWhole(*model_, text, moving);
    ASSERT_THAT(moved, IsOk());
    EXPECT_TRUE(moved->outputs == run->outputs) << text;
  }
}

std::string NameOf(const testing::TestParamInfo<RecordedModel>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

// These small models contain operators that occur in none of the real models.
TEST(Onednn, ComputesSmallModelsAsTheKernelsDo) {
  const auto delegate = CreateDelegate("onednn");
  ASSERT_THAT(delegate, IsOk());
  const OperatorResolver resolver = BuiltinOperators();
  std::set<std::string> claimed;
  for (const std::string& path : support::FilesIn(
           STOWAGE_SOURCE_DIR "/fuzz/seeds/interpreter", ".tflite")) {
    const auto model = Model::Read(path);
    if (!model.ok()) continue;
    const auto interpreter = RecordRun(**model, /*seed=*/1);
    if (!interpreter.ok()) continue;
    const RecordedGraph recorded((*interpreter)->primary(), resolver);
    for (const int node : recorded.execution_plan()) {
      if (!(*delegate)->CanRun(recorded, node)) continue;
      const OperatorSpec& spec = recorded.node(node);
      const auto output = RunLoneNode(**delegate, recorded, node);
      ASSERT_THAT(output, IsOk()) << path << " " << spec.name;
      const Tensor& expected = recorded.tensor(spec.outputs[0]);
      EXPECT_LE(DifferenceOf(expected, *output),
                expected.type == ElementType::kFloat32 ? 1e-5 : 1)
          << path << " " << spec.name;
      claimed.insert(spec.name);
    }
  }
  EXPECT_THAT(claimed,
              testing::IsSupersetOf({"ADD", "SUB", "MUL", "RELU", "RELU6",
                                     "RELU_N1_TO_1", "LEAKY_RELU", "HARD_SWISH",
                                     "LOGISTIC", "TANH", "SOFTMAX", "CONV_2D",
                                     "DEPTHWISE_CONV_2D", "FULLY_CONNECTED",
                                     "AVERAGE_POOL_2D", "MAX_POOL_2D"}));
}

// Operator 0 dequantizes a FLOAT16 constant, which is an input of operator 1,
// ADD. oneDNN cannot add such constants, so the interpreter runs both
// operators.
TEST(Onednn, LeavesSumsOfConstantsOfFloat16) {
  const auto model =
      Model::Read(STOWAGE_SOURCE_DIR "/fuzz/seeds/interpreter/example.tflite");
  ASSERT_THAT(model, IsOk());
  auto interpreter = Interpreter::Create(**model);
  ASSERT_THAT(interpreter, IsOk());
  Subgraph& graph = (*interpreter)->primary();
  auto delegate = CreateDelegate("onednn");
  ASSERT_THAT(delegate, IsOk());
  ASSERT_THAT(graph.ApplyDelegate(*std::move(delegate)), IsOk());
  const auto applied = graph.delegates();
  ASSERT_EQ(applied.size(), 1u);
  ASSERT_EQ(applied[0].partitions.size(), 1u);
  EXPECT_THAT(applied[0].partitions[0].nodes, testing::ElementsAre(2, 3));
}

TEST(Onednn, RefusesOptionsThatItDoesNotHave) {
  for (const std::string text : {"onednn:threads=0", "onednn:pool=2"}) {
    EXPECT_THAT(CreateDelegate(text),
                FailsWith(absl::StatusCode::kInvalidArgument,
                          testing::HasSubstr("delegate 'onednn': option")));
  }
}

INSTANTIATE_TEST_SUITE_P(, OnednnModel, testing::ValuesIn(RecordedModels()),
                         NameOf);

}  // namespace
}  // namespace stowage::harness
