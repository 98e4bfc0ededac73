// SPDX-License-Identifier: Apache-2.0
// Tests AVERAGE_POOL_2D, L2_POOL_2D and MAX_POOL_2D.
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;
using tflite::Padding;

struct Window2D {
  Padding padding = Padding::VALID;
  int32_t size = 2;
  int32_t stride = 2;
  tflite::ActivationFunctionType activation =
      tflite::ActivationFunctionType::NONE;
};

OperatorCase Pool(BuiltinOperator code, const TensorValue& input,
                  const Window2D& window = {}) {
  tflite::Pool2DOptionsT options;
  options.padding = window.padding;
  options.filter_width = options.filter_height = window.size;
  options.stride_w = options.stride_h = window.stride;
  options.fused_activation_function = window.activation;
  OperatorCase pool{code};
  pool.options.Set(options);
  pool.inputs = {input};
  pool.outputs = {Output(input.type, {1, 1, 1, 1}, input.quantization)};
  return pool;
}

// Returns an image with two channels. Each value of the second channel is ten
// times the value of the first.
TensorValue Image() {
  return Values<float>({1, 2, 4, 2}, {0, 0, 6, 60, 2, 20, 4, 40,  //
                                      3, 30, 2, 20, 10, 99, 7, 70});
}

TEST(AveragePool, IsTheMeanOfEachWindow) {
  const auto outputs =
      RunOperator(Pool(BuiltinOperator::AVERAGE_POOL_2D, Image()));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(2.75, 27.5, 5.75, 57.25));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(1, 1, 2, 2));
}

TEST(AveragePool, PaddingDoesNotCount) {
  const auto outputs = RunOperator(Pool(
      BuiltinOperator::AVERAGE_POOL_2D,
      Values<float>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}), {Padding::SAME, 2, 2}));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(3, 4.5));
}

TEST(AveragePool, RoundsHalvesAwayFromZero) {
  const auto average = [](std::vector<int8_t> values) {
    return ValuesOf<int8_t>(
        RunOperator(Pool(BuiltinOperator::AVERAGE_POOL_2D,
                         Values<int8_t>({1, 2, 2, 1}, values, Scaled(1, 0)))));
  };
  EXPECT_THAT(average({1, 2, 1, 2}), ElementsAre(2));
  EXPECT_THAT(average({-1, -2, -1, -2}), ElementsAre(-2));
  EXPECT_THAT(average({1, 1, 1, 2}), ElementsAre(1));
  EXPECT_THAT(average({-128, -128, -128, -128}), ElementsAre(-128));
}

TEST(AveragePool, OfUint8AndInt16) {
  EXPECT_THAT(ValuesOf<uint8_t>(RunOperator(
                  Pool(BuiltinOperator::AVERAGE_POOL_2D,
                       Values<uint8_t>({1, 2, 2, 1}, {255, 254, 255, 255},
                                       Scaled(1, 128))))),
              ElementsAre(255));
  EXPECT_THAT(ValuesOf<int16_t>(RunOperator(Pool(
                  BuiltinOperator::AVERAGE_POOL_2D,
                  Values<int16_t>({1, 2, 2, 1}, {-32768, -32768, 32767, 32765},
                                  Scaled(1, 0))))),
              ElementsAre(-1));
}

TEST(AveragePool, ActivationsAreInUnitsOfTheOutput) {
  // The limit 6 is 3 steps above the zero point.
  EXPECT_THAT(
      ValuesOf<uint8_t>(RunOperator(
          Pool(BuiltinOperator::AVERAGE_POOL_2D,
               Values<uint8_t>({1, 2, 4, 1}, {0, 0, 200, 200, 0, 0, 200, 200},
                               Scaled(2, 10)),
               {Padding::VALID, 2, 2, tflite::ActivationFunctionType::RELU6}))),
      ElementsAre(10, 13));
}

TEST(L2Pool, IsTheRootOfTheMeanOfSquares) {
  const auto pool = [](const Window2D& window) {
    return RunOperator(Pool(BuiltinOperator::L2_POOL_2D,
                            Values<float>({1, 2, 3, 1}, {1, -7, 0, 5, 5, 6}),
                            window));
  };
  const auto outputs = pool({Padding::SAME, 2, 2});
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(1, 1, 2, 1));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(5, ::testing::FloatEq(4.2426407F)));
  EXPECT_THAT(
      ValuesOf<float>(pool({Padding::VALID, 2, 1,
                            tflite::ActivationFunctionType::RELU_N1_TO_1})),
      ElementsAre(1, 1));
  EXPECT_THAT(
      ErrorOf(Pool(BuiltinOperator::L2_POOL_2D,
                   Values<int8_t>({1, 2, 2, 1}, {1, 2, 1, 2}, Scaled(1, 0)))),
      HasSubstr("its type is INT8; expected FLOAT32"));
}

TEST(MaxPool, IsTheLargestOfEachWindow) {
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(Pool(BuiltinOperator::MAX_POOL_2D, Image()))),
      ElementsAre(6, 60, 10, 99));
}

TEST(MaxPool, PaddingIsNotAnElement) {
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(Pool(
                  BuiltinOperator::MAX_POOL_2D,
                  Values<int8_t>({1, 1, 3, 1}, {-5, -7, -9}, Scaled(0.5F, -3)),
                  {Padding::SAME, 3, 1}))),
              ElementsAre(-5, -5, -7));
}

TEST(MaxPool, MoreChannelsThanABlock) {
  std::vector<uint8_t> values(2 * 2 * 130);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<uint8_t>(i % 130 + i / 130);
  }
  const auto max = ValuesOf<uint8_t>(
      RunOperator(Pool(BuiltinOperator::MAX_POOL_2D,
                       Values<uint8_t>({1, 2, 2, 130}, values, Scaled(1, 0)))));
  ASSERT_EQ(max.size(), 130);
  for (size_t c = 0; c < max.size(); ++c) EXPECT_EQ(max[c], c + 3);
}

struct RefusedPool {
  const char* name;
  TensorValue input;
  Window2D window;
  const char* message;
};

class RefusedPools : public ::testing::TestWithParam<RefusedPool> {};

TEST_P(RefusedPools, AreAnError) {
  const RefusedPool& c = GetParam();
  for (const auto code :
       {BuiltinOperator::AVERAGE_POOL_2D, BuiltinOperator::MAX_POOL_2D}) {
    const auto outputs = RunOperator(Pool(code, c.input, c.window));
    EXPECT_THAT(std::string(outputs.status().message()), HasSubstr(c.message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Pool, RefusedPools,
    ::testing::Values(
        RefusedPool{"Rank",
                    Values<float>({2, 2, 1}, {1, 2, 3, 4}),
                    {},
                    "expected 4 dimensions"},
        RefusedPool{"Type",
                    Values<int32_t>({1, 1, 1, 1}, {1}),
                    {},
                    "its type is INT32"},
        RefusedPool{
            "Stride", Image(), {Padding::VALID, 2, 0}, "expected 1 or more"},
        RefusedPool{
            "Filter", Image(), {Padding::VALID, -1, 1}, "expected 1 or more"},
        RefusedPool{"Larger",
                    Image(),
                    {Padding::VALID, 3, 1},
                    "expected the filter to fit"},
        RefusedPool{
            "Activation",
            Image(),
            {Padding::VALID, 2, 2, tflite::ActivationFunctionType::SIGN_BIT},
            "its fused activation is number 5"},
        RefusedPool{"Scale",
                    Values<int8_t>({1, 2, 2, 1}, {1, 2, 3, 4}),
                    {},
                    "it has 0 scales"}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace stowage::harness
