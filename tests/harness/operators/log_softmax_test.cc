// SPDX-License-Identifier: Apache-2.0
// Compares LOG_SOFTMAX with results computed in double precision.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

OperatorCase LogSoftmax(TensorValue input, Quantization to = {}) {
  OperatorCase result{tflite::BuiltinOperator::LOG_SOFTMAX};
  result.outputs = {Output(input.type, {}, std::move(to))};
  result.inputs = {std::move(input)};
  return result;
}

std::vector<double> LogSoftmaxExpected(const std::vector<double>& row) {
  const double max = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (const double x : row) sum += std::exp(x - max);
  std::vector<double> result;
  for (const double x : row) result.push_back(x - max - std::log(sum));
  return result;
}

TEST(LogSoftmax, OfEachRow) {
  const auto outputs = RunOperator(
      LogSoftmax(Values<float>({2, 2}, {0, std::log(3.0F), 1e30F, 1e30F})));
  const float half = std::log(0.5F);
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(FloatNear(std::log(0.25F), 1e-6F),
                          FloatNear(std::log(0.75F), 1e-6F),
                          FloatNear(half, 1e-6F), FloatNear(half, 1e-6F)));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2));
}

RC_GTEST_PROP(LogSoftmax, EqualsRealNumbers, ()) {
  const auto thousandths = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<int>>(rc::gen::inRange(-20000, 20000)));
  std::vector<float> row;
  for (const int x : thousandths) row.push_back(static_cast<float>(x) / 1000);
  const auto outputs = ValuesOf<float>(RunOperator(
      LogSoftmax(Values<float>({static_cast<int32_t>(row.size())}, row))));
  const auto expected =
      LogSoftmaxExpected(std::vector<double>(row.begin(), row.end()));
  RC_ASSERT(outputs.size() == expected.size());
  for (size_t i = 0; i < row.size(); ++i) {
    RC_ASSERT(std::abs(outputs[i] - expected[i]) <= 1e-5);
  }
}

// The outputs range from -16 to 0 in steps of 1/16, as in TensorFlow Lite.
template <typename T>
void IsWithinAStep() {
  using Limits = std::numeric_limits<T>;
  const float scale = *rc::gen::element(0.001F, 0.02F, 0.1F, 0.5F, 3.0F, 1e30F);
  const auto row = *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<T>>());
  const auto outputs = ValuesOf<T>(RunOperator(LogSoftmax(
      Values<T>({static_cast<int32_t>(row.size())}, row, Scaled(scale, 5)),
      Scaled(1.0F / 16, Limits::max()))));
  std::vector<double> real;
  for (const T x : row) real.push_back(double{scale} * (x - 5));
  const auto expected = LogSoftmaxExpected(real);
  RC_ASSERT(outputs.size() == expected.size());
  for (size_t i = 0; i < row.size(); ++i) {
    const double steps =
        std::max<double>(expected[i] * 16 + Limits::max(), Limits::min());
    RC_ASSERT(std::abs(outputs[i] - steps) <= 0.51);
  }
}

RC_GTEST_PROP(LogSoftmax, OfQuantizedNumbersIsWithinAStep, ()) {
  IsWithinAStep<int8_t>();
  IsWithinAStep<uint8_t>();
}

TEST(LogSoftmax, Refuses) {
  EXPECT_THAT(ErrorOf(LogSoftmax(Values<float>({}, {1}))),
              HasSubstr("dimensions"));
  EXPECT_THAT(ErrorOf(LogSoftmax(Values<int8_t>({1}, {1}, Scaled(1, 0)),
                                 Scaled(1.0F / 256, -128))),
              HasSubstr("expected 1/16 and 127"));
  EXPECT_THAT(
      ErrorOf(LogSoftmax(Values<int8_t>({1}, {1}), Scaled(1.0F / 16, 127))),
      HasSubstr("it has 0 scales; expected 1"));
  EXPECT_THAT(ErrorOf(LogSoftmax(Values<int32_t>({1}, {1}))),
              HasSubstr("its type is INT32; expected FLOAT32"));
}

}  // namespace
}  // namespace stowage::harness
