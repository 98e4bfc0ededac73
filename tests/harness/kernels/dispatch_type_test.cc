// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/dispatch_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/status/status.h"
#include "stowage/tflite/element_type.h"

namespace stowage::harness {
namespace {

TEST(FloatOfHalf, HasTheSameValue) {
  EXPECT_EQ(FloatOfHalf({0x0000}), 0.0F);
  EXPECT_TRUE(std::signbit(FloatOfHalf({0x8000})));
  EXPECT_EQ(FloatOfHalf({0x3C00}), 1.0F);
  EXPECT_EQ(FloatOfHalf({0xC100}), -2.5F);
  EXPECT_EQ(FloatOfHalf({0x7BFF}), 65504.0F);
  EXPECT_EQ(FloatOfHalf({0x0001}), 0x1p-24F);
  EXPECT_EQ(FloatOfHalf({0x03FF}), 1023 * 0x1p-24F);
  EXPECT_EQ(FloatOfHalf({0xFC00}), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(FloatOfHalf({0x7E00})));
}

TEST(DispatchType, CallsWithTheTypeOfTheElements) {
  using Types = TypeList<float, Half, Bool>;
  size_t bytes = 0;
  const auto measure = [&](auto zero) { bytes = sizeof(zero); };
  EXPECT_TRUE(DispatchType(Types(), ElementType::kFloat16, measure).ok());
  EXPECT_EQ(bytes, 2U);
  EXPECT_TRUE(DispatchType(Types(), ElementType::kBool, measure).ok());
  EXPECT_EQ(bytes, 1U);
  EXPECT_EQ(DispatchType(Types(), ElementType::kInt8, measure).message(),
            "its type is INT8; expected FLOAT32 or FLOAT16 or BOOL");
}

TEST(Bool, IsTrueForEveryByteExceptZero) {
  Bool element;
  EXPECT_FALSE(element);
  element.byte = 200;
  EXPECT_TRUE(element);
  EXPECT_EQ(Bool(true).byte, 1);
}

}  // namespace
}  // namespace stowage::harness
