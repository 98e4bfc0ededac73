// SPDX-License-Identifier: Apache-2.0
// Compares XNNPACK with the kernels of this library for convolutions and matrix
// products.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "rapidcheck/gtest.h"
#include "tests/delegates/xnnpack/one_operator.h"
#include "tests/harness/operators/naive_convolution.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using tflite::ActivationFunctionType;
using tflite::BuiltinOperator;

ActivationFunctionType AnyActivation() {
  return *rc::gen::element(
      ActivationFunctionType::NONE, ActivationFunctionType::RELU,
      ActivationFunctionType::RELU6, ActivationFunctionType::RELU_N1_TO_1);
}

// Returns random weights for an input. INT8 weights have zero point 0 and a
// single scale or, if `may_be_per_channel` is true, possibly one scale for each
// slice along dimension `channels`.
TensorValue AnyWeights(const TensorValue& input, const Shape& shape,
                       int channels, bool may_be_per_channel) {
  TensorValue weights = AnyTensor(input.type, shape).Constant();
  if (input.type != ElementType::kInt8) return weights;
  Quantization& q = weights.quantization;
  const bool is_per_channel = may_be_per_channel && *rc::gen::arbitrary<bool>();
  const auto count =
      is_per_channel ? static_cast<size_t>(shape[static_cast<size_t>(channels)])
                     : 1;
  q.dimension = is_per_channel ? channels : 0;
  q.scales.clear();
  for (size_t i = 0; i < count; ++i) {
    q.scales.push_back(static_cast<float>(*rc::gen::inRange(1, 90)) / 1024);
  }
  q.zero_points.assign(count, 0);
  return weights;
}

TensorValue AnyBias(ElementType type, int count) {
  if (!*rc::gen::arbitrary<bool>()) return Absent();
  if (type == ElementType::kFloat32) return AnyTensor(type, {count}).Constant();
  std::vector<int32_t> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(*rc::gen::inRange(-20000, 20000));
  }
  return Values<int32_t>({count}, values).Constant();
}

// Returns an output for sums of `depth` products. Its scale is chosen such that
// the outputs spread over the range of the type.
TensorValue SpreadOutput(const TensorValue& input, const TensorValue& weights,
                         const Shape& shape, int depth) {
  TensorValue output = Output(input.type, shape, AnyQuantization(input.type));
  if (input.type != ElementType::kFloat32) {
    // Limits the scale to 1. With a larger scale, an activation that limits the
    // output to [-1, 1] could leave only a single quantized value.
    output.quantization.scales[0] = std::min(
        1.0F, input.quantization.scale() * weights.quantization.scale() * 40 *
                  std::sqrt(static_cast<float>(depth)));
  }
  return output;
}

OperatorCase AnyLinear(BuiltinOperator code, const Shape& input,
                       const Shape& weights, const Shape& output,
                       int channel_dimension, int depth,
                       bool may_be_per_channel = true) {
  OperatorCase c{code};
  c.inputs = {AnyTensor(AnyDataType(), input)};
  c.inputs.push_back(
      AnyWeights(c.inputs[0], weights, channel_dimension, may_be_per_channel));
  c.inputs.push_back(AnyBias(c.inputs[0].type, output.back()));
  if (c.inputs.back().is_absent) c.inputs.pop_back();
  c.outputs = {SpreadOutput(c.inputs[0], c.inputs[1], output, depth)};
  return c;
}

template <typename Options>
void SetWindow(const Slide& y, const Slide& x, Options* options) {
  options->padding = y.padding;
  options->stride_h = y.stride;
  options->stride_w = x.stride;
  options->fused_activation_function = AnyActivation();
}

Convolution AnyConvolution() {
  Convolution c;
  const tflite::Padding padding = AnyPadding();
  c.y = AnySlide(padding);
  c.x = AnySlide(padding);
  c.batches = *rc::gen::inRange(1, 3);
  c.groups = *rc::gen::inRange(1, 4);
  c.channels = c.groups * *rc::gen::inRange(1, 9);
  c.filters = c.groups * *rc::gen::inRange(1, 9);
  return c;
}

OperatorCase ConvolutionCase(const Convolution& shape) {
  tflite::Conv2DOptionsT options;
  SetWindow(shape.y, shape.x, &options);
  options.dilation_h_factor = shape.y.dilation;
  options.dilation_w_factor = shape.x.dilation;
  OperatorCase c = AnyLinear(
      BuiltinOperator::CONV_2D, shape.Input(), shape.Weights(), shape.Output(),
      0, shape.y.taps * shape.x.taps * shape.GroupChannels());
  c.options.Set(options);
  return c;
}

RC_GTEST_PROP(XnnpackLinear, Convolves, ()) {
  RC_ASSERT(CompareByXnnpack(ConvolutionCase(AnyConvolution())) ==
            std::string());
}

RC_GTEST_PROP(XnnpackLinear, ConvolvesDepthwise, ()) {
  Convolution shape = AnyConvolution();
  const int multiplier = *rc::gen::inRange(1, 4);
  shape.filters = shape.channels * multiplier;
  tflite::DepthwiseConv2DOptionsT options;
  SetWindow(shape.y, shape.x, &options);
  options.depth_multiplier = multiplier;
  options.dilation_h_factor = shape.y.dilation;
  options.dilation_w_factor = shape.x.dilation;
  OperatorCase c = AnyLinear(BuiltinOperator::DEPTHWISE_CONV_2D, shape.Input(),
                             {1, shape.y.taps, shape.x.taps, shape.filters},
                             shape.Output(), 3, shape.y.taps * shape.x.taps);
  c.options.Set(options);
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

RC_GTEST_PROP(XnnpackLinear, MultipliesMatrices, ()) {
  const int rows = *rc::gen::inRange(1, 6);
  const int depth = *rc::gen::inRange(1, 40);
  const int units = *rc::gen::inRange(1, 40);
  tflite::FullyConnectedOptionsT options;
  options.fused_activation_function = AnyActivation();
  OperatorCase c =
      AnyLinear(BuiltinOperator::FULLY_CONNECTED, {rows, depth}, {units, depth},
                {rows, units}, 0, depth, /*may_be_per_channel=*/false);
  c.options.Set(options);
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

RC_GTEST_PROP(XnnpackLinear, ConvolvesBackwards, ()) {
  // The operator reverses this convolution, so the output of the operator has
  // the shape of the input of the convolution.
  const Convolution forwards = [] {
    Convolution c = AnyConvolution();
    c.y.dilation = 1;
    c.x.dilation = 1;
    c.y.in += c.y.taps;
    c.x.in += c.x.taps;
    return c;
  }();
  const Shape output = {forwards.batches, forwards.y.in, forwards.x.in,
                        forwards.channels};
  const Shape input = {forwards.batches, forwards.y.Out(), forwards.x.Out(),
                       forwards.filters};
  tflite::TransposeConvOptionsT options;
  SetWindow(forwards.y, forwards.x, &options);
  OperatorCase c = AnyLinear(
      BuiltinOperator::TRANSPOSE_CONV, input,
      {forwards.channels, forwards.y.taps, forwards.x.taps, forwards.filters},
      output, 0, forwards.y.taps * forwards.x.taps * forwards.filters,
      /*may_be_per_channel=*/false);
  c.inputs = {Values<int32_t>({4}, output).Constant(), c.inputs[1],
              c.inputs[0]};
  c.options.Set(options);
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

// Returns a convolution that the delegate claims. Each test changes one
// property such that the delegate no longer claims the convolution.
OperatorCase GoodConvolution(ElementType type) {
  const Quantization q = type == ElementType::kFloat32
                             ? Quantization()
                             : Scaled(0.5F, type == ElementType::kInt8 ? 0 : 9);
  OperatorCase c{BuiltinOperator::CONV_2D};
  tflite::Conv2DOptionsT options;
  options.stride_h = 1;
  options.stride_w = 1;
  c.options.Set(options);
  const size_t bytes = ElementBytes(type);
  c.inputs = {{type, {1, 4, 4, 2}, q, std::vector<uint8_t>(32 * bytes)},
              {type, {3, 2, 2, 2}, q, std::vector<uint8_t>(24 * bytes)}};
  c.inputs[1] = c.inputs[1].Constant();
  c.outputs = {Output(type, {1, 4, 4, 3}, q)};
  return c;
}

TEST(XnnpackLinear, ClaimsPlainConvolutions) {
  for (const ElementType type :
       {ElementType::kFloat32, ElementType::kInt8, ElementType::kUint8}) {
    EXPECT_TRUE(IsClaimedByXnnpack(GoodConvolution(type)));
  }
}

TEST(XnnpackLinear, RefusesComputedWeightsAndBiases) {
  OperatorCase weights = GoodConvolution(ElementType::kFloat32);
  weights.inputs[1].is_constant = false;
  EXPECT_FALSE(IsClaimedByXnnpack(weights));
  OperatorCase bias = GoodConvolution(ElementType::kFloat32);
  bias.inputs.push_back(Values<float>({3}, {1, 2, 3}));
  EXPECT_FALSE(IsClaimedByXnnpack(bias));
}

TEST(XnnpackLinear, RefusesTypesThatXnnpackLacks) {
  OperatorCase hybrid = GoodConvolution(ElementType::kFloat32);
  hybrid.inputs[1] = GoodConvolution(ElementType::kInt8).inputs[1];
  EXPECT_FALSE(IsClaimedByXnnpack(hybrid));
  OperatorCase wide = GoodConvolution(ElementType::kInt8);
  wide.inputs[0].type = ElementType::kInt16;
  wide.inputs[0].bytes.resize(64);
  wide.outputs[0].type = ElementType::kInt16;
  EXPECT_FALSE(IsClaimedByXnnpack(wide));
}

TEST(XnnpackLinear, RefusesScalesThatXnnpackLacks) {
  const auto with_scales = [](float input, float weights, float output) {
    OperatorCase c = GoodConvolution(ElementType::kInt8);
    c.inputs[0].quantization.scales[0] = input;
    c.inputs[1].quantization.scales[0] = weights;
    c.outputs[0].quantization.scales[0] = output;
    return IsClaimedByXnnpack(c);
  };
  EXPECT_TRUE(with_scales(255, 1, 1));
  EXPECT_FALSE(with_scales(256, 1, 1)) << "a factor of 2^8";
  EXPECT_TRUE(with_scales(1, 1e-12F, 1));
  EXPECT_FALSE(with_scales(1, 1e-40F, 1)) << "a scale that is not normal";
  EXPECT_FALSE(with_scales(1e-20F, 1e-20F, 1)) << "a factor that is not";
  OperatorCase none = GoodConvolution(ElementType::kInt8);
  none.inputs[1].quantization = {{0.5F, 0.0F, 0.5F}, {0, 0, 0}, 0};
  EXPECT_FALSE(IsClaimedByXnnpack(none)) << "a channel without a scale";
}

TEST(XnnpackLinear, RefusesZeroPointsOfInt8Weights) {
  OperatorCase c = GoodConvolution(ElementType::kInt8);
  c.inputs[1].quantization.zero_points[0] = 1;
  EXPECT_FALSE(IsClaimedByXnnpack(c));
}

TEST(XnnpackLinear, RefusesImagesWithoutElements) {
  OperatorCase c = GoodConvolution(ElementType::kFloat32);
  c.inputs[0].shape[0] = 0;
  c.inputs[0].bytes.clear();
  c.outputs[0].shape[0] = 0;
  EXPECT_FALSE(IsClaimedByXnnpack(c));
}

TEST(XnnpackLinear, RefusesAnActivationThatLeavesOneValue) {
  OperatorCase c = GoodConvolution(ElementType::kUint8);
  c.outputs[0].quantization.zero_points[0] = 255;
  c.options.AsConv2DOptions()->fused_activation_function =
      ActivationFunctionType::RELU;
  EXPECT_FALSE(IsClaimedByXnnpack(c));
}

}  // namespace
}  // namespace stowage::harness
