// SPDX-License-Identifier: Apache-2.0
// Tests runs in which a shape is unknown until an operator has computed it.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"
#include "tests/support/net_builder.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;
using tflite::TensorType;

// Returns a model with a loop that doubles the length of its input twice. After
// the loop, DEQUANTIZE converts a constant of half precision to floats, and ADD
// adds the floats to themselves.
ModelSpec SumAfterALoop() {
  NetBuilder net;
  const int32_t x = net.Input({1, 2});
  const int32_t zero = net.List({0});
  const int32_t longer = net.Tensor({1, 2});
  net.SetType(TensorType::INT32);
  const int32_t turns = net.Tensor({1});
  tflite::WhileOptionsT loop;
  loop.cond_subgraph_index = 1;
  loop.body_subgraph_index = 2;
  net.AddOperator(BuiltinOperator::WHILE, {zero, x}, {turns, longer})
      .options.Set(loop);
  net.SetType(TensorType::FLOAT16);
  const std::vector<uint16_t> ones(6, 0x3C00);
  const int32_t half = net.Constant({2, 3}, ones);
  net.SetType(TensorType::FLOAT32);
  const int32_t constant = net.Add(BuiltinOperator::DEQUANTIZE, {half}, {2, 3});
  net.MarkOutput(net.Add(BuiltinOperator::ADD, {constant, constant}, {2, 3},
                         tflite::AddOptionsT()));
  net.MarkOutput(longer);
  for (const bool is_body : {false, true}) {
    net.BeginSubgraph();
    net.SetType(TensorType::INT32);
    const int32_t turn = net.Input({1});
    net.SetType(TensorType::FLOAT32);
    const int32_t value = net.Input({1, 2});
    if (!is_body) {
      const int32_t two = net.List({2});
      net.SetType(TensorType::BOOL);
      net.MarkOutput(net.Add(BuiltinOperator::LESS, {turn, two}, {1},
                             tflite::LessOptionsT()));
      continue;
    }
    const int32_t twice =
        net.Add(BuiltinOperator::CONCATENATION, {value, value}, {2, 2},
                tflite::ConcatenationOptionsT());
    const int32_t one = net.List({1});
    net.SetType(TensorType::INT32);
    net.MarkOutput(
        net.Add(BuiltinOperator::ADD, {turn, one}, {1}, tflite::AddOptionsT()));
    net.MarkOutput(twice);
  }
  return net.spec();
}

// Returns a model with two inputs. The model first fills a list, whose length
// is the value of one input, and then adds the other input to itself.
ModelSpec SumAfterAFill() {
  NetBuilder net;
  const int32_t x = net.Input({2, 3});
  net.SetType(TensorType::INT32);
  const int32_t length = net.Input({1});
  const int32_t one = net.Numbers({}, {1});
  const int32_t filled = net.Add(BuiltinOperator::FILL, {length, one}, {1});
  net.SetType(TensorType::FLOAT32);
  net.MarkOutput(
      net.Add(BuiltinOperator::ADD, {x, x}, {2, 3}, tflite::AddOptionsT()));
  net.MarkOutput(filled);
  return net.spec();
}

// Allocates the graph if it is not allocated, and runs it once with inputs of
// zeros.
absl::Status InvokeWithZeros(Subgraph* graph) {
  absl::Status status = graph->Allocate();
  if (status.ok()) status = FeedZeros(*graph);
  return status.ok() ? graph->Invoke() : status;
}

// Adds an IF whose branches are subgraph 1 and subgraph `otherwise`.
void AddIf(NetBuilder* net, std::vector<int32_t> inputs, int32_t output,
           int32_t otherwise) {
  tflite::IfOptionsT branches;
  branches.then_subgraph_index = 1;
  branches.else_subgraph_index = otherwise;
  net->AddOperator(BuiltinOperator::IF, std::move(inputs), {output})
      .options.Set(branches);
}

TEST(ComputedRun, HasWhatDependsOnConstantsAfterAComputedShape) {
  const LoadedModel model(SumAfterALoop());
  const auto interpreter = Interpreter::Create(*model);
  ASSERT_THAT(interpreter.status(), IsOk());
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  for (int invocation = 0; invocation < 2; ++invocation) {
    graph.input(0).as<float>()[0] = 4;
    graph.input(0).as<float>()[1] = 4;
    ASSERT_THAT(graph.Invoke(), IsOk());
    EXPECT_THAT(absl::MakeConstSpan(graph.output(0).as<float>(), 6), Each(2));
    EXPECT_THAT(graph.output(1).shape, ElementsAre(4, 2));
    EXPECT_THAT(absl::MakeConstSpan(graph.output(1).as<float>(), 8), Each(4));
  }
}

// A variable keeps its memory from run to run, so nothing can resize it:
// neither before a run, nor in a run when the operators after a computed shape
// are prepared.
TEST(ComputedRun, DoesNotResizeAVariable) {
  const struct {
    const char* name;
    ModelSpec model;
    size_t output;  // becomes a variable of this shape
    Shape shape;
    const char* message;
  } cases[] = {
      {"AfterAComputedShape", SumAfterAFill(), 0, {1}, "resized to [2, 3]"},
      {"AfterALoop", SumAfterALoop(), 0, {1}, "resized to [2, 3]"},
      {"ResultOfALoop", SumAfterALoop(), 1, {1, 1}, "resized to [1, 2]"},
      {"NoBytes",
       SumAfterAFill(),
       0,
       {2, 0, 2},
       "expected [2, 0, 2], the shape of the variable"},
  };
  for (const auto& tested : cases) {
    SCOPED_TRACE(tested.name);
    ModelSpec spec = tested.model;
    GraphSpec& graph = spec.graphs[0];
    const auto output = static_cast<size_t>(graph.outputs[tested.output]);
    graph.tensors[output].is_variable = true;
    graph.tensors[output].shape = tested.shape;
    const LoadedModel model(std::move(spec));
    const auto interpreter = Interpreter::Create(*model);
    ASSERT_THAT(interpreter.status(), IsOk());
    Subgraph& primary = (*interpreter)->primary();
    EXPECT_THAT(InvokeWithZeros(&primary),
                FailsWith(absl::StatusCode::kInvalidArgument,
                          HasSubstr(tested.message)));
  }
}

// The branch declares a FLOAT32 result, but its last operator computes INT64.
// The last operator is prepared late, because it comes after a shape that is
// computed in the run.
TEST(ComputedRun, ABranchReturnsTheTypeOfTheModel) {
  NetBuilder net;
  net.SetType(TensorType::BOOL);
  const int32_t condition = net.Input({});
  net.SetType(TensorType::INT32);
  const int32_t length = net.Input({1});
  net.SetType(TensorType::FLOAT32);
  const int32_t result = net.Tensor({64});
  AddIf(&net, {condition, length}, result, 1);
  net.MarkOutput(result);
  net.BeginSubgraph();
  net.SetType(TensorType::INT32);
  net.Add(BuiltinOperator::FILL, {net.Input({1}), net.Numbers({}, {1})}, {1});
  net.SetType(TensorType::INT64);
  const int32_t constant =
      net.Constant<int64_t>({64}, std::vector<int64_t>(64, 1));
  net.SetType(TensorType::FLOAT32);
  net.MarkOutput(net.Add(BuiltinOperator::ZEROS_LIKE, {constant}, {64}));
  const LoadedModel model(net.spec());
  const auto interpreter = Interpreter::Create(*model);
  ASSERT_THAT(interpreter.status(), IsOk());
  EXPECT_THAT(
      InvokeWithZeros(&(*interpreter)->primary()),
      FailsWith(absl::StatusCode::kInvalidArgument,
                HasSubstr("the subgraph returns INT64; expected FLOAT32")));
}

// Handles have no bytes, regardless of their shapes.
TEST(ComputedRun, BranchesReturnHandlesOfAnyShape) {
  NetBuilder net;
  net.SetType(TensorType::BOOL);
  const int32_t condition = net.Input({});
  net.SetType(TensorType::FLOAT32);
  const int32_t x = net.Input({4});
  net.SetType(TensorType::RESOURCE);
  const int32_t returned = net.Tensor({1});
  const auto add_handle = [&net](const Shape& shape) {
    net.SetType(TensorType::RESOURCE);
    const int32_t handle = net.Tensor(shape);
    tflite::VarHandleOptionsT options;
    options.shared_name = "state";
    net.AddOperator(BuiltinOperator::VAR_HANDLE, {}, {handle})
        .options.Set(options);
    return handle;
  };
  net.AddOperator(BuiltinOperator::ASSIGN_VARIABLE, {add_handle({1}), x}, {});
  AddIf(&net, {condition}, returned, 2);
  net.SetType(TensorType::FLOAT32);
  net.MarkOutput(net.Add(BuiltinOperator::READ_VARIABLE, {returned}, {4}));
  for (const Shape& shape : {Shape{1}, Shape{}}) {
    net.BeginSubgraph();
    net.MarkOutput(add_handle(shape));
  }
  const LoadedModel model(net.spec());
  const auto interpreter = Interpreter::Create(*model);
  ASSERT_THAT(interpreter.status(), IsOk());
  EXPECT_THAT(InvokeWithZeros(&(*interpreter)->primary()), IsOk());
}

// No shadow can replace the operator that writes the variable, so the run
// fails. After the failure, the variable must still have its memory.
TEST(ComputedRun, AVariableKeepsItsMemoryAfterAFailure) {
  NetBuilder net;
  const int32_t x = net.Input({4});
  const int32_t state = net.Variable({4});
  net.MarkOutput(
      net.Add(BuiltinOperator::ADD, {x, state}, {4}, tflite::AddOptionsT()));
  net.SetType(TensorType::INT32);
  const int32_t length = net.Input({1});
  net.SetType(TensorType::FLOAT32);
  const int32_t filled = net.Add(BuiltinOperator::FILL,
                                 {length, net.Constant<float>({}, {1})}, {1});
  net.AddOperator(BuiltinOperator::CUSTOM, {filled}, {state}, "unknown");
  const LoadedModel model(net.spec());
  InterpreterOptions options;
  options.shadow = ShadowMode::kMissing;
  const auto interpreter = Interpreter::Create(*model, options);
  ASSERT_THAT(interpreter.status(), IsOk());
  Subgraph& graph = (*interpreter)->primary();
  for (int invocation = 0; invocation < 2; ++invocation) {
    EXPECT_THAT(invocation == 0 ? InvokeWithZeros(&graph) : graph.Invoke(),
                FailsWith(absl::StatusCode::kInvalidArgument,
                          HasSubstr("the shape is not known")));
  }
}

TEST(ComputedRun, NeedsAShapeThatSomethingWrites) {
  NetBuilder net;
  const int32_t x = net.Input({6});
  net.SetType(TensorType::INT32);
  const int32_t shape = net.Tensor({2});
  net.SetType(TensorType::FLOAT32);
  net.MarkOutput(net.Add(BuiltinOperator::RESHAPE, {x, shape}, {4}));
  const LoadedModel model(net.spec());
  const auto interpreter = Interpreter::Create(*model);
  ASSERT_THAT(interpreter.status(), IsOk());
  Subgraph& graph = (*interpreter)->primary();
  ASSERT_THAT(graph.Allocate(), IsOk());
  EXPECT_THAT(std::string(graph.Invoke().message()),
              HasSubstr("input 1 (\"\"): nothing writes it, and the output "
                        "has 4 elements; expected 6"));
}

}  // namespace
}  // namespace stowage::harness
