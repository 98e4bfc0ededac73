// SPDX-License-Identifier: Apache-2.0
// Tests how expressions are written in C. tests/command/stack_header_test.cc
// compiles such expressions and compares their values.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/expression.h"

namespace stowage {
namespace {

std::string InC(const std::string& text) {
  const std::vector<std::string> names = {"a", "b", "c"};
  const StatusOr<Expression> parsed =
      Expression::Parse(text, MakeConstSpan(names));
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed->ToC(MakeConstSpan(names), "x");
}

TEST(ExpressionInC, HasTheParenthesesThatItNeeds) {
  const struct {
    std::string text;
    std::string in_c;
  } cases[] = {
      {"7", "INT64_C(7)"},
      {"a", "a"},
      {"a + b + c", "a + b + c"},
      {"a + (b + c)", "a + (b + c)"},
      {"a - (b - c)", "a - (b - c)"},
      {"(a - b) - c", "a - b - c"},
      {"(a + b) * c", "(a + b) * c"},
      {"a * (b + c)", "a * (b + c)"},
      {"a + b * c", "a + b * c"},
      {"a * b * c", "a * b * c"},
      {"a * (b * c)", "a * (b * c)"},
      {"a // b // c", "x_divide(x_divide(a, b), c)"},
      {"a // (b // c)", "x_divide(a, x_divide(b, c))"},
      {"a * b // c", "x_divide(a * b, c)"},
      {"(a + b) // c * 2", "x_divide(a + b, c) * INT64_C(2)"},
      {"min(a, max(b + 1, c))", "x_min(a, x_max(b + INT64_C(1), c))"},
      {"min(a, b) + c", "x_min(a, b) + c"},
      {"a + b <= c", "a + b <= c"},
      {"a == (b < c)", "a == (b < c)"},
      {"(a < b) + c", "(a < b) + c"},
      {"(a > b) * (b >= c)", "(a > b) * (b >= c)"},
  };
  for (const auto& test : cases) EXPECT_EQ(InC(test.text), test.in_c);
}

TEST(ExpressionInC, HasNumbersOfAnySign) {
  EXPECT_EQ(Expression::Constant(-5).ToC({}, "x"), "(-INT64_C(5))");
  EXPECT_EQ(Expression::Constant(INT64_MIN).ToC({}, "x"), "INT64_MIN");
}

// In a long sum, each term takes constant time and adds no parentheses.
TEST(ExpressionInC, IsLinear) {
  std::string text = "a";
  for (int i = 0; i < 20'000; ++i) text += " + a";
  EXPECT_EQ(InC(text), text);
}

}  // namespace
}  // namespace stowage
