// SPDX-License-Identifier: Apache-2.0
// Tests the arithmetic of extents: their values and how they are written.
#include "data/networks/extent.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowage/dynamic/expression.h"

namespace stowage::networks {
namespace {

struct ExtentCase {
  std::string name;
  Extent (*make)(const Extent& x, const Extent& y);
  std::string expected;
};

class ExtentArithmetic : public testing::TestWithParam<ExtentCase> {};

// The text must have the same value as the extent for all x and y.
TEST_P(ExtentArithmetic, IsWrittenAsItIsComputed) {
  for (const uint64_t x : {7u, 8u, 9u, 64u}) {
    for (const uint64_t y : {2u, 3u, 7u}) {
      const Extent extent =
          GetParam().make(Extent::Parameter("x", static_cast<int64_t>(x)),
                          Extent::Parameter("y", static_cast<int64_t>(y)));
      EXPECT_EQ(extent.ToString(), GetParam().expected);
      const auto expression = Expression::Parse(
          extent.ToString(), std::vector<std::string>{"x", "y"});
      ASSERT_TRUE(expression.ok()) << expression.status();
      EXPECT_EQ(expression->Evaluate(std::vector<uint64_t>{x, y}).value,
                extent.value())
          << "x=" << x << " y=" << y;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ExtentArithmetic,
    testing::ValuesIn(std::vector<ExtentCase>{
        {"parameter", [](const Extent& x, const Extent&) { return x; }, "x"},
        {"number", [](const Extent&, const Extent&) { return Extent(5); }, "5"},
        {"product_in_one_order",
         [](const Extent& x, const Extent& y) { return y * 4 * x * 3; },
         "12*x*y"},
        {"sum_with_numbers",
         [](const Extent& x, const Extent&) { return 2 * (x + 1) + 3; },
         "2*x + 5"},
        {"sum_of_equal_terms",
         [](const Extent& x, const Extent&) { return x + (x + 1); }, "2*x + 1"},
        {"sum_of_others",
         [](const Extent& x, const Extent& y) { return 4 * (x + y); },
         "4*(x + y)"},
        {"difference",
         [](const Extent& x, const Extent&) { return Extent(99) - (x + 1); },
         "(99 - (x + 1))"},
        {"difference_of_a_product",
         [](const Extent& x, const Extent& y) { return Extent(999) - x * y; },
         "(999 - x*y)"},
        {"nothing_left",
         [](const Extent& x, const Extent&) { return 2 * x - (x + x); }, "0"},
        {"exact_quotient",
         [](const Extent& x, const Extent&) { return (6 * x) / 3; }, "2*x"},
        {"exact_quotient_of_a_rest",
         [](const Extent& x, const Extent&) { return (6 * x + 4) / 3; },
         "2*x + 1"},
        {"exact_quotient_of_a_negative_rest",
         [](const Extent& x, const Extent&) { return (6 * x - 1) / 3; },
         "2*x - 1"},
        {"quotient", [](const Extent& x, const Extent&) { return x / 4; },
         "x//4"},
        {"quotients_of_quotients",
         [](const Extent& x, const Extent&) { return ((x + 1) / 2 + 1) / 2; },
         "(x + 3)//4"},
        {"product_of_quotients",
         [](const Extent& x, const Extent& y) {
           return 4 * (x / 2) * ((y + 1) / 2);
         },
         "4*((y + 1)//2)*(x//2)"},
    }),
    [](const auto& c) { return c.param.name; });

TEST(Extent, IsEqualOnlyIfItIsWrittenAlike) {
  const Extent x = Extent::Parameter("x", 4);
  EXPECT_EQ(x * 2, x + x);
  EXPECT_NE(x, Extent(4));
  EXPECT_NE(x, Extent::Parameter("y", 4));
  EXPECT_NE(x, x / 2);
  EXPECT_NE(x, x + 1);
}

}  // namespace
}  // namespace stowage::networks
