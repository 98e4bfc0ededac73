// SPDX-License-Identifier: Apache-2.0
// Tests how models run: loading, shapes, memory, state and cancellation. The
// test has its own operators, so it does not depend on the operators of the
// library.
#include "stowage/harness/interpreter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/operator.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"

namespace stowage::harness {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;
using tflite::TensorType;

absl::Status SameShape(OperatorContext& context) {
  return context.ResizeOutput(0, context.input(0).shape);
}

// Computes output = input + 1 for each element. Elements have one byte.
absl::Status AddOne(OperatorContext& context) {
  const Tensor& input = context.input(0);
  Tensor& output = context.output(0);
  for (size_t i = 0; i < input.bytes; ++i) {
    output.as<uint8_t>()[i] = static_cast<uint8_t>(input.as<uint8_t>()[i] + 1);
  }
  return absl::OkStatus();
}

// Adds the input to a variable, and writes the sum to the output.
absl::Status AccumulateBytes(OperatorContext& context) {
  Tensor& sum = context.variable(1);
  for (size_t i = 0; i < sum.bytes; ++i) {
    sum.as<uint8_t>()[i] = static_cast<uint8_t>(
        sum.as<uint8_t>()[i] + context.input(0).as<uint8_t>()[i]);
    context.output(0).as<uint8_t>()[i] = sum.as<uint8_t>()[i];
  }
  return absl::OkStatus();
}

// Writes n elements of value n, where n is the first element of the input.
absl::Status ExpandToFirst(OperatorContext& context) {
  const uint8_t count = context.input(0).as<uint8_t>()[0];
  const absl::Status status = context.ResizeOutput(0, {count});
  if (!status.ok()) return status;
  Tensor& output = context.output(0);
  std::fill_n(output.as<uint8_t>(), output.bytes, count);
  return absl::OkStatus();
}

OperatorResolver TestOperators() {
  OperatorResolver resolver;
  resolver.Add(CustomOperator("AddOne", SameShape, AddOne));
  resolver.Add(
      CustomOperator("AddOneInPlace", SameShape, AddOne, InPlace::kInput0));
  resolver.Add(CustomOperator("Accumulate", SameShape, AccumulateBytes));
  resolver.Add(CustomOperator(
      "Expand",
      [](OperatorContext& context) {
        context.MakeOutputDynamic(0);
        return absl::OkStatus();
      },
      ExpandToFirst));
  OperatorRegistration dequantize =
      CustomOperator("DEQUANTIZE", SameShape, [](OperatorContext& context) {
        Tensor& output = context.output(0);
        std::fill_n(output.as<uint8_t>(), output.bytes, 9);
        return absl::OkStatus();
      });
  dequantize.is_custom = false;
  resolver.Add(dequantize.FoldsConstants());
  return resolver;
}

// Returns a chain of operators in which operator i reads tensor i and writes
// tensor i + 1. Each tensor has eight bytes.
ModelSpec Row(const std::vector<std::string>& names) {
  ModelSpec model;
  model.buffers.emplace_back();
  GraphSpec& graph = model.graphs.emplace_back();
  graph.tensors.push_back({{8}, TensorType::UINT8, 0, "in"});
  graph.tensors[0].shape_signature = {-1};
  for (size_t i = 0; i < names.size(); ++i) {
    const auto from = static_cast<int32_t>(i);
    model.codes.push_back({BuiltinOperator::CUSTOM, names[i]});
    graph.tensors.push_back({{8}, TensorType::UINT8});
    graph.operators.push_back({static_cast<uint32_t>(i), {from}, {from + 1}});
  }
  graph.inputs = {0};
  graph.outputs = {static_cast<int32_t>(names.size())};
  return model;
}

// Holds a model and the interpreter that runs it.
class Running {
 public:
  explicit Running(const ModelSpec& spec,
                   const InterpreterOptions& options = {})
      : bytes_(Build(spec)) {
    auto model = Model::Parse(bytes_, "test.tflite");
    EXPECT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    auto interpreter = Interpreter::Create(*model_, TestOperators(), options);
    status_ = interpreter.status();
    if (interpreter.ok()) interpreter_ = *std::move(interpreter);
  }

  const absl::Status& status() const { return status_; }
  Interpreter& interpreter() { return *interpreter_; }
  Subgraph& graph() { return interpreter_->primary(); }

  // Runs the model with an input whose bytes all equal `value`. Returns the
  // bytes of the output.
  std::vector<int> Invoke(uint8_t value) {
    Tensor& input = graph().input(0);
    std::fill_n(input.as<uint8_t>(), input.bytes, value);
    const absl::Status status = graph().Invoke();
    EXPECT_TRUE(status.ok()) << status;
    const auto output = graph().output(0).span<uint8_t>();
    return {output.begin(), output.end()};
  }

 private:
  std::string bytes_;
  std::unique_ptr<const Model> model_;
  std::unique_ptr<Interpreter> interpreter_;
  absl::Status status_;
};

TEST(Tensor, WithoutElementsMayHaveLargeDimensions) {
  Tensor tensor;
  constexpr int32_t kLargest = std::numeric_limits<int32_t>::max();
  tensor.shape = {kLargest, kLargest, kLargest, 0};
  EXPECT_EQ(tensor.elements(), 0);
}

TEST(Interpreter, RunsOperatorsInOrder) {
  Running model(Row({"AddOne", "AddOne", "AddOne"}));
  ASSERT_TRUE(model.graph().Allocate().ok());
  EXPECT_THAT(model.Invoke(4), ElementsAre(7, 7, 7, 7, 7, 7, 7, 7));
}

TEST(Interpreter, EveryStrategyRunsTheModel) {
  std::vector<std::string> strategies = {""};
  for (const Strategy* strategy : AllStrategies()) {
    if (strategy->info().features.Has(Feature::kOffsets)) {
      strategies.push_back(strategy->info().name);
    }
  }
  for (const std::string& strategy : strategies) {
    SCOPED_TRACE(strategy);
    InterpreterOptions options;
    options.strategy = strategy;
    Running model(Row({"AddOne", "AddOneInPlace", "AddOne", "AddOne"}),
                  options);
    const absl::Status status = model.graph().Allocate();
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(model.Invoke(1)[7], 5);
    EXPECT_TRUE(strategy.empty() || model.graph().plan().strategy == strategy);
  }
}

TEST(Interpreter, SharedObjectsRunTheModelToo) {
  InterpreterOptions options;
  options.strategy = "greedy_by_size";
  options.kind = PlanKind::kObjects;
  Running model(Row({"AddOne", "AddOne", "AddOne"}), options);
  ASSERT_TRUE(model.graph().Allocate().ok());
  EXPECT_EQ(model.Invoke(1)[0], 4);
}

TEST(Interpreter, SharesMemoryInPlaceUnlessEverythingIsPreserved) {
  const ModelSpec row = Row({"AddOne", "AddOneInPlace", "AddOne"});
  Running sharing(row);
  ASSERT_TRUE(sharing.graph().Allocate().ok());
  EXPECT_EQ(sharing.graph().tensor(1).data, sharing.graph().tensor(2).data);
  InterpreterOptions options;
  options.preserve_all_tensors = true;
  Running preserving(row, options);
  ASSERT_TRUE(preserving.graph().Allocate().ok());
  EXPECT_NE(preserving.graph().tensor(1).data,
            preserving.graph().tensor(2).data);
  preserving.Invoke(1);
  EXPECT_EQ(preserving.graph().tensor(1).as<uint8_t>()[0], 2);
}

TEST(Interpreter, AResizedInputReplans) {
  Running model(Row({"AddOne", "AddOne"}));
  ASSERT_TRUE(model.graph().Allocate().ok());
  ASSERT_TRUE(model.graph().ResizeInput(0, {3}).ok());
  EXPECT_EQ(model.graph().Invoke().code(),
            absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(model.graph().Allocate().ok());
  EXPECT_THAT(model.Invoke(1), ElementsAre(3, 3, 3));
}

TEST(Interpreter, AnInputMayBeResizedFromAGivenShapeToThatOfTheModel) {
  InterpreterOptions options;
  options.shapes[{0, 0}] = {3};
  Running model(Row({"AddOne"}), options);
  ASSERT_TRUE(model.graph().ResizeInput(0, {8}).ok());
  ASSERT_TRUE(model.graph().Allocate().ok());
  EXPECT_THAT(model.Invoke(1), ElementsAre(2, 2, 2, 2, 2, 2, 2, 2));
}

TEST(Interpreter, AShapeMayBeKnownOnlyWhileRunning) {
  Running model(Row({"AddOne", "Expand", "AddOne", "AddOneInPlace"}));
  ASSERT_TRUE(model.graph().Allocate().ok());
  EXPECT_THAT(model.Invoke(2), ElementsAre(5, 5, 5));
  EXPECT_THAT(model.Invoke(4), ElementsAre(7, 7, 7, 7, 7));
  EXPECT_THAT(model.Invoke(1), ElementsAre(4, 4));
}

TEST(Interpreter, LargerShapesMoveTheArena) {
  Running model(Row({"Expand", "AddOne", "Expand", "AddOne", "AddOne"}));
  ASSERT_TRUE(model.graph().Allocate().ok());
  for (const int value : {3, 200, 7}) {
    const auto count = static_cast<size_t>(value + 1);
    EXPECT_EQ(model.Invoke(static_cast<uint8_t>(value)),
              std::vector<int>(count, value + 3));
  }
}

// A constant that is computed once stays in the persistent arena, in the second
// run as well.
TEST(Interpreter, FoldedConstantsStayWhereTheyAreAfterAComputedShape) {
  ModelSpec model = Row({"Expand", "AddOne"});
  model.codes.push_back({BuiltinOperator::DEQUANTIZE, ""});
  model.buffers.push_back({std::vector<uint8_t>(8)});
  GraphSpec& graph = model.graphs[0];
  graph.tensors.push_back({{4}, TensorType::FLOAT16, 1, "half"});
  graph.tensors.push_back({{4}, TensorType::FLOAT32, 0, "folded"});
  graph.tensors.push_back({{4}, TensorType::FLOAT32, 0, "reads it"});
  graph.operators.insert(graph.operators.begin() + 1, {2, {3}, {4}});
  graph.operators.push_back({1, {4}, {5}});
  Running running(model);
  ASSERT_TRUE(running.graph().Allocate().ok());
  for (const uint8_t value : {uint8_t{3}, uint8_t{5}}) {
    EXPECT_EQ(running.Invoke(value), std::vector<int>(value, value + 1));
    EXPECT_EQ(running.graph().tensor(4).storage, Storage::kPersistent);
    EXPECT_THAT(running.graph().input(0).span<uint8_t>(), Each(value));
  }
}

ModelSpec Accumulator() {
  ModelSpec model = Row({"Accumulate"});
  GraphSpec& graph = model.graphs[0];
  graph.tensors[0].shape_signature = {};
  graph.tensors.push_back({{8}, TensorType::UINT8, 0, "sum"});
  graph.tensors.back().is_variable = true;
  graph.tensors.back().scales = {1};
  graph.tensors.back().zero_points = {100};
  graph.operators[0].inputs.push_back(2);
  return model;
}

TEST(Interpreter, VariablesKeepTheirStateFromOneRunToTheNext) {
  Running model(Accumulator());
  ASSERT_TRUE(model.graph().Allocate().ok());
  EXPECT_EQ(model.Invoke(5)[0], 105);
  EXPECT_EQ(model.Invoke(5)[0], 110);
  model.graph().ResetVariables();
  EXPECT_EQ(model.Invoke(5)[0], 105);
}

class CancelAt : public ExecutionObserver {
 public:
  explicit CancelAt(size_t node) : node_(node) {}
  absl::Status AfterOperator(const Execution& at) override {
    last_ = at.node;
    if (at.node == node_) graph->Cancel();
    return absl::OkStatus();
  }
  size_t last() const { return last_; }

  Subgraph* graph = nullptr;

 private:
  size_t node_;
  size_t last_ = 0;
};

TEST(Interpreter, ACancelledRunEndsBeforeTheNextOperator) {
  CancelAt canceller(1);
  InterpreterOptions options;
  options.observers = {&canceller};
  Running model(Row({"AddOne", "AddOne", "AddOne"}), options);
  canceller.graph = &model.graph();
  ASSERT_TRUE(model.graph().Allocate().ok());
  const absl::Status status = model.graph().Invoke();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(std::string(status.message()), HasSubstr("operator 2"));
  EXPECT_EQ(canceller.last(), 1u);
}

TEST(Interpreter, SignaturesNameSubgraphs) {
  ModelSpec spec = Row({"AddOne"});
  tflite::SignatureDefT signature;
  signature.signature_key = "serve";
  spec.signatures.push_back(signature);
  Running model(spec);
  EXPECT_EQ(*model.interpreter().FindSignature("serve"), &model.graph());
  EXPECT_THAT(
      std::string(model.interpreter().FindSignature("x").status().message()),
      HasSubstr("no signature \"x\"; expected one of \"serve\""));
}

TEST(Interpreter, OperatorsThatAreMissingAreAllListed) {
  ModelSpec spec = Row({"AddOne", "Unheard", "AddOne"});
  spec.codes[2].version = 7;
  const Running model(spec);
  const std::string message(model.status().message());
  EXPECT_THAT(message, HasSubstr("CUSTOM Unheard"));
  EXPECT_THAT(message,
              HasSubstr("CUSTOM AddOne version 7 (kernels are for 1)"));
  EXPECT_THAT(message, HasSubstr("subgraph 0, operator 1"));
}

TEST(Interpreter, NothingIsAllocatedAboveTheLimit) {
  InterpreterOptions options;
  options.memory_limit = 1000;
  Running model(Row({"AddOne", "AddOne"}), options);
  ASSERT_TRUE(model.graph().Allocate().ok());
  ASSERT_TRUE(model.graph().ResizeInput(0, {600}).ok());
  EXPECT_EQ(model.graph().Allocate().code(),
            absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(model.graph().ResizeInput(0, {2147483647}).ok());
  const absl::Status status = model.graph().Allocate();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("at most 1000"));
}

TEST(Interpreter, APlanOfTheCallersIsRunAsItIs) {
  InterpreterOptions options;
  options.planner = [](const ArenaRecords& records) {
    OffsetsAssignment plan;
    for (size_t i = 0; i < records.records.size(); ++i) {
      plan.offsets.push_back(i * 64);
    }
    return plan;
  };
  Running model(Row({"AddOne", "AddOne"}), options);
  ASSERT_TRUE(model.graph().Allocate().ok());
  EXPECT_EQ(model.graph().plan().arena_bytes, 136u);
  EXPECT_EQ(model.Invoke(1)[0], 3);
}

struct BadPlan {
  const char* name;
  std::vector<size_t> offsets;
  const char* message;
};

class BadPlans : public ::testing::TestWithParam<BadPlan> {};

TEST_P(BadPlans, AreRefused) {
  InterpreterOptions options;
  options.planner = [](const ArenaRecords&) {
    return OffsetsAssignment{GetParam().offsets, 0};
  };
  Running model(Row({"AddOne"}), options);
  EXPECT_THAT(std::string(model.graph().Allocate().message()),
              HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Interpreter, BadPlans,
    ::testing::Values(
        BadPlan{"TooShort", {0}, "expected 2"},
        BadPlan{"Unaligned", {0, 65}, "a multiple of 64"},
        BadPlan{"PastTheEnd", {0, 0xFFFFFFFFFFFFFFC0 - 0}, "the memory limit"}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace stowage::harness
