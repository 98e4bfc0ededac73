// SPDX-License-Identifier: Apache-2.0
// Tests runs in which a shape is known only when an operator has computed it.
#include <cstdint>
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
using ::testing::HasSubstr;
using tflite::BuiltinOperator;
using tflite::TensorType;

// Reshapes six numbers to a shape that the model does not say, and adds what a
// constant of half precision is as floats. The sum is an argument of a call if
// `calls` is true.
ModelSpec ReshapedSum(bool calls) {
  NetBuilder net;
  const int32_t x = net.Input({6});
  net.SetType(TensorType::INT32);
  const int32_t shape = net.Input({2});
  net.SetType(TensorType::FLOAT32);
  const int32_t reshaped = net.Add(BuiltinOperator::RESHAPE, {x, shape}, {1});
  net.SetType(TensorType::FLOAT16);
  const std::vector<uint16_t> ones(6, 0x3C00);
  const int32_t half = net.Constant({2, 3}, ones);
  net.SetType(TensorType::FLOAT32);
  const int32_t constant = net.Add(BuiltinOperator::DEQUANTIZE, {half}, {2, 3});
  const int32_t sum = net.Add(BuiltinOperator::ADD, {reshaped, constant},
                              {2, 3}, tflite::AddOptionsT());
  if (!calls) {
    net.MarkOutput(sum);
    return net.spec();
  }
  const int32_t result = net.Tensor({2, 3});
  tflite::StableHLOCompositeOptionsT options;
  options.name = "negate";
  options.decomposition_subgraph_index = 1;
  net.AddOperator(BuiltinOperator::STABLEHLO_COMPOSITE, {sum}, {result})
      .options_2.Set(options);
  net.MarkOutput(result);
  net.BeginSubgraph();
  const int32_t argument = net.Input({2, 3});
  net.MarkOutput(
      net.Add(BuiltinOperator::NEG, {argument}, {2, 3}, tflite::NegOptionsT()));
  return net.spec();
}

TEST(ComputedRun, HasWhatDependsOnConstantsAfterAComputedShape) {
  for (const bool calls : {false, true}) {
    SCOPED_TRACE(calls);
    const LoadedModel model(ReshapedSum(calls));
    const auto interpreter = Interpreter::Create(*model);
    ASSERT_THAT(interpreter.status(), IsOk());
    Subgraph& graph = (*interpreter)->primary();
    ASSERT_THAT(graph.Allocate(), IsOk());
    for (int invocation = 0; invocation < 2; ++invocation) {
      for (int i = 0; i < 6; ++i) graph.input(0).as<float>()[i] = 4;
      graph.input(1).as<int32_t>()[0] = 2;
      graph.input(1).as<int32_t>()[1] = 3;
      ASSERT_THAT(graph.Invoke(), IsOk());
      const Tensor& output = graph.output(0);
      EXPECT_THAT(absl::MakeConstSpan(output.as<float>(), 6),
                  Each(calls ? -5.0F : 5.0F));
    }
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
