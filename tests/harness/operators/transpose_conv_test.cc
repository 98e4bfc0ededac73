// SPDX-License-Identifier: Apache-2.0
// Compares TRANSPOSE_CONV and Convolution2DTransposeBias with their definition.
#include <cstdint>
#include <cstring>
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

// Returns one dimension of the convolution that the operator reverses. The
// input of this convolution is the output of the operator.
Slide AnyBackwards(tflite::Padding padding) {
  Slide slide;
  slide.padding = padding;
  slide.taps = *rc::gen::inRange(1, 5);
  slide.stride = *rc::gen::inRange(1, 4);
  const int least = padding == tflite::Padding::SAME ? 1 : slide.taps;
  slide.in = *rc::gen::inRange(least, least + 10);
  return slide;
}

struct Backwards {
  Slide y;
  Slide x;
  int batches = 1;
  int channels = 1;
  int filters = 1;

  Shape Input() const { return {batches, y.Out(), x.Out(), channels}; }
  Shape Output() const { return {batches, y.in, x.in, filters}; }
  Shape Weights() const { return {filters, y.taps, x.taps, channels}; }
};

Backwards AnyBackwards() {
  const tflite::Padding padding = AnyPadding();
  return {AnyBackwards(padding), AnyBackwards(padding), *rc::gen::inRange(1, 3),
          *rc::gen::inRange(1, 8), *rc::gen::inRange(1, 8)};
}

Numbers Scatter(const Backwards& c, const Numbers& input,
                const Numbers& weights, const Numbers& bias) {
  Numbers output;
  for (size_t i = 0; i < Count(c.Output()); ++i) {
    output.push_back(bias[i % bias.size()]);
  }
  for (int b = 0; b < c.batches; ++b) {
    for (int iy = 0; iy < c.y.Out(); ++iy) {
      for (int ix = 0; ix < c.x.Out(); ++ix) {
        for (int ty = 0; ty < c.y.taps; ++ty) {
          for (int tx = 0; tx < c.x.taps; ++tx) {
            const int y = c.y.At(iy, ty);
            const int x = c.x.At(ix, tx);
            if (y < 0 || y >= c.y.in || x < 0 || x >= c.x.in) continue;
            for (int f = 0; f < c.filters; ++f) {
              for (int i = 0; i < c.channels; ++i) {
                output[Index(c.Output(), b, y, x, f)] +=
                    input[Index(c.Input(), b, iy, ix, i)] *
                    weights[Index(c.Weights(), f, ty, tx, i)];
              }
            }
          }
        }
      }
    }
  }
  return output;
}

OperatorCase TransposeConvCase(const Backwards& c, const TensorValue& input,
                               const TensorValue& weights,
                               const TensorValue& bias,
                               const Quantization& output = {}) {
  OperatorCase conv{tflite::BuiltinOperator::TRANSPOSE_CONV};
  tflite::TransposeConvOptionsT options;
  options.padding = c.y.padding;
  options.stride_h = c.y.stride;
  options.stride_w = c.x.stride;
  conv.options.Set(options);
  const Shape shape = c.Output();
  conv.inputs = {Values<int32_t>({4}, {shape.begin(), shape.end()}).Constant(),
                 weights.Constant(), input, bias.Constant()};
  conv.outputs = {Output(input.type, {1}, output)};
  return conv;
}

struct TransposeConvData {
  Numbers input;
  Numbers weights;
  Numbers bias;
  Numbers sums;
};

TransposeConvData TransposeConvAnyData(const Backwards& c, int max_input) {
  TransposeConvData data{
      AnyNumbers(Count(c.Input()), -max_input, max_input),
      AnyNumbers(Count(c.Weights()), -100, 100),
      AnyNumbers(static_cast<size_t>(c.filters), -1000, 1000),
      {}};
  data.sums = Scatter(c, data.input, data.weights, data.bias);
  return data;
}

OperatorCase FloatConv(const Backwards& c, const TransposeConvData& data) {
  return TransposeConvCase(c, Values(c.Input(), Elements<float>(data.input)),
                           Values(c.Weights(), Elements<float>(data.weights)),
                           Values({c.filters}, Elements<float>(data.bias)));
}

RC_GTEST_PROP(TransposeConv, FloatsAreScatteredByTheDefinition, ()) {
  const Backwards c = AnyBackwards();
  const TransposeConvData data = TransposeConvAnyData(c, 100);
  OperatorCase conv = FloatConv(c, data);
  // The result must be the same if the shape becomes known only during the run.
  conv.inputs[0].is_constant = *rc::gen::arbitrary<bool>();
  const auto outputs = RunOperator(conv);
  RC_ASSERT(ValuesOf<float>(outputs) == Elements<float>(data.sums));
  RC_ASSERT(outputs->at(0).shape == c.Output());
}

RC_GTEST_PROP(TransposeConv, IntegersAreScatteredLessTheirZeroPoints, ()) {
  const Backwards c = AnyBackwards();
  const TransposeConvData data = TransposeConvAnyData(c, 100);
  const auto bytes = RunOperator(TransposeConvCase(
      c, Values(c.Input(), Elements<int8_t>(data.input, 7), Scaled(1, 7)),
      Values(c.Weights(), Elements<int8_t>(data.weights), Scaled(1, 0)),
      Values({c.filters}, Elements<int32_t>(data.bias)), Scaled(1, -5)));
  RC_ASSERT(ValuesOf<int8_t>(bytes) == Saturated<int8_t>(data.sums, -5));
  const auto unsigned_bytes = RunOperator(TransposeConvCase(
      c, Values(c.Input(), Elements<uint8_t>(data.input, 120), Scaled(1, 120)),
      Values(c.Weights(), Elements<uint8_t>(data.weights, 130), Scaled(1, 130)),
      Values({c.filters}, Elements<int32_t>(data.bias)), Scaled(1, 128)));
  RC_ASSERT(ValuesOf<uint8_t>(unsigned_bytes) ==
            Saturated<uint8_t>(data.sums, 128));
}

RC_GTEST_PROP(TransposeConv, SixteenBitInputsHaveSumsOf64, ()) {
  const Backwards c = AnyBackwards();
  const TransposeConvData data = TransposeConvAnyData(c, 32000);
  const auto outputs = RunOperator(TransposeConvCase(
      c, Values(c.Input(), Elements<int16_t>(data.input), Scaled(1, 0)),
      Values(c.Weights(), Elements<int8_t>(data.weights), Scaled(1, 0)),
      Values({c.filters}, Elements<int64_t>(data.bias)), Scaled(1, 0)));
  RC_ASSERT(ValuesOf<int16_t>(outputs) == Saturated<int16_t>(data.sums, 0));
}

std::vector<uint8_t> CustomOptions(int padding, int stride_w, int stride_h) {
  const int32_t numbers[] = {padding, stride_w, stride_h};
  std::vector<uint8_t> bytes(sizeof(numbers));
  std::memcpy(bytes.data(), numbers, sizeof(numbers));
  return bytes;
}

OperatorCase CustomConv(const Backwards& c, const TransposeConvData& data,
                        int padding) {
  OperatorCase custom{tflite::BuiltinOperator::CUSTOM};
  custom.custom_code = "Convolution2DTransposeBias";
  custom.custom_options = CustomOptions(padding, c.x.stride, c.y.stride);
  const OperatorCase builtin = FloatConv(c, data);
  custom.inputs = {builtin.inputs[2], builtin.inputs[1], builtin.inputs[3]};
  custom.outputs = builtin.outputs;
  return custom;
}

// The custom operator has no input that gives the shape of its output. The
// output is as large as possible for SAME and as small as possible for VALID.
RC_GTEST_PROP(Convolution2DTransposeBias, IsTheBuiltinOneOfThatShape, ()) {
  Backwards c = AnyBackwards();
  const bool is_same = c.y.padding == tflite::Padding::SAME;
  for (Slide* slide : {&c.y, &c.x}) {
    slide->in = is_same ? slide->Out() * slide->stride
                        : (slide->Out() - 1) * slide->stride + slide->taps;
  }
  const TransposeConvData data = TransposeConvAnyData(c, 100);
  const auto outputs = RunOperator(CustomConv(c, data, is_same ? 1 : 2));
  RC_ASSERT(ValuesOf<float>(outputs) == Elements<float>(data.sums));
  RC_ASSERT(outputs->at(0).shape == c.Output());
}

// Returns a convolution that computes four pixels from two.
Backwards TransposeConvPlain() {
  Backwards c;
  c.x.in = 4;
  c.x.stride = 2;
  c.x.taps = 2;
  return c;
}

TEST(TransposeConv, TheBiasMayBeLeftOut) {
  OperatorCase conv =
      FloatConv(TransposeConvPlain(), {{1, 2}, {3, 4}, {9}, {}});
  conv.inputs.pop_back();
  EXPECT_THAT(ValuesOf<float>(RunOperator(conv)), ElementsAre(3, 4, 6, 8));
}

struct TransposeConvRefusal {
  const char* name;
  void (*spoil)(OperatorCase&);
  const char* message;
};

class TransposeConvRefuses
    : public ::testing::TestWithParam<TransposeConvRefusal> {};

TEST_P(TransposeConvRefuses, With) {
  OperatorCase conv =
      FloatConv(TransposeConvPlain(), {{1, 2}, {3, 4}, {9}, {}});
  ASSERT_TRUE(RunOperator(conv).ok());
  GetParam().spoil(conv);
  const auto outputs = RunOperator(conv);
  EXPECT_THAT(std::string(outputs.status().message()),
              HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    TransposeConv, TransposeConvRefuses,
    ::testing::Values(
        TransposeConvRefusal{
            "Batches",
            [](auto& c) {
              c.inputs[0] = Values<int32_t>({4}, {2, 1, 4, 1}).Constant();
            },
            "it is [2, 1, 4, 1]; expected [1, height, width, 1]"},
        TransposeConvRefusal{
            "NegativeWidthWhileRunning",
            [](auto& c) {
              c.inputs[0] = Values<int32_t>({4}, {1, 1, -4, 1});
            },
            "it is [1, 1, -4, 1]"},
        TransposeConvRefusal{
            "Dimensions",
            [](auto& c) {
              c.inputs[0] = Values<int32_t>({3}, {1, 1, 4}).Constant();
            },
            "it has 3 elements; expected 4 dimensions"},
        TransposeConvRefusal{
            "StrideZero",
            [](auto& c) { c.options.AsTransposeConvOptions()->stride_w = 0; },
            "stride 0"},
        TransposeConvRefusal{
            "Channels",
            [](auto& c) {
              c.inputs[1] = Values<float>({1, 1, 1, 2}, {1, 2}).Constant();
            },
            "its shape is [1, 1, 1, 2]; expected filters of the input's 1 "
            "channels"}),
    [](const auto& p) { return p.param.name; });

class CustomRefuses : public ::testing::TestWithParam<TransposeConvRefusal> {};

TEST_P(CustomRefuses, With) {
  OperatorCase conv =
      CustomConv(TransposeConvPlain(), {{1, 2}, {3, 4}, {9}, {}}, 1);
  ASSERT_TRUE(RunOperator(conv).ok());
  GetParam().spoil(conv);
  const auto outputs = RunOperator(conv);
  EXPECT_THAT(std::string(outputs.status().message()),
              HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Convolution2DTransposeBias, CustomRefuses,
    ::testing::Values(
        TransposeConvRefusal{"ShortOptions",
                             [](auto& c) { c.custom_options.pop_back(); },
                             "it has 11 bytes of options; expected 12"},
        TransposeConvRefusal{
            "UnknownPadding",
            [](auto& c) { c.custom_options = CustomOptions(0, 1, 1); },
            "its padding is number 0"},
        TransposeConvRefusal{
            "StrideZero",
            [](auto& c) { c.custom_options = CustomOptions(1, 0, 1); },
            "its strides are 0 and 1"},
        TransposeConvRefusal{
            "HugeStride",
            [](auto& c) { c.custom_options = CustomOptions(1, INT32_MAX, 1); },
            "its input is 2 long, its filter 2, its stride 2147483647"}),
    [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace stowage::harness
