// SPDX-License-Identifier: Apache-2.0
// Compares CONV_2D with its definition.
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
using tflite::ActivationFunctionType;

Convolution AnyConvolution() {
  const tflite::Padding padding = AnyPadding();
  Convolution c{AnySlide(padding), AnySlide(padding)};
  c.batches = *rc::gen::inRange(1, 3);
  c.groups = *rc::gen::element(1, 1, 2);
  c.channels = c.groups * *rc::gen::inRange(1, 10);
  c.filters = c.groups * *rc::gen::inRange(1, 10);
  return c;
}

tflite::Conv2DOptionsT OptionsOf(const Convolution& c) {
  tflite::Conv2DOptionsT options;
  options.padding = c.y.padding;
  options.stride_h = c.y.stride;
  options.stride_w = c.x.stride;
  options.dilation_h_factor = c.y.dilation;
  options.dilation_w_factor = c.x.dilation;
  return options;
}

OperatorCase Conv2dCase(const Convolution& c, const TensorValue& input,
                        const TensorValue& weights, const TensorValue& bias,
                        const Quantization& output = {}) {
  OperatorCase conv{tflite::BuiltinOperator::CONV_2D};
  conv.options.Set(OptionsOf(c));
  conv.inputs = {input, weights.Constant(), bias.Constant()};
  conv.outputs = {Output(input.type, {1}, output)};
  return conv;
}

// Holds the numbers of a convolution.
struct Conv2dData {
  Numbers input;
  Numbers weights;
  Numbers bias;
};

Conv2dData Conv2dAnyData(const Convolution& c) {
  return {AnyNumbers(Count(c.Input()), -100, 100),
          AnyNumbers(Count(c.Weights()), -100, 100),
          AnyNumbers(static_cast<size_t>(c.filters), -1000, 1000)};
}

RC_GTEST_PROP(Conv2D, FloatsAreSummedByTheDefinition, ()) {
  const Convolution c = AnyConvolution();
  const Conv2dData data = Conv2dAnyData(c);
  const auto outputs = RunOperator(
      Conv2dCase(c, Values(c.Input(), Elements<float>(data.input)),
                 Values(c.Weights(), Elements<float>(data.weights)),
                 Values<float>({c.filters}, Elements<float>(data.bias))));
  RC_ASSERT(ValuesOf<float>(outputs) ==
            Elements<float>(Convolve(c, data.input, data.weights, data.bias)));
  RC_ASSERT(outputs->at(0).shape == c.Output());
}

// The scales are such that the output factor is 1, so the outputs are the plain
// sums.
RC_GTEST_PROP(Conv2D, IntegersAreSummedLessTheirZeroPoints, ()) {
  const Convolution c = AnyConvolution();
  const Conv2dData data = Conv2dAnyData(c);
  const int zero = *rc::gen::inRange(-28, 28);
  const auto outputs = RunOperator(Conv2dCase(
      c,
      Values(c.Input(), Elements<int8_t>(data.input, zero), Scaled(0.5F, zero)),
      Values(c.Weights(), Elements<int8_t>(data.weights), Scaled(0.5F, 0)),
      Values<int32_t>({c.filters}, Elements<int32_t>(data.bias)),
      Scaled(0.25F, -zero)));
  RC_ASSERT(ValuesOf<int8_t>(outputs) ==
            Saturated<int8_t>(Convolve(c, data.input, data.weights, data.bias),
                              -zero));
}

RC_GTEST_PROP(Conv2D, UnsignedWeightsHaveAZeroPointToo, ()) {
  const Convolution c = AnyConvolution();
  const Conv2dData data = Conv2dAnyData(c);
  const auto outputs = RunOperator(Conv2dCase(
      c,
      Values(c.Input(), Elements<uint8_t>(data.input, 120), Scaled(0.5F, 120)),
      Values(c.Weights(), Elements<uint8_t>(data.weights, 140),
             Scaled(0.5F, 140)),
      Values<int32_t>({c.filters}, Elements<int32_t>(data.bias)),
      Scaled(0.25F, 100)));
  RC_ASSERT(ValuesOf<uint8_t>(outputs) ==
            Saturated<uint8_t>(Convolve(c, data.input, data.weights, data.bias),
                               100));
}

RC_GTEST_PROP(Conv2D, SixteenBitInputsTakeABiasOf32Or64Bits, ()) {
  const Convolution c = AnyConvolution();
  Conv2dData data = Conv2dAnyData(c);
  for (int& x : data.input) x *= 300;
  const bool is_wide = *rc::gen::arbitrary<bool>();
  const TensorValue bias =
      is_wide ? Values<int64_t>({c.filters}, Elements<int64_t>(data.bias))
              : Values<int32_t>({c.filters}, Elements<int32_t>(data.bias));
  const auto outputs = RunOperator(Conv2dCase(
      c, Values(c.Input(), Elements<int16_t>(data.input), Scaled(0.5F, 0)),
      Values(c.Weights(), Elements<int8_t>(data.weights), Scaled(0.5F, 0)),
      bias, Scaled(0.25F, 0)));
  Numbers sums = Convolve(c, data.input, data.weights, data.bias);
  RC_ASSERT(ValuesOf<int16_t>(outputs) == Saturated<int16_t>(sums, 0));
}

// Returns a convolution that multiplies each element by one weight. It has one
// channel and one filter of one element.
Convolution Conv2dPlain(int width) {
  Convolution c;
  c.x.in = width;
  return c;
}

TEST(Conv2D, EachChannelHasItsScale) {
  Convolution c = Conv2dPlain(3);
  c.filters = 2;
  const auto outputs = RunOperator(
      Conv2dCase(c, Values<int8_t>({1, 1, 3, 1}, {-3, 2, 3}, Scaled(1, 0)),
                 Values<int8_t>({2, 1, 1, 1}, {2, 2}, {{0.25F, 1}, {0, 0}, 0}),
                 Values<int32_t>({2}, {0, 1}), Scaled(1, 0)));
  // The results of the first channel are -1.5, 1 and 1.5 before rounding.
  // Halves are rounded away from zero. Each result of the second channel is
  // twice the input plus the bias, which is 1.
  EXPECT_THAT(ValuesOf<int8_t>(outputs), ElementsAre(-2, -5, 1, 5, 2, 7));
}

TEST(Conv2D, AFactorAboveOneMultiplies) {
  const auto outputs = RunOperator(Conv2dCase(
      Conv2dPlain(2), Values<int8_t>({1, 1, 2, 1}, {3, -3}, Scaled(3, 0)),
      Values<int8_t>({1, 1, 1, 1}, {2}, Scaled(1, 0)),
      Values<int32_t>({1}, {1}), Scaled(1, 5)));
  EXPECT_THAT(ValuesOf<int8_t>(outputs), ElementsAre(26, -10));
}

TEST(Conv2D, WideSumsAreRoundedOnce) {
  const auto outputs = RunOperator(Conv2dCase(
      Conv2dPlain(2), Values<int16_t>({1, 1, 2, 1}, {30000, -3}, Scaled(1, 0)),
      Values<int8_t>({1, 1, 1, 1}, {1}, Scaled(0.5F, 0)),
      Values<int64_t>({1}, {int64_t{1} << 40}), Scaled(1, 0)));
  EXPECT_THAT(ValuesOf<int16_t>(outputs), ElementsAre(32767, 32767));
  const auto halves = RunOperator(Conv2dCase(
      Conv2dPlain(2), Values<int16_t>({1, 1, 2, 1}, {3, -3}, Scaled(1, 0)),
      Values<int8_t>({1, 1, 1, 1}, {1}, Scaled(0.5F, 0)),
      Values<int64_t>({1}, {0}), Scaled(1, 0)));
  EXPECT_THAT(ValuesOf<int16_t>(halves), ElementsAre(2, -1));
}

// The sum of this many 16-bit by 8-bit products does not fit in 32 bits.
TEST(Conv2D, DeepFiltersOfSixteenBitInputsDoNotOverflow) {
  Convolution c = Conv2dPlain(1);
  c.channels = 1000;
  const std::vector<int16_t> input(1000, -32768);
  const std::vector<int8_t> weights(1000, -127);
  const auto outputs = RunOperator(
      Conv2dCase(c, Values(c.Input(), input, Scaled(1, 0)),
                 Values(c.Weights(), weights, Scaled(1.0F / (1 << 20), 0)),
                 Values<int64_t>({1}, {0}), Scaled(1, 0)));
  // 32768 * 127 * 1000 / 2^20 = 3968.75
  EXPECT_THAT(ValuesOf<int16_t>(outputs), ElementsAre(3969));
}

struct ActivationCase {
  const char* name;
  ActivationFunctionType activation;
  std::vector<float> floats;  // for -9, 0.5, 9
  std::vector<int8_t> bytes;  // for -90, 5, 90 at a scale of 0.1
};

class Conv2DActivation : public ::testing::TestWithParam<ActivationCase> {};

TEST_P(Conv2DActivation, Clamps) {
  OperatorCase conv =
      Conv2dCase(Conv2dPlain(3), Values<float>({1, 1, 3, 1}, {-9, 0.5F, 9}),
                 Values<float>({1, 1, 1, 1}, {1}), Values<float>({1}, {0}));
  conv.options.AsConv2DOptions()->fused_activation_function =
      GetParam().activation;
  EXPECT_EQ(ValuesOf<float>(RunOperator(conv)), GetParam().floats);
  conv = Conv2dCase(Conv2dPlain(3),
                    Values<int8_t>({1, 1, 3, 1}, {-90, 5, 90}, Scaled(0.1F, 0)),
                    Values<int8_t>({1, 1, 1, 1}, {1}, Scaled(1, 0)),
                    Values<int32_t>({1}, {0}), Scaled(0.1F, 0));
  conv.options.AsConv2DOptions()->fused_activation_function =
      GetParam().activation;
  EXPECT_EQ(ValuesOf<int8_t>(RunOperator(conv)), GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Conv2D, Conv2DActivation,
    ::testing::Values(
        ActivationCase{
            "None", ActivationFunctionType::NONE, {-9, 0.5F, 9}, {-90, 5, 90}},
        ActivationCase{
            "Relu", ActivationFunctionType::RELU, {0, 0.5F, 9}, {0, 5, 90}},
        ActivationCase{
            "Relu6", ActivationFunctionType::RELU6, {0, 0.5F, 6}, {0, 5, 60}},
        ActivationCase{"ReluN1To1",
                       ActivationFunctionType::RELU_N1_TO_1,
                       {-1, 0.5F, 1},
                       {-10, 5, 10}}),
    [](const auto& p) { return p.param.name; });

// The input has the range -127 to 127, so its scale is 1. The value 3.25 is
// rounded to 3.
TEST(Conv2D, HybridInputsAreQuantisedSymmetrically) {
  const auto outputs = RunOperator(
      Conv2dCase(Conv2dPlain(3), Values<float>({1, 1, 3, 1}, {-127, 10, 3.25F}),
                 Values<int8_t>({1, 1, 1, 1}, {2}, Scaled(0.5F, 0)),
                 Values<float>({1}, {1})));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(-126, 11, 4));
}

TEST(Conv2D, HybridInputsHaveAZeroPointWhereChannelsHaveScales) {
  Convolution c = Conv2dPlain(3);
  c.filters = 2;
  const auto outputs = RunOperator(
      Conv2dCase(c, Values<float>({1, 1, 3, 1}, {255, 10, 0}),
                 Values<int8_t>({2, 1, 1, 1}, {2, 4}, {{0.5F, 1}, {0, 0}, 0}),
                 Values<float>({2}, {0, 1})));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(255, 1021, 10, 41, 0, 1));
}

TEST(Conv2D, EachBatchOfAHybridHasItsRange) {
  Convolution c = Conv2dPlain(1);
  c.batches = 2;
  const auto outputs =
      RunOperator(Conv2dCase(c, Values<float>({2, 1, 1, 1}, {127, 0.03125F}),
                             Values<int8_t>({1, 1, 1, 1}, {1}, Scaled(1, 0)),
                             Values<float>({1}, {0})));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(127, ::testing::FloatEq(0.03125F)));
}

TEST(Conv2D, TheBiasMayBeLeftOut) {
  OperatorCase conv =
      Conv2dCase(Conv2dPlain(2), Values<float>({1, 1, 2, 1}, {1, 2}),
                 Values<float>({1, 1, 1, 1}, {3}), Absent());
  EXPECT_THAT(ValuesOf<float>(RunOperator(conv)), ElementsAre(3, 6));
}

TEST(Conv2D, WeightsMayBeComputed) {
  OperatorCase conv =
      Conv2dCase(Conv2dPlain(2), Values<float>({1, 1, 2, 1}, {1, 2}),
                 Values<float>({1, 1, 1, 1}, {3}), Values<float>({1}, {1}));
  conv.inputs[1].is_constant = false;
  EXPECT_THAT(ValuesOf<float>(RunOperator(conv)), ElementsAre(4, 7));
}

// Describes a change that makes a valid operator invalid, and the expected
// error message.
struct Conv2dRefusal {
  const char* name;
  void (*spoil)(OperatorCase&);
  const char* message;
};

tflite::Conv2DOptionsT& Conv2dOptions(OperatorCase& c) {
  return *c.options.AsConv2DOptions();
}

OperatorCase GoodInt8() {
  Convolution c = Conv2dPlain(3);
  c.filters = 2;
  return Conv2dCase(
      c, Values<int8_t>({1, 1, 3, 1}, {1, 2, 3}, Scaled(1, 0)),
      Values<int8_t>({2, 1, 1, 1}, {2, 2}, {{0.25F, 1}, {0, 0}, 0}),
      Values<int32_t>({2}, {0, 1}), Scaled(1, 0));
}

class Conv2DRefuses : public ::testing::TestWithParam<Conv2dRefusal> {};

TEST_P(Conv2DRefuses, With) {
  OperatorCase conv = GoodInt8();
  ASSERT_TRUE(RunOperator(conv).ok());
  GetParam().spoil(conv);
  const auto outputs = RunOperator(conv);
  EXPECT_THAT(std::string(outputs.status().message()),
              HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Conv2D, Conv2DRefuses,
    ::testing::Values(
        Conv2dRefusal{"StrideZero",
                      [](auto& c) { Conv2dOptions(c).stride_w = 0; },
                      "in its width the filter has 1 elements, stride 0"},
        Conv2dRefusal{"NegativeDilation",
                      [](auto& c) { Conv2dOptions(c).dilation_h_factor = -1; },
                      "in its height the filter has 1 elements, stride 1 and "
                      "dilation -1"},
        Conv2dRefusal{
            "LargeFilter",
            [](auto& c) {
              Conv2dOptions(c).padding = tflite::Padding::VALID;
              c.inputs[1] =
                  Values<int8_t>({1, 2, 1, 1}, {1, 1}, Scaled(1, 0)).Constant();
              c.inputs.pop_back();
            },
            "its filter is 2 in height, its input 1"},
        Conv2dRefusal{
            "Channels",
            [](auto& c) {
              c.inputs[1] =
                  Values<int8_t>({1, 1, 1, 2}, {1, 1}, Scaled(1, 0)).Constant();
            },
            "its filters have 2 channels, the input 1"},
        Conv2dRefusal{"Groups",
                      [](auto& c) {
                        c.inputs[0] = Values<int8_t>({1, 1, 1, 3}, {1, 1, 1},
                                                     Scaled(1, 0));
                      },
                      "it has 2 filters; expected a multiple of its 3 groups"},
        Conv2dRefusal{"Rank",
                      [](auto& c) {
                        c.inputs[0].shape = {1, 3, 1};
                      },
                      "its shape is [1, 3, 1]; expected 4 dimensions"},
        Conv2dRefusal{
            "Bias",
            [](auto& c) { c.inputs[2] = Values<int32_t>({1}, {1}).Constant(); },
            "it has 1 elements; expected one for each of 2"},
        Conv2dRefusal{"BiasType",
                      [](auto& c) {
                        c.inputs[2] = Values<int64_t>({2}, {1, 1}).Constant();
                      },
                      "its type is INT64; expected INT32"},
        Conv2dRefusal{
            "WeightsType",
            [](auto& c) {
              c.inputs[1] = Values<float>({2, 1, 1, 1}, {1, 1}).Constant();
            },
            "its type is FLOAT32; expected INT8"},
        Conv2dRefusal{"InputType",
                      [](auto& c) {
                        c.inputs[0] = Values<int32_t>({1, 1, 3, 1}, {1, 1, 1});
                      },
                      "its type is INT32; expected FLOAT32 or UINT8 or INT8"},
        Conv2dRefusal{"NoScale", [](auto& c) { c.inputs[0].quantization = {}; },
                      "it has 0 scales; expected 1"},
        Conv2dRefusal{
            "ZeroPointOfAChannel",
            [](auto& c) { c.inputs[1].quantization.zero_points[1] = 3; },
            "one of its zero points is 3"},
        Conv2dRefusal{"NegativeScaleOfAChannel",
                      [](auto& c) { c.inputs[1].quantization.scales[1] = -1; },
                      "one of its scales is -1"},
        Conv2dRefusal{"Activation",
                      [](auto& c) {
                        Conv2dOptions(c).fused_activation_function =
                            ActivationFunctionType::TANH;
                      },
                      "its fused activation is number 4"}),
    [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace stowage::harness
