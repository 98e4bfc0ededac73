// SPDX-License-Identifier: Apache-2.0
#include "src/harness/fraction.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace stowage::harness {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(Fraction, IsReducedWithAPositiveDenominator) {
  const Fraction half(3, -6);
  EXPECT_EQ(half.numerator(), -1);
  EXPECT_EQ(half.denominator(), 2);
  EXPECT_EQ(Fraction(0, -7).denominator(), 1);
  EXPECT_TRUE(Fraction(0, -7).is_zero());
}

TEST(Fraction, Computes) {
  EXPECT_EQ(Fraction(1, 2) + Fraction(1, 3), Fraction(5, 6));
  EXPECT_EQ(Fraction(1, 2) - Fraction(1, 2), Fraction(0));
  EXPECT_EQ(Fraction(2, 3) * Fraction(-3, 4), Fraction(-1, 2));
  EXPECT_EQ(Fraction(2, 3) / Fraction(-4, 3), Fraction(-1, 2));
  EXPECT_EQ(Fraction(kMax, 2) * Fraction(2, kMax), Fraction(1));
}

TEST(Fraction, ThatDoesNotFitIsNotANumber) {
  const Fraction cases[] = {Fraction(kMax) + Fraction(1),
                            Fraction(kMax) * Fraction(2),
                            Fraction(1, kMax) * Fraction(1, 2),
                            Fraction(1) / Fraction(0), Fraction(0, 0)};
  for (const Fraction& each : cases) {
    EXPECT_FALSE(each.is_number());
    EXPECT_FALSE(each.is_zero());
    EXPECT_FALSE((each - each).is_number());
    EXPECT_FALSE((each * Fraction(0)).is_number());
    EXPECT_FALSE(each == each);
  }
}

}  // namespace
}  // namespace stowage::harness
