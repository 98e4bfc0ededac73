// SPDX-License-Identifier: Apache-2.0
// Tests which 8-bit weights the delegate `onednn` accepts, and that it computes
// the same as the interpreter's kernels with these weights.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "model_schema/model_generated.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/delegates/lone_node.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using support::DistanceOf;
using support::RecordedGraph;
using support::RecordRun;
using support::RunLoneNode;
using tflite::BuiltinOperator;

// Returns an operator on an image of 2 x 2 pixels with 2 channels or, for
// FULLY_CONNECTED, on a row of 8 numbers. Its weights repeat -100, 1, 27, 0, 5.
OperatorCase CaseOf(BuiltinOperator code, const Quantization& weights) {
  static constexpr int8_t kWeights[] = {-100, 1, 27, 0, 5};
  OperatorCase c;
  c.code = code;
  Shape input = {1, 2, 2, 2};
  Shape filter = {3, 1, 1, 2};
  Shape output = {1, 2, 2, 3};
  int32_t channels = 3;
  switch (code) {
    case BuiltinOperator::FULLY_CONNECTED:
      input = {1, 8};
      filter = {3, 8};
      output = {1, 3};
      c.options.Set(tflite::FullyConnectedOptionsT());
      break;
    case BuiltinOperator::CONV_2D: {
      tflite::Conv2DOptionsT options;
      options.stride_w = options.stride_h = 1;
      c.options.Set(options);
      break;
    }
    default: {
      tflite::DepthwiseConv2DOptionsT options;
      options.stride_w = options.stride_h = 1;
      options.depth_multiplier = 1;
      c.options.Set(options);
      filter = {1, 1, 1, 2};
      output = input;
      channels = 2;
    }
  }
  std::vector<int8_t> numbers;
  for (int64_t i = 0; i < *ElementCount(filter); ++i) {
    numbers.push_back(kWeights[i % 5]);
  }
  std::vector<int32_t> bias(static_cast<size_t>(channels), 7);
  c.inputs = {Output(ElementType::kInt8, input, Scaled(0.05F, -3)),
              Values(filter, numbers, weights).Constant(),
              Values({channels}, bias, Scaled(0.001F, 0)).Constant()};
  c.outputs = {Output(ElementType::kInt8, output, Scaled(0.5F, 4))};
  return c;
}

// Returns the largest difference between the results of the delegate and of the
// kernel, in quantization steps, or nullopt if the delegate does not claim the
// operator.
absl::optional<double> DistanceByOnednn(const OperatorCase& c) {
  const std::string file = ModelOf(c);
  const auto model = Model::Parse(file, "operator");
  EXPECT_TRUE(model.ok()) << model.status();
  const auto interpreter = RecordRun(**model, /*seed=*/3);
  EXPECT_TRUE(interpreter.ok()) << interpreter.status();
  if (!interpreter.ok()) return absl::nullopt;
  const OperatorResolver resolver = BuiltinOperators();
  const RecordedGraph graph((*interpreter)->primary(), resolver);
  const auto delegate = CreateDelegate("onednn");
  EXPECT_TRUE(delegate.ok()) << delegate.status();
  EXPECT_TRUE((*delegate)->Prepare(graph).ok());
  if (!(*delegate)->CanRun(graph, 0)) return absl::nullopt;
  const auto output = RunLoneNode(**delegate, graph, 0);
  EXPECT_TRUE(output.ok()) << output.status();
  return DistanceOf((*interpreter)->primary().output(0), *output);
}

TEST(OnednnWeights, HaveTheirZeroPointSubtracted) {
  for (const auto code :
       {BuiltinOperator::FULLY_CONNECTED, BuiltinOperator::CONV_2D,
        BuiltinOperator::DEPTHWISE_CONV_2D}) {
    const auto plain = DistanceByOnednn(CaseOf(code, Scaled(0.02F, 0)));
    if (!plain) GTEST_SKIP() << "this CPU does not sum products exactly";
    EXPECT_LE(*plain, 1) << EnumNameBuiltinOperator(code);
    for (const int32_t zero : {1, 20, -100}) {
      const auto distance = DistanceByOnednn(CaseOf(code, Scaled(0.02F, zero)));
      ASSERT_TRUE(distance) << EnumNameBuiltinOperator(code) << zero;
      EXPECT_LE(*distance, 1) << EnumNameBuiltinOperator(code) << zero;
    }
  }
}

TEST(OnednnWeights, MustFitAByteWithoutTheirZeroPoint) {
  const auto code = BuiltinOperator::FULLY_CONNECTED;
  EXPECT_FALSE(DistanceByOnednn(CaseOf(code, Scaled(0.02F, 29))));
  EXPECT_FALSE(DistanceByOnednn(CaseOf(code, Scaled(0.02F, -101))));
}

}  // namespace
}  // namespace stowage::harness
