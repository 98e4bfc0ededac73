// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/fixed_point.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "stowage/harness/operator_options.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {
namespace {

Tensor QuantizedTensor(ElementType type, std::vector<float> scales,
                       int32_t zero_point) {
  Tensor tensor;
  tensor.type = type;
  tensor.quantization.zero_points.assign(scales.size(), zero_point);
  tensor.quantization.scales = std::move(scales);
  return tensor;
}

TEST(RoundingShiftRight, RoundsHalvesAwayFromZero) {
  EXPECT_EQ(RoundingShiftRight(5, 0), 5);
  EXPECT_EQ(RoundingShiftRight(5, 1), 3);
  EXPECT_EQ(RoundingShiftRight(-5, 1), -3);
  EXPECT_EQ(RoundingShiftRight(5, 2), 1);
  EXPECT_EQ(RoundingShiftRight(std::numeric_limits<int32_t>::min(), 31), -1);
}

RC_GTEST_PROP(RoundingShiftRight, IsTheNearestInteger, ()) {
  const auto x = *rc::gen::arbitrary<int32_t>();
  const int bits = *rc::gen::inRange(0, 32);
  RC_ASSERT(RoundingShiftRight(x, bits) ==
            std::lround(std::ldexp(static_cast<double>(x), -bits)));
}

TEST(Multiply, RoundsTwice) {
  EXPECT_EQ(Multiply(10, QuantizeMultiplier(0.25)), 3);
  EXPECT_EQ(Multiply(-10, QuantizeMultiplier(0.25)), -3);
  EXPECT_EQ(Multiply(1000, QuantizeMultiplier(3)), 3000);
  EXPECT_EQ(Multiply(7, QuantizeMultiplier(0)), 0);
}

RC_GTEST_PROP(Multiply, IsWithinOneOfTheProduct, ()) {
  const auto x = *rc::gen::inRange(-(1 << 20), 1 << 20);
  const double factor = *rc::gen::inRange(1, 1 << 20) * std::ldexp(1.0, -12);
  const int32_t product = Multiply(x, QuantizeMultiplier(factor));
  RC_ASSERT(std::abs(product - x * factor) <= 1);
}

TEST(SetChannelFactors, HasAFactorForEachChannel) {
  const Tensor input = QuantizedTensor(ElementType::kInt8, {0.5F}, 0);
  const Tensor output = QuantizedTensor(ElementType::kInt8, {2}, 0);
  std::array<Multiplier, 2> factors;
  Tensor weights = QuantizedTensor(ElementType::kInt8, {1, 4}, 0);
  ASSERT_TRUE(
      SetChannelFactors(input, weights, output, false, absl::MakeSpan(factors))
          .ok());
  EXPECT_EQ(Multiply(100, factors[0]), 25);
  EXPECT_EQ(Multiply(100, factors[1]), 100);
  weights = QuantizedTensor(ElementType::kInt8, {8}, 0);
  ASSERT_TRUE(
      SetChannelFactors(input, weights, output, true, absl::MakeSpan(factors))
          .ok());
  EXPECT_EQ(Multiply(100, factors[0]), 200);
  EXPECT_EQ(Multiply(100, factors[1]), 200);
}

TEST(SetChannelFactors, RefusesFactorsThatAreNotFinite) {
  const float largest = std::numeric_limits<float>::max();
  const Tensor large = QuantizedTensor(ElementType::kUint8, {largest}, 0);
  const Tensor output = QuantizedTensor(ElementType::kUint8, {1}, 0);
  std::array<Multiplier, 1> factors;
  EXPECT_EQ(
      SetChannelFactors(large, large, output, false, absl::MakeSpan(factors))
          .code(),
      absl::StatusCode::kInvalidArgument);
}

TEST(QuantizedOutput, LimitsWhatTheActivationLimits) {
  const Tensor output = QuantizedTensor(ElementType::kInt8, {0.1F}, -20);
  const auto relu6 = QuantizedOutputOf(output, FusedActivation::kRelu6);
  ASSERT_TRUE(relu6.ok());
  EXPECT_EQ(relu6->At(int32_t{-5}), -20);
  EXPECT_EQ(relu6->At(int32_t{5}), -15);
  EXPECT_EQ(relu6->At(int32_t{70}), 40);
  EXPECT_EQ(relu6->At(int64_t{1} << 40), 40);
  EXPECT_EQ(QuantizedOutputOf(output).At(int32_t{-500}), -128);
  EXPECT_EQ(QuantizedOutputOf(output, FusedActivation::kTanh).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(MakeExpTable, FallsFromOne) {
  const auto table = MakeExpTable(0.1F, 1);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ((*table)[0], std::numeric_limits<int32_t>::max());
  for (size_t d = 0; d < table->size(); ++d) {
    const double exact = std::exp(-0.1 * static_cast<double>(d));
    EXPECT_NEAR(std::ldexp((*table)[d], -31), exact, 1e-6) << d;
  }
  EXPECT_FALSE(MakeExpTable(0, 1).ok());
}

}  // namespace
}  // namespace stowage::harness
