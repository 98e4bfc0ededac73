// SPDX-License-Identifier: Apache-2.0
// Compares LOGISTIC and TANH with results computed in double precision. The
// exact values of quantized outputs are tested by the golden outputs of models.
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
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

struct SigmoidCase {
  const char* name;
  BuiltinOperator code;
  double (*real)(double);
  float int8_scale;  // of the output
  int32_t int8_zero;
};

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }
double Tanh(double x) { return std::tanh(x); }

class Sigmoids : public ::testing::TestWithParam<SigmoidCase> {
 protected:
  // Returns the largest difference, in steps of the output, between the results
  // for `values` and the results in double precision.
  template <typename T>
  double LargestError(const std::vector<T>& values, const Quantization& in,
                      const Quantization& out) {
    OperatorCase c{GetParam().code};
    c.inputs = {Values<T>({static_cast<int32_t>(values.size())}, values, in)};
    c.outputs = {Output(kElementTypeOf<T>, {1}, out)};
    const auto results = ValuesOf<T>(RunOperator(c));
    double largest = results.size() == values.size() ? 0 : 1e9;
    for (size_t i = 0; i < results.size(); ++i) {
      const double real =
          GetParam().real(double{in.scale()} * (values[i] - in.zero_point()));
      const double steps = std::clamp<double>(
          real / out.scale() + out.zero_point(), std::numeric_limits<T>::min(),
          std::numeric_limits<T>::max());
      largest = std::max(largest, std::abs(results[i] - steps));
    }
    return largest;
  }

  template <typename T>
  static std::vector<T> AllValues(int step) {
    std::vector<T> values;
    for (int x = std::numeric_limits<T>::min();
         x <= std::numeric_limits<T>::max(); x += step) {
      values.push_back(static_cast<T>(x));
    }
    return values;
  }
};

TEST_P(Sigmoids, OfRealNumbers) {
  OperatorCase c{GetParam().code};
  const std::vector<float> values = {-100, -9.5, -3, -0.25, 0, 1, 5, 16, 90};
  c.inputs = {Values<float>({9}, values)};
  c.outputs = {Output(ElementType::kFloat32, {1})};
  const auto results = ValuesOf<float>(RunOperator(c));
  ASSERT_EQ(results.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(results[i], GetParam().real(values[i]), 1e-6) << values[i];
  }
}

TEST_P(Sigmoids, OfEveryInt8AreWithinAStep) {
  for (const float scale : {0.001F, 0.05F, 0.3F, 3.0F}) {
    EXPECT_LE(LargestError(AllValues<int8_t>(1), Scaled(scale, 3),
                           Scaled(GetParam().int8_scale, GetParam().int8_zero)),
              1)
        << scale;
  }
}

TEST_P(Sigmoids, OfEveryUint8AreRounded) {
  for (const float scale : {0.01F, 0.1F}) {
    EXPECT_LE(LargestError(AllValues<uint8_t>(1), Scaled(scale, 100),
                           Scaled(1.0F / 100, 90)),
              0.501)
        << scale;
  }
}

TEST_P(Sigmoids, OfInt16AreNear) {
  // Some of these scales are powers of two.
  for (const float scale : {0x1p-12F, 0x1p-11F, 0x1p-15F, 0.0003F, 1.0F}) {
    EXPECT_LE(LargestError(AllValues<int16_t>(7), Scaled(scale, 0),
                           Scaled(1.0F / 32768, 0)),
              4)
        << scale;
  }
}

// Returns the results for all 16-bit inputs, with the given scale of the input.
std::vector<int16_t> Int16Results(BuiltinOperator code, float scale) {
  OperatorCase c{code};
  std::vector<int16_t> inputs;
  for (int x = -32768; x <= 32767; ++x) {
    inputs.push_back(static_cast<int16_t>(x));
  }
  c.inputs = {Values<int16_t>({65536}, inputs, Scaled(scale, 0))};
  c.outputs = {Output(ElementType::kInt16, {65536}, Scaled(1.0F / 32768, 0))};
  return ValuesOf<int16_t>(RunOperator(c));
}

TEST(Sigmoids16, ReplaceAScaleThatIsNearlyAPowerOfTwo) {
  const struct {
    BuiltinOperator code;
    float power;
    bool is_replaced;
  } kCases[] = {
      {BuiltinOperator::LOGISTIC, 0x1p-12F, true},
      {BuiltinOperator::LOGISTIC, 0x1p-11F, false},
      {BuiltinOperator::LOGISTIC, 0x1p-10F, false},
      {BuiltinOperator::TANH, 0x1p-12F, true},
      {BuiltinOperator::TANH, 0x1p-11F, true},
      {BuiltinOperator::TANH, 0x1p-10F, false},
  };
  for (const auto& c : kCases) {
    for (const float factor : {0.9994F, 1.0006F}) {
      EXPECT_EQ(Int16Results(c.code, c.power * factor) ==
                    Int16Results(c.code, c.power),
                c.is_replaced)
          << c.power << " times " << factor;
    }
  }
}

TEST_P(Sigmoids, RefuseOutputsThatTheirValuesDoNotFit) {
  OperatorCase c{GetParam().code};
  c.inputs = {Values<int8_t>({1}, {0}, Scaled(0.1F, 0))};
  c.outputs = {Output(ElementType::kInt8, {1}, Scaled(0.1F, 0))};
  EXPECT_THAT(std::string(RunOperator(c).status().message()),
              HasSubstr("its scale is 0.1"));
  c.inputs = {Values<int16_t>({1}, {0}, Scaled(0.1F, 5))};
  c.outputs = {Output(ElementType::kInt16, {1}, Scaled(1.0F / 32768, 0))};
  EXPECT_THAT(std::string(RunOperator(c).status().message()),
              HasSubstr("its zero point is 5; expected 0"));
  c.inputs = {Values<int32_t>({1}, {0})};
  c.outputs = {Output(ElementType::kInt32, {1})};
  EXPECT_THAT(std::string(RunOperator(c).status().message()),
              HasSubstr("its type is INT32"));
}

INSTANTIATE_TEST_SUITE_P(
    Sigmoid, Sigmoids,
    ::testing::Values(SigmoidCase{"Logistic", BuiltinOperator::LOGISTIC,
                                  Logistic, 1.0F / 256, -128},
                      SigmoidCase{"Tanh", BuiltinOperator::TANH, Tanh,
                                  1.0F / 128, 0}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace stowage::harness
