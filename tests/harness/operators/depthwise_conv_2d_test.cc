// SPDX-License-Identifier: Apache-2.0
// Compares DEPTHWISE_CONV_2D with the definition of a grouped convolution that
// has one group for each channel.
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/operators/naive_convolution.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Convolution AnyDepthwise() {
  const tflite::Padding padding = AnyPadding();
  Convolution c{AnySlide(padding), AnySlide(padding)};
  c.batches = *rc::gen::inRange(1, 3);
  c.channels = *rc::gen::inRange(1, 20);
  c.groups = c.channels;
  c.filters = c.channels * *rc::gen::element(1, 1, 2, 3);
  return c;
}

// Returns the shape that the operator requires for the weights: [1, height,
// width, filters].
Shape Depthwise(const Convolution& c) {
  return {1, c.y.taps, c.x.taps, c.filters};
}

// Reorders the weights from the layout of the operator to the layout of a
// grouped convolution, [filters, height, width, 1].
Numbers AsGroups(const Convolution& c, const Numbers& weights) {
  Numbers result;
  for (int f = 0; f < c.filters; ++f) {
    for (int y = 0; y < c.y.taps; ++y) {
      for (int x = 0; x < c.x.taps; ++x) {
        result.push_back(weights[Index(Depthwise(c), 0, y, x, f)]);
      }
    }
  }
  return result;
}

OperatorCase DepthwiseConv2dCase(const Convolution& c, const TensorValue& input,
                                 const TensorValue& weights,
                                 const TensorValue& bias,
                                 const Quantization& output = {}) {
  OperatorCase conv{tflite::BuiltinOperator::DEPTHWISE_CONV_2D};
  tflite::DepthwiseConv2DOptionsT options;
  options.padding = c.y.padding;
  options.stride_h = c.y.stride;
  options.stride_w = c.x.stride;
  options.dilation_h_factor = c.y.dilation;
  options.dilation_w_factor = c.x.dilation;
  options.depth_multiplier = c.filters / c.channels;
  conv.options.Set(options);
  conv.inputs = {input, weights.Constant(), bias.Constant()};
  conv.outputs = {Output(input.type, {1}, output)};
  return conv;
}

struct DepthwiseConv2dData {
  Numbers input;
  Numbers weights;
  Numbers bias;
  Numbers sums;
};

DepthwiseConv2dData DepthwiseConv2dAnyData(const Convolution& c,
                                           int max_input) {
  DepthwiseConv2dData data{
      AnyNumbers(Count(c.Input()), -max_input, max_input),
      AnyNumbers(Count(Depthwise(c)), -100, 100),
      AnyNumbers(static_cast<size_t>(c.filters), -1000, 1000),
      {}};
  data.sums = Convolve(c, data.input, AsGroups(c, data.weights), data.bias);
  return data;
}

RC_GTEST_PROP(DepthwiseConv2D, FloatsAreSummedByTheDefinition, ()) {
  const Convolution c = AnyDepthwise();
  const DepthwiseConv2dData data = DepthwiseConv2dAnyData(c, 100);
  const auto outputs = RunOperator(
      DepthwiseConv2dCase(c, Values(c.Input(), Elements<float>(data.input)),
                          Values(Depthwise(c), Elements<float>(data.weights)),
                          Values({c.filters}, Elements<float>(data.bias))));
  RC_ASSERT(ValuesOf<float>(outputs) == Elements<float>(data.sums));
  RC_ASSERT(outputs->at(0).shape == c.Output());
}

RC_GTEST_PROP(DepthwiseConv2D, IntegersAreSummedLessTheirZeroPoints, ()) {
  const Convolution c = AnyDepthwise();
  const DepthwiseConv2dData data = DepthwiseConv2dAnyData(c, 100);
  const int zero = *rc::gen::inRange(-28, 28);
  const auto outputs = RunOperator(DepthwiseConv2dCase(
      c,
      Values(c.Input(), Elements<int8_t>(data.input, zero), Scaled(0.5F, zero)),
      Values(Depthwise(c), Elements<int8_t>(data.weights), Scaled(0.5F, 0)),
      Values({c.filters}, Elements<int32_t>(data.bias)), Scaled(0.25F, zero)));
  RC_ASSERT(ValuesOf<int8_t>(outputs) == Saturated<int8_t>(data.sums, zero));
}

RC_GTEST_PROP(DepthwiseConv2D, UnsignedWeightsHaveAZeroPointToo, ()) {
  const Convolution c = AnyDepthwise();
  const DepthwiseConv2dData data = DepthwiseConv2dAnyData(c, 100);
  const auto outputs = RunOperator(DepthwiseConv2dCase(
      c,
      Values(c.Input(), Elements<uint8_t>(data.input, 120), Scaled(0.5F, 120)),
      Values(Depthwise(c), Elements<uint8_t>(data.weights, 140),
             Scaled(0.5F, 140)),
      Values({c.filters}, Elements<int32_t>(data.bias)), Scaled(0.25F, 9)));
  RC_ASSERT(ValuesOf<uint8_t>(outputs) == Saturated<uint8_t>(data.sums, 9));
}

RC_GTEST_PROP(DepthwiseConv2D, SixteenBitInputsTakeABiasOf32Or64Bits, ()) {
  const Convolution c = AnyDepthwise();
  const DepthwiseConv2dData data = DepthwiseConv2dAnyData(c, 32000);
  const bool is_wide = *rc::gen::arbitrary<bool>();
  const TensorValue bias =
      is_wide ? Values({c.filters}, Elements<int64_t>(data.bias))
              : Values({c.filters}, Elements<int32_t>(data.bias));
  const auto outputs = RunOperator(DepthwiseConv2dCase(
      c, Values(c.Input(), Elements<int16_t>(data.input), Scaled(0.5F, 0)),
      Values(Depthwise(c), Elements<int8_t>(data.weights), Scaled(0.5F, 0)),
      bias, Scaled(0.25F, 0)));
  RC_ASSERT(ValuesOf<int16_t>(outputs) == Saturated<int16_t>(data.sums, 0));
}

// Returns a convolution with two channels and two filters of one element.
Convolution DepthwiseConv2dPlain() {
  Convolution c;
  c.channels = 2;
  c.groups = 2;
  c.filters = 2;
  return c;
}

TEST(DepthwiseConv2D, ScalesOfChannelsAreAlongTheLastDimension) {
  const auto outputs = RunOperator(DepthwiseConv2dCase(
      DepthwiseConv2dPlain(),
      Values<int8_t>({1, 1, 1, 2}, {10, 20}, Scaled(1, 0)),
      Values<int8_t>({1, 1, 1, 2}, {1, 1}, {{0.5F, 2}, {0, 0}, 3}),
      Values<int32_t>({2}, {0, 0}), Scaled(1, 0)));
  EXPECT_THAT(ValuesOf<int8_t>(outputs), ElementsAre(5, 40));
}

TEST(DepthwiseConv2D, HybridInputsAreQuantised) {
  const auto outputs = RunOperator(DepthwiseConv2dCase(
      DepthwiseConv2dPlain(), Values<float>({1, 1, 1, 2}, {255, 20}),
      Values<int8_t>({1, 1, 1, 2}, {2, 2}, {{0.5F, 2}, {0, 0}, 3}),
      Values<float>({2}, {0, 1})));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(255, 81));
}

struct DepthwiseConv2dRefusal {
  const char* name;
  void (*spoil)(OperatorCase&);
  const char* message;
};

class DepthwiseConv2DRefuses
    : public ::testing::TestWithParam<DepthwiseConv2dRefusal> {};

TEST_P(DepthwiseConv2DRefuses, With) {
  OperatorCase conv = DepthwiseConv2dCase(
      DepthwiseConv2dPlain(), Values<float>({1, 1, 1, 2}, {1, 2}),
      Values<float>({1, 1, 1, 2}, {1, 2}), Values<float>({2}, {1, 2}));
  ASSERT_TRUE(RunOperator(conv).ok());
  GetParam().spoil(conv);
  const auto outputs = RunOperator(conv);
  EXPECT_THAT(std::string(outputs.status().message()),
              HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    DepthwiseConv2D, DepthwiseConv2DRefuses,
    ::testing::Values(
        DepthwiseConv2dRefusal{
            "StrideZero",
            [](auto& c) { c.options.AsDepthwiseConv2DOptions()->stride_h = 0; },
            "in its height the filter has 1 elements, stride 0"},
        DepthwiseConv2dRefusal{
            "AFilterOfEachInput",
            [](auto& c) {
              c.inputs[1] = Values<float>({2, 1, 1, 1}, {1, 2}).Constant();
            },
            "its shape is [2, 1, 1, 1]; expected [1, height, width, a "
            "multiple of the input's 2 channels]"},
        DepthwiseConv2dRefusal{
            "HalfAMultiplier",
            [](auto& c) {
              c.inputs[1] = Values<float>({1, 1, 1, 3}, {1, 2, 3}).Constant();
            },
            "its shape is [1, 1, 1, 3]"},
        DepthwiseConv2dRefusal{"NoChannels",
                               [](auto& c) {
                                 c.inputs[0] = Values<float>({1, 1, 1, 0}, {});
                               },
                               "a multiple of the input's 0 channels"},
        DepthwiseConv2dRefusal{
            "Bias",
            [](auto& c) { c.inputs[2] = Values<float>({1}, {1}).Constant(); },
            "it has 1 elements; expected one for each of 2"}),
    [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace stowage::harness
