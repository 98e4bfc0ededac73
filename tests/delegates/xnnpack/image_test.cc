// SPDX-License-Identifier: Apache-2.0
// Compares XNNPACK with the kernels of this library for pooling and resizing of
// images.
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

using tflite::BuiltinOperator;

OperatorCase PoolCase(BuiltinOperator code, const TensorValue& input,
                      const Slide& y, const Slide& x) {
  tflite::Pool2DOptionsT options;
  options.padding = y.padding;
  options.stride_h = y.stride;
  options.stride_w = x.stride;
  options.filter_height = y.taps;
  options.filter_width = x.taps;
  OperatorCase c{code};
  c.options.Set(options);
  c.inputs = {input};
  c.outputs = {Output(input.type,
                      {input.shape[0], y.Out(), x.Out(), input.shape[3]},
                      input.quantization)};
  return c;
}

Slide AnyPoolSlide(tflite::Padding padding) {
  Slide slide = AnySlide(padding);
  slide.taps += 1;
  slide.dilation = 1;
  slide.in += slide.taps;
  return slide;
}

Shape ImageOf(const Slide& y, const Slide& x) {
  return {*rc::gen::inRange(1, 3), y.in, x.in, *rc::gen::inRange(1, 20)};
}

RC_GTEST_PROP(XnnpackImages, PoolsMaxima, ()) {
  const tflite::Padding padding = AnyPadding();
  const Slide y = AnyPoolSlide(padding);
  const Slide x = AnyPoolSlide(padding);
  RC_ASSERT(CompareByXnnpack(PoolCase(BuiltinOperator::MAX_POOL_2D,
                                      AnyTensor(AnyDataType(), ImageOf(y, x)),
                                      y, x)) == std::string());
}

RC_GTEST_PROP(XnnpackImages, PoolsAverages, ()) {
  const tflite::Padding padding = AnyPadding();
  const Slide y = AnyPoolSlide(padding);
  const Slide x = AnyPoolSlide(padding);
  RC_ASSERT(
      CompareByXnnpack(PoolCase(BuiltinOperator::AVERAGE_POOL_2D,
                                AnyTensor(ElementType::kFloat32, ImageOf(y, x)),
                                y, x)) == std::string());
}

RC_GTEST_PROP(XnnpackImages, AveragesWholeImages, ()) {
  Slide y;
  y.in = *rc::gen::inRange(1, 12);
  y.taps = y.in;
  y.padding = tflite::Padding::VALID;
  Slide x = y;
  x.in = *rc::gen::inRange(1, 12);
  x.taps = x.in;
  const TensorValue input = AnyTensor(AnyDataType(), ImageOf(y, x));
  const OperatorCase pool =
      PoolCase(BuiltinOperator::AVERAGE_POOL_2D, input, y, x);
  RC_ASSERT(CompareByXnnpack(pool) == std::string());
  OperatorCase mean = pool;
  mean.code = BuiltinOperator::MEAN;
  tflite::ReducerOptionsT options;
  options.keep_dims = *rc::gen::arbitrary<bool>();
  mean.options.Set(options);
  mean.inputs.push_back(Values<int32_t>({2}, {-2, 1}).Constant());
  RC_ASSERT(CompareByXnnpack(mean) == std::string());
}

TEST(XnnpackImages, RefusesPoolsThatXnnpackLacks) {
  Slide one;
  one.in = 3;
  const TensorValue real =
      Values<float>({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_FALSE(IsClaimedByXnnpack(
      PoolCase(BuiltinOperator::MAX_POOL_2D, real, one, one)))
      << "a pool of one element";
  Slide two = one;
  two.taps = 2;
  const TensorValue bytes = {
      ElementType::kInt8, {1, 3, 3, 1}, Scaled(1, 0), std::vector<uint8_t>(9)};
  EXPECT_FALSE(IsClaimedByXnnpack(
      PoolCase(BuiltinOperator::AVERAGE_POOL_2D, bytes, two, two)))
      << "means of parts, quantized";
}

TEST(XnnpackImages, RefusesMeansAlongOtherAxes) {
  OperatorCase c{BuiltinOperator::MEAN};
  tflite::ReducerOptionsT options;
  options.keep_dims = true;
  c.options.Set(options);
  c.inputs = {Values<float>({1, 2, 1, 2}, {1, 2, 3, 4}),
              Values<int32_t>({2}, {1, 3}).Constant()};
  c.outputs = {Output(ElementType::kFloat32, {1, 1, 1, 1})};
  EXPECT_FALSE(IsClaimedByXnnpack(c));
}

OperatorCase ResizeCase(ElementType type, bool align, bool half) {
  const Shape from = {*rc::gen::inRange(1, 3), *rc::gen::inRange(1, 8),
                      *rc::gen::inRange(1, 8), *rc::gen::inRange(1, 20)};
  const int height = *rc::gen::inRange(1, 16);
  const int width = *rc::gen::inRange(1, 16);
  tflite::ResizeBilinearOptionsT options;
  options.align_corners = align;
  options.half_pixel_centers = half;
  OperatorCase c{BuiltinOperator::RESIZE_BILINEAR};
  c.options.Set(options);
  c.inputs = {AnyTensor(type, from),
              Values<int32_t>({2}, {height, width}).Constant()};
  c.outputs = {Output(type, {from[0], height, width, from[3]},
                      c.inputs[0].quantization)};
  return c;
}

RC_GTEST_PROP(XnnpackImages, Resizes, ()) {
  const int mapping = *rc::gen::inRange(0, 3);
  const ElementType type =
      *rc::gen::element(ElementType::kFloat32, ElementType::kUint8);
  const OperatorCase c = ResizeCase(type, mapping == 1, mapping == 2);
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

RC_GTEST_PROP(XnnpackImages, ResizesInt8WherePlacesAreExact, ()) {
  const int mapping = *rc::gen::inRange(0, 3);
  const OperatorCase c =
      ResizeCase(ElementType::kInt8, mapping == 1, mapping == 2);
  RC_PRE(IsClaimedByXnnpack(c));
  RC_ASSERT(CompareByXnnpack(c) == std::string());
}

}  // namespace
}  // namespace stowage::harness
