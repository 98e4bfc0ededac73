// SPDX-License-Identifier: Apache-2.0
// Tests that expressions are parsed, evaluated and bounded.
#include "stowage/dynamic/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;
using Fault = Expression::Fault;

const std::vector<std::string>& Names() {
  static const auto* const names = new std::vector<std::string>{"a", "b_2"};
  return *names;
}

struct ValueCase {
  const char* text;
  uint64_t a;
  uint64_t b;
  int64_t value;
};

class ExpressionValueTest : public ::testing::TestWithParam<ValueCase> {};

TEST_P(ExpressionValueTest, IsThat) {
  const ValueCase& test = GetParam();
  const StatusOr<Expression> expression = Expression::Parse(test.text, Names());
  ASSERT_THAT(expression, support::IsOk());
  const Expression::Result result = expression->Evaluate({test.a, test.b});
  EXPECT_EQ(result.fault, Fault::kNone);
  EXPECT_EQ(result.value, test.value);
}

INSTANTIATE_TEST_SUITE_P(
    All, ExpressionValueTest,
    ::testing::Values(
        ValueCase{"7", 0, 0, 7}, ValueCase{"a", 3, 0, 3},
        ValueCase{" 4*a * b_2\t", 3, 5, 60}, ValueCase{"2+3*a", 4, 0, 14},
        ValueCase{"(2+3)*a", 4, 0, 20}, ValueCase{"10-a-b_2", 4, 3, 3},
        ValueCase{"10-(a-b_2)", 4, 3, 9}, ValueCase{"17//a//2", 4, 0, 2},
        ValueCase{"(a-7)//2", 4, 0, -2}, ValueCase{"7//(a-6)", 4, 0, -4},
        ValueCase{"(0-8)//(a-6)", 4, 0, 4}, ValueCase{"min(a,b_2)", 4, 3, 3},
        ValueCase{"max(a, min(b_2, 9))", 4, 12, 9},
        ValueCase{"a*b_2 <= 12", 4, 3, 1}, ValueCase{"a*b_2 < 12", 4, 3, 0},
        ValueCase{"a == 4", 4, 0, 1}, ValueCase{"a >= 5", 4, 0, 0},
        ValueCase{"a > 3", 4, 0, 1}, ValueCase{"(a > 3)*5", 4, 0, 5},
        ValueCase{"9223372036854775807", 0, 0,
                  std::numeric_limits<int64_t>::max()}),
    [](const auto& test) { return "Case" + std::to_string(test.index); });

struct FaultCase {
  const char* text;
  uint64_t a;
  Fault fault;
};

TEST(Expression, HasNoValueAfterAFault) {
  const FaultCase cases[] = {
      {"8//(a-2)", 2, Fault::kDivisionByZero},
      {"a*9223372036854775807", 2, Fault::kOverflow},
      {"9223372036854775807+a", 1, Fault::kOverflow},
      {"0-9223372036854775807-a", 2, Fault::kOverflow},
      {"(0-9223372036854775807-1)//(a-2)", 1, Fault::kOverflow},
  };
  for (const FaultCase& test : cases) {
    const StatusOr<Expression> expression =
        Expression::Parse(test.text, Names());
    ASSERT_THAT(expression, support::IsOk()) << test.text;
    EXPECT_EQ(expression->Evaluate({test.a, 0}).fault, test.fault) << test.text;
    EXPECT_EQ(expression->Evaluate({test.a, 0}).value, 0) << test.text;
  }
}

struct ErrorCase {
  const char* text;
  const char* message;
};

TEST(Expression, NamesTheColumnOfAnError) {
  const ErrorCase cases[] = {
      {"", "column 1: the end; expected a number, a parameter or \"(\""},
      {"2*a+", "column 5: the end; expected a number"},
      {"2*t", "column 3: unknown parameter t; expected a, b_2"},
      {"2 a", "column 3: \"a\"; expected one of + - * //"},
      {"(a", "column 3: the end; expected \")\""},
      {"a)", "column 2: \")\"; expected one of + - * //"},
      {"a/2", "column 2: \"/\"; expected one of + - * //"},
      {"-a", "column 1: \"-\"; expected a number"},
      {"2a", "column 2: \"a\"; expected one of + - * //"},
      {"min(a)", "column 6: \")\"; expected \",\""},
      {"min", "column 1: unknown parameter min"},
      {"1 < a < 3", "column 7: \"<\"; expected the end of the comparison"},
      {"9223372036854775808", "column 1: a number above 9223372036854775807"},
      {"a\x01", "column 2: \"\\001\"; expected one of + - * //"},
  };
  for (const ErrorCase& test : cases) {
    const StatusOr<Expression> expression =
        Expression::Parse(test.text, Names());
    ASSERT_FALSE(expression.ok()) << test.text;
    EXPECT_THAT(std::string(expression.status().message()),
                HasSubstr(test.message))
        << test.text;
  }
}

TEST(Expression, MayNotBeNestedWithoutLimit) {
  const std::string open(100'000, '(');
  EXPECT_THAT(std::string(Expression::Parse(open, Names()).status().message()),
              HasSubstr("parentheses nested too deeply"));
  std::string sums;
  for (int i = 0; i < 63; ++i) sums += "1+(";
  EXPECT_THAT(
      std::string(
          Expression::Parse(sums + "1+(1+1)", Names()).status().message()),
      HasSubstr("expected at most 64"));
}

struct BoundCase {
  const char* text;
  bool has_range;
  int64_t low;
  int64_t high;
  bool rises;
};

TEST(Expression, IsBoundedOverRanges) {
  const BoundCase cases[] = {
      {"3*a+b_2", true, 3, 40, true},
      {"10-a", true, 0, 9, false},
      {"a-1", true, 0, 9, true},
      {"a*(b_2-5)", true, -50, 50, false},
      {"a//3", true, 0, 3, true},
      {"20//a", true, 2, 20, false},
      {"20//b_2", false, 0, 0, false},
      {"min(a,4)*max(b_2,2)", true, 2, 40, true},
      {"a*4611686018427387904", false, 0, 0, false},
  };
  const std::vector<NumberRange> ranges = {{1, 10}, {0, 10}};
  for (const BoundCase& test : cases) {
    const StatusOr<Expression> expression =
        Expression::Parse(test.text, Names());
    ASSERT_THAT(expression, support::IsOk()) << test.text;
    const optional<NumberRange> range = expression->RangeOver(ranges);
    ASSERT_EQ(range.has_value(), test.has_range) << test.text;
    EXPECT_EQ(expression->Rises(ranges), test.rises) << test.text;
    if (!range) continue;
    EXPECT_EQ(range->low, test.low) << test.text;
    EXPECT_EQ(range->high, test.high) << test.text;
  }
}

TEST(Expression, HasALinearForm) {
  const auto form = [](const char* text) {
    return Expression::Parse(text, Names())->LinearForm(2);
  };
  using Form = optional<std::vector<int64_t>>;
  EXPECT_THAT(form("3*(a+2*b_2)-5*(a-7)"),
              Eq(Form(std::vector<int64_t>{35, -2, 6})));
  EXPECT_THAT(form("(7//2)*a+max(2,1)"),
              Eq(Form(std::vector<int64_t>{2, 3, 0})));
  EXPECT_EQ(form("a*b_2"), nullopt);
  EXPECT_EQ(form("a//2"), nullopt);
  EXPECT_EQ(form("min(a,b_2)"), nullopt);
}

// A random expression, and its value as computed by this test.
struct Grown {
  std::string text;
  optional<int64_t> value;
};

Grown Grow(int depth, int64_t a, int64_t b) {
  const int kind = *rc::gen::inRange(0, depth == 0 ? 3 : 9);
  if (kind == 0) return {"a", a};
  if (kind == 1) return {"b_2", b};
  if (kind == 2) {
    const auto number = *rc::gen::inRange<int64_t>(0, 50);
    return {std::to_string(number), number};
  }
  const Grown x = Grow(depth - 1, a, b);
  const Grown y = Grow(depth - 1, a, b);
  const auto value = [&](auto f) {
    return x.value && y.value ? f(*x.value, *y.value) : optional<int64_t>();
  };
  using Optional = optional<int64_t>;
  const std::string both[] = {"(" + x.text, y.text + ")"};
  switch (kind) {
    case 3:
    case 4:
      return {both[0] + "+" + both[1],
              value([](int64_t p, int64_t q) { return Optional(p + q); })};
    case 5:
      return {both[0] + "-" + both[1],
              value([](int64_t p, int64_t q) { return Optional(p - q); })};
    case 6:
      return {both[0] + "*" + both[1],
              value([](int64_t p, int64_t q) { return Optional(p * q); })};
    case 7:
      return {both[0] + "//" + both[1], value([](int64_t p, int64_t q) {
                if (q == 0) return Optional();
                int64_t rest = p % q;
                if (rest != 0 && (rest < 0) != (q < 0)) rest += q;
                return Optional((p - rest) / q);
              })};
    default:
      return {"max" + both[0] + "," + both[1], value([](int64_t p, int64_t q) {
                return Optional(p > q ? p : q);
              })};
  }
}

RC_GTEST_PROP(ExpressionProperty, AgreesWithItsParts, ()) {
  const auto a = *rc::gen::inRange<int64_t>(0, 20);
  const auto b = *rc::gen::inRange<int64_t>(0, 20);
  const Grown grown = Grow(*rc::gen::inRange(0, 5), a, b);
  const StatusOr<Expression> expression =
      Expression::Parse(grown.text, Names());
  RC_ASSERT(expression.ok());
  const Expression::Result result = expression->Evaluate(
      {static_cast<uint64_t>(a), static_cast<uint64_t>(b)});
  RC_ASSERT((result.fault == Fault::kNone) == grown.value.has_value());
  if (grown.value) RC_ASSERT(result.value == *grown.value);
  const std::vector<NumberRange> ranges = {{0, 20}, {0, 20}};
  const optional<NumberRange> range = expression->RangeOver(ranges);
  if (range) {
    RC_ASSERT(grown.value.has_value());
    RC_ASSERT(range->low <= *grown.value && *grown.value <= range->high);
  }
  if (expression->Rises(ranges)) {
    const Expression::Result above = expression->Evaluate(
        {static_cast<uint64_t>(a + 1), static_cast<uint64_t>(b)});
    RC_ASSERT(above.value >= result.value);
  }
  const optional<std::vector<int64_t>> form = expression->LinearForm(2);
  if (form && grown.value) {
    RC_ASSERT((*form)[0] + (*form)[1] * a + (*form)[2] * b == result.value);
  }
}

}  // namespace
}  // namespace stowage
