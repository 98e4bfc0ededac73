// SPDX-License-Identifier: Apache-2.0
// Tests L2_NORMALIZATION.
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

OperatorCase Normalize(const TensorValue& input,
                       const Quantization& output = {}) {
  OperatorCase c{tflite::BuiltinOperator::L2_NORMALIZATION};
  c.options.Set(tflite::L2NormOptionsT());
  c.inputs = {input};
  c.outputs = {Output(input.type, {1}, output)};
  return c;
}

TEST(L2Normalization, RowsHaveLength1) {
  EXPECT_THAT(
      ValuesOf<float>(
          RunOperator(Normalize(Values<float>({3, 2}, {3, -4, 0, 0, 0, 2})))),
      ElementsAre(FloatNear(0.6F, 1e-6F), FloatNear(-0.8F, 1e-6F), 0, 0, 0, 1));
}

template <typename T>
void L2NormalizationIsNear(int32_t zero) {
  const auto row = *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<T>>());
  const auto results = ValuesOf<T>(RunOperator(Normalize(
      Values<T>({static_cast<int32_t>(row.size())}, row, Scaled(0.1F, 5)),
      Scaled(1.0F / 128, zero))));
  RC_ASSERT(results.size() == row.size());
  double squares = 0;
  for (const T x : row) squares += (x - 5.0) * (x - 5.0);
  const double norm = std::max(std::sqrt(squares), 1.0);
  for (size_t i = 0; i < row.size(); ++i) {
    const double steps = std::clamp<double>((row[i] - 5) * 128 / norm + zero,
                                            std::numeric_limits<T>::min(),
                                            std::numeric_limits<T>::max());
    RC_ASSERT(std::abs(results[i] - steps) <= 1);
  }
}

RC_GTEST_PROP(L2NormalizationOf8Bits, IsWithinAStepOfRealNumbers, ()) {
  L2NormalizationIsNear<int8_t>(0);
  L2NormalizationIsNear<uint8_t>(128);
}

TEST(L2Normalization, TheOutputScaleIsFixed) {
  EXPECT_THAT(
      std::string(RunOperator(Normalize(Values<int8_t>({1}, {1}, Scaled(1, 0)),
                                        Scaled(1, 0)))
                      .status()
                      .message()),
      HasSubstr("expected 1/128 and 0"));
}

}  // namespace
}  // namespace stowage::harness
