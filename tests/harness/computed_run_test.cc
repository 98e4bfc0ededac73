// SPDX-License-Identifier: Apache-2.0
// Tests runs in which a shape is known only when an operator has computed it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
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

// Doubles its input in length twice, in a loop, and then adds what a constant
// of half precision is as floats to itself.
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

// Adds an input to itself after a list whose length another input says.
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

// A variable keeps its memory from run to run, so nothing can resize it: not
// before a run, and not in it, when what comes after a computed shape is
// prepared.
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
       "expected [2, 0, 2], the "
       "shape of the variable"},
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
    absl::Status status = primary.Allocate();
    if (status.ok()) {
      for (size_t i = 0; i < primary.input_count(); ++i) {
        std::memset(primary.input(i).data, 0, primary.input(i).bytes);
      }
      status = primary.Invoke();
    }
    EXPECT_THAT(status, FailsWith(absl::StatusCode::kInvalidArgument,
                                  HasSubstr(tested.message)));
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
