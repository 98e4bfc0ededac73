// SPDX-License-Identifier: Apache-2.0
// Tests RELU and its variants, LEAKY_RELU, PRELU and HARD_SWISH.
#include <algorithm>
#include <cmath>
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
using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

OperatorCase ReluUnary(BuiltinOperator code, const TensorValue& input,
                       const Quantization& output = {}) {
  OperatorCase c{code};
  c.inputs = {input};
  c.outputs = {Output(input.type, {1}, output)};
  return c;
}

struct ReluCase {
  const char* name;
  BuiltinOperator code;
  std::vector<float> expected;  // for -7, -0.5, 0.5, 3, 7
  // The results for the same numbers with an input scale of 0.5 and an output
  // scale of 0.25.
  std::vector<int8_t> quantized;
};

class Relus : public ::testing::TestWithParam<ReluCase> {};

TEST_P(Relus, OfRealNumbers) {
  EXPECT_THAT(ValuesOf<float>(RunOperator(ReluUnary(
                  GetParam().code, Values<float>({5}, {-7, -0.5, 0.5, 3, 7})))),
              ElementsAreArray(GetParam().expected));
}

TEST_P(Relus, OfQuantizedNumbersAreRescaled) {
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(ReluUnary(
                  GetParam().code,
                  Values<int8_t>({5}, {-13, 0, 2, 7, 15}, Scaled(0.5F, 1)),
                  Scaled(0.25F, -2)))),
              ElementsAreArray(GetParam().quantized));
}

TEST_P(Relus, OfInt16) {
  std::vector<int16_t> expected;
  for (const float x : GetParam().expected) {
    expected.push_back(static_cast<int16_t>(x * 1024));
  }
  EXPECT_THAT(ValuesOf<int16_t>(RunOperator(ReluUnary(
                  GetParam().code,
                  Values<int16_t>({5}, {-14336, -1024, 1024, 6144, 14336},
                                  Scaled(1.0F / 2048, 0)),
                  Scaled(1.0F / 1024, 0)))),
              ElementsAreArray(expected));
}

INSTANTIATE_TEST_SUITE_P(
    Relu, Relus,
    ::testing::Values(ReluCase{"Relu",
                               BuiltinOperator::RELU,
                               {0, 0, 0.5, 3, 7},
                               {-2, -2, 0, 10, 26}},
                      ReluCase{"Relu6",
                               BuiltinOperator::RELU6,
                               {0, 0, 0.5, 3, 6},
                               {-2, -2, 0, 10, 22}},
                      ReluCase{"ReluN1To1",
                               BuiltinOperator::RELU_N1_TO_1,
                               {-1, -0.5, 0.5, 1, 1},
                               {-6, -4, 0, 2, 2}},
                      ReluCase{"Relu0To1",
                               BuiltinOperator::RELU_0_TO_1,
                               {0, 0, 0.5, 1, 1},
                               {-2, -2, 0, 2, 2}}),
    [](const auto& c) { return std::string(c.param.name); });

OperatorCase LeakyRelu(const TensorValue& input, float alpha,
                       const Quantization& output = {}) {
  tflite::LeakyReluOptionsT options;
  options.alpha = alpha;
  OperatorCase c = ReluUnary(BuiltinOperator::LEAKY_RELU, input, output);
  c.options.Set(options);
  return c;
}

TEST(LeakyRelu, HasTwoSlopes) {
  EXPECT_THAT(ValuesOf<float>(
                  RunOperator(LeakyRelu(Values<float>({3}, {-8, 0, 2}), 0.25))),
              ElementsAre(-2, 0, 2));
  EXPECT_THAT(ValuesOf<uint8_t>(RunOperator(LeakyRelu(
                  Values<uint8_t>({4}, {0, 100, 103, 255}, Scaled(1, 100)),
                  0.25, Scaled(1, 110)))),
              ElementsAre(85, 110, 113, 255));
  EXPECT_THAT(ValuesOf<int16_t>(RunOperator(
                  LeakyRelu(Values<int16_t>({2}, {-1000, 1000}, Scaled(1, 0)),
                            0.5, Scaled(2, 0)))),
              ElementsAre(-250, 500));
}

TEST(LeakyRelu, ASlopeMayFall) {
  EXPECT_THAT(
      ValuesOf<int8_t>(RunOperator(LeakyRelu(
          Values<int8_t>({2}, {-40, 40}, Scaled(1, 0)), -0.5, Scaled(1, 0)))),
      ElementsAre(20, 40));
}

OperatorCase Prelu(const TensorValue& input, const TensorValue& alpha,
                   const Quantization& output = {}) {
  OperatorCase c = ReluUnary(BuiltinOperator::PRELU, input, output);
  c.inputs.push_back(alpha.Constant());
  return c;
}

TEST(Prelu, HasASlopeForEachChannel) {
  const auto outputs =
      RunOperator(Prelu(Values<float>({1, 2, 1, 2}, {-4, -4, 4, -2}),
                        Values<float>({1, 1, 2}, {0.5, 2})));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(-2, -8, 4, -4));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(1, 2, 1, 2));
}

TEST(Prelu, OfQuantizedNumbers) {
  // The slopes are 0.5 and -1, and the real values are -10, -10, 20 and 2.
  EXPECT_THAT(
      ValuesOf<int8_t>(RunOperator(Prelu(
          Values<int8_t>({2, 2}, {-18, -18, 42, 6}, Scaled(0.5F, 2)),
          Values<int8_t>({2}, {3, -3}, Scaled(0.25F, 1)), Scaled(0.5F, 0)))),
      ElementsAre(-10, 20, 40, 4));
}

TEST(Prelu, SlopesMustFitTheInput) {
  EXPECT_THAT(std::string(RunOperator(Prelu(Values<float>({1, 2}, {1, 2}),
                                            Values<float>({2, 1}, {1, 2})))
                              .status()
                              .message()),
              HasSubstr("expected one that broadcasts to [1, 2]"));
  EXPECT_FALSE(RunOperator(Prelu(Values<float>({2}, {1, 2}),
                                 Values<float>({3}, {1, 2, 3})))
                   .ok());
}

double RealHardSwish(double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }

TEST(HardSwish, OfRealNumbers) {
  EXPECT_THAT(ValuesOf<float>(RunOperator(
                  ReluUnary(BuiltinOperator::HARD_SWISH,
                            Values<float>({5}, {-4, -1.5, 0, 1, 5})))),
              ElementsAre(0, -0.375, 0, FloatNear(2.0F / 3, 1e-6F), 5));
}

// Tests every value. With these scales, the product is shifted to the left in
// some cases and to the right in others.
template <typename T>
void HardSwishIsNear(float in_scale, int32_t in_zero, float out_scale,
                     int32_t out_zero) {
  std::vector<T> values;
  for (int x = std::numeric_limits<T>::min();
       x <= std::numeric_limits<T>::max(); ++x) {
    values.push_back(static_cast<T>(x));
  }
  const auto results = ValuesOf<T>(
      RunOperator(ReluUnary(BuiltinOperator::HARD_SWISH,
                            Values<T>({256}, values, Scaled(in_scale, in_zero)),
                            Scaled(out_scale, out_zero))));
  ASSERT_EQ(results.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double steps =
        RealHardSwish(double{in_scale} * (values[i] - in_zero)) / out_scale +
        out_zero;
    EXPECT_NEAR(results[i],
                std::clamp<double>(steps, std::numeric_limits<T>::min(),
                                   std::numeric_limits<T>::max()),
                1)
        << int{values[i]} << " at " << in_scale;
  }
}

TEST(HardSwish, OfQuantizedNumbers) {
  HardSwishIsNear<int8_t>(0.03F, 3, 0.02F, -100);
  HardSwishIsNear<int8_t>(0.5F, 0, 0.25F, -20);
  HardSwishIsNear<uint8_t>(0.008F, 120, 0.01F, 90);
  HardSwishIsNear<uint8_t>(2.0F, 128, 1.0F, 0);
}

TEST(HardSwish, TheOutputCannotBeMuchFinerThanTheInput) {
  EXPECT_THAT(
      std::string(RunOperator(ReluUnary(BuiltinOperator::HARD_SWISH,
                                        Values<int8_t>({1}, {1}, Scaled(1, 0)),
                                        Scaled(0.001F, 0)))
                      .status()
                      .message()),
      HasSubstr("expected at most 128 times"));
}

TEST(Relu, ScalesFarApartAreNoError) {
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(
                  ReluUnary(BuiltinOperator::RELU,
                            Values<int8_t>({3}, {-1, 0, 1}, Scaled(1e38F, 0)),
                            Scaled(1e-38F, 0)))),
              ElementsAre(0, 0, 127));
}

}  // namespace
}  // namespace stowage::harness
