// SPDX-License-Identifier: Apache-2.0
// Tests ADD, SUB, MUL, DIV, FLOOR_DIV, FLOOR_MOD and SQUARED_DIFFERENCE.
#include <cmath>
#include <cstddef>
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
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using tflite::ActivationFunctionType;
using tflite::BuiltinOperator;

constexpr int32_t kInt32Min = std::numeric_limits<int32_t>::min();

OperatorCase Binary(BuiltinOperator code, TensorValue a, TensorValue b,
                    Quantization to = {}) {
  OperatorCase result{code};
  const ElementType type = a.type;
  result.inputs = {std::move(a), std::move(b)};
  result.outputs = {Output(type, {}, std::move(to))};
  return result;
}

struct ArithmeticExpected {
  BuiltinOperator code;
  std::vector<float> floats;  // for 7, -7, 6 with 2, 2, -4
  std::vector<int32_t> integers;
};

class Arithmetics : public ::testing::TestWithParam<ArithmeticExpected> {};

TEST_P(Arithmetics, ComputeFloats) {
  const OperatorCase c = Binary(GetParam().code, Values<float>({3}, {7, -7, 6}),
                                Values<float>({3}, {2, 2, -4}));
  EXPECT_THAT(ValuesOf<float>(RunOperator(c)),
              ElementsAreArray(GetParam().floats));
}

TEST_P(Arithmetics, ComputeIntegers) {
  const OperatorCase c =
      Binary(GetParam().code, Values<int32_t>({3}, {7, -7, 6}),
             Values<int32_t>({3}, {2, 2, -4}));
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(c)),
              ElementsAreArray(GetParam().integers));
}

TEST_P(Arithmetics, ComputeQuantisedNumbers) {
  // All results are multiples of an eighth, so they are exact.
  const OperatorCase c = Binary(
      GetParam().code, Values<int8_t>({3}, {15, -13, 13}, Scaled(0.5, 1)),
      Values<int8_t>({3}, {6, 6, -18}, Scaled(0.25, -2)), Scaled(0.5, 3));
  std::vector<int8_t> expected;
  for (const float x : GetParam().floats) {
    expected.push_back(static_cast<int8_t>(x * 2 + 3));
  }
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(c)), ElementsAreArray(expected));
}

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, Arithmetics,
    ::testing::Values(
        ArithmeticExpected{BuiltinOperator::ADD, {9, -5, 2}, {9, -5, 2}},
        ArithmeticExpected{BuiltinOperator::SUB, {5, -9, 10}, {5, -9, 10}},
        ArithmeticExpected{
            BuiltinOperator::MUL, {14, -14, -24}, {14, -14, -24}},
        ArithmeticExpected{
            BuiltinOperator::DIV, {3.5, -3.5, -1.5}, {3, -3, -1}}),
    [](const auto& c) {
      return std::string(tflite::EnumNameBuiltinOperator(c.param.code));
    });

TEST(Arithmetic, BroadcastsInBothDirections) {
  const OperatorCase c =
      Binary(BuiltinOperator::ADD, Values<float>({2, 1, 3}, {1, 2, 3, 4, 5, 6}),
             Values<float>({2, 1}, {10, 20}));
  const auto outputs = RunOperator(c);
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2, 3));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(11, 12, 13, 21, 22, 23, 14, 15, 16, 24, 25, 26));
}

TEST(Arithmetic, BroadcastsToNothing) {
  const OperatorCase c = Binary(BuiltinOperator::MUL, Values<float>({0, 2}, {}),
                                Values<float>({1}, {3}));
  const auto outputs = RunOperator(c);
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre());
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(0, 2));
}

TEST(Arithmetic, OfOneTensorWithItself) {
  const auto x = Values<int8_t>({4}, {-128, -1, 0, 127}, Scaled(1, 0));
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(
                  Binary(BuiltinOperator::SUB, x, x, Scaled(1, 5)))),
              ElementsAre(5, 5, 5, 5));
}

TEST(Arithmetic, FusesActivations) {
  OperatorCase c = Binary(BuiltinOperator::ADD, Values<float>({3}, {-9, 2, 8}),
                          Values<float>({}, {1}));
  tflite::AddOptionsT options;
  options.fused_activation_function = ActivationFunctionType::RELU6;
  c.options.Set(options);
  EXPECT_THAT(ValuesOf<float>(RunOperator(c)), ElementsAre(0, 3, 6));
  c.inputs = {Values<int64_t>({3}, {-9, 2, 8}), Values<int64_t>({}, {1})};
  c.outputs = {Output(ElementType::kInt64, {})};
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(c)), ElementsAre(0, 3, 6));
  c.inputs = {Values<uint8_t>({3}, {0, 12, 18}, Scaled(1, 10)),
              Values<uint8_t>({}, {1}, Scaled(1, 0))};
  c.outputs = {Output(ElementType::kUint8, {}, Scaled(0.5, 2))};
  EXPECT_THAT(ValuesOf<uint8_t>(RunOperator(c)), ElementsAre(2, 8, 14));
}

TEST(Arithmetic, SaturatesQuantisedNumbers) {
  const OperatorCase c = Binary(
      BuiltinOperator::MUL, Values<int16_t>({2}, {-32768, 32767}, Scaled(1, 0)),
      Values<int16_t>({}, {32767}, Scaled(1, 0)), Scaled(1, 0));
  EXPECT_THAT(ValuesOf<int16_t>(RunOperator(c)), ElementsAre(-32768, 32767));
}

TEST(Arithmetic, WrapsIntegersAround) {
  const auto least = Values<int32_t>({1}, {kInt32Min});
  const auto minus_one = Values<int32_t>({1}, {-1});
  for (const BuiltinOperator code :
       {BuiltinOperator::MUL, BuiltinOperator::DIV}) {
    EXPECT_THAT(ValuesOf<int32_t>(RunOperator(Binary(code, least, minus_one))),
                ElementsAre(kInt32Min));
  }
  EXPECT_THAT(ValuesOf<int32_t>(
                  RunOperator(Binary(BuiltinOperator::ADD, least, minus_one))),
              ElementsAre(2147483647));
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(Binary(BuiltinOperator::SUB, least,
                                                   Values<int32_t>({1}, {1})))),
              ElementsAre(2147483647));
}

// The output has the type that the kernel computes, regardless of the type that
// the model declares.
TEST(Arithmetic, HasTheTypeOfItsInputs) {
  for (const ElementType declared :
       {ElementType::kInt8, ElementType::kInt64, ElementType::kFloat32}) {
    for (const BuiltinOperator code :
         {BuiltinOperator::ADD, BuiltinOperator::MAXIMUM}) {
      OperatorCase c = Binary(code, Values<int32_t>({2}, {1, -2}),
                              Values<int32_t>({2}, {1, -2}));
      c.outputs = {Output(declared, {2})};
      const auto outputs = RunOperator(c);
      ASSERT_TRUE(outputs.ok()) << outputs.status();
      EXPECT_EQ(outputs->at(0).type, ElementType::kInt32);
      EXPECT_EQ(ValuesOf<int32_t>(outputs).size(), 2u);
    }
  }
  OperatorCase c = Binary(BuiltinOperator::LESS, Values<float>({2}, {1, 2}),
                          Values<float>({}, {2}));
  c.outputs = {Output(ElementType::kFloat32, {2})};
  EXPECT_THAT(ValuesOf<bool>(RunOperator(c)), ElementsAre(true, false));
}

TEST(Arithmetic, ComputesSquaredDifferences) {
  const auto code = BuiltinOperator::SQUARED_DIFFERENCE;
  EXPECT_THAT(ValuesOf<float>(RunOperator(Binary(
                  code, Values<float>({2}, {1, -2}), Values<float>({}, {3})))),
              ElementsAre(4, 25));
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(Binary(
                  code, Values<int8_t>({2}, {2, -4}, Scaled(0.5, 0)),
                  Values<int8_t>({}, {12}, Scaled(0.25, 0)), Scaled(0.5, -9)))),
              ElementsAre(-1, 41));
}

struct RefusedPair {
  const char* name;
  TensorValue a;
  TensorValue b;
  const char* message;
};

class RefusedPairs : public ::testing::TestWithParam<RefusedPair> {};

TEST_P(RefusedPairs, AreAnError) {
  const RefusedPair& pair = GetParam();
  EXPECT_THAT(ErrorOf(Binary(BuiltinOperator::DIV, pair.a, pair.b,
                             pair.a.quantization)),
              HasSubstr(pair.message));
}

INSTANTIATE_TEST_SUITE_P(
    Arithmetic, RefusedPairs,
    ::testing::Values(
        RefusedPair{"Shapes", Values<float>({2}, {1, 2}),
                    Values<float>({3}, {1, 2, 3}), "expected equal dimensions"},
        RefusedPair{"Types", Values<float>({1}, {1}), Values<int32_t>({1}, {1}),
                    "its type is INT32; expected FLOAT32"},
        RefusedPair{"NoArithmetic", Values<bool>({1}, {true}),
                    Values<bool>({1}, {true}), "its type is BOOL"},
        RefusedPair{"NotQuantised", Values<int8_t>({1}, {1}),
                    Values<int8_t>({1}, {1}), "it has 0 scales"},
        RefusedPair{"ZeroPointOf16Bits",
                    Values<int16_t>({1}, {1}, Scaled(1, 1)),
                    Values<int16_t>({1}, {1}, Scaled(1, 0)),
                    "the zero point of an INT16 tensor is 1"},
        RefusedPair{"DivisorZero", Values<int32_t>({1}, {1}),
                    Values<int32_t>({2}, {1, 0}), "it has an element 0"},
        RefusedPair{
            "QuantisedDivisorZero", Values<uint8_t>({1}, {1}, Scaled(1, 4)),
            Values<uint8_t>({2}, {1, 4}, Scaled(1, 4)), "it has an element 0"}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(Arithmetic, RefusesActivationsThatCannotBeFused) {
  OperatorCase c = Binary(BuiltinOperator::MUL, Values<float>({1}, {1}),
                          Values<float>({1}, {1}));
  tflite::MulOptionsT options;
  options.fused_activation_function = ActivationFunctionType::TANH;
  c.options.Set(options);
  EXPECT_THAT(ErrorOf(c), HasSubstr("its fused activation is number 4"));
}

float Real(const Quantization& q, int32_t value) {
  return q.scale() * static_cast<float>(value - q.zero_point());
}

// Returns the largest allowed difference, in steps of the output, between a
// quantized result and the real result. A product is rounded twice, as in the
// reference kernels: first to a multiple of the power of two in its factor. A
// squared difference is computed from inputs with 7 fractional bits, so its
// error grows with the difference.
float SlackOf(BuiltinOperator code, const Quantization& qa,
              const Quantization& qb, const Quantization& to, float distance,
              float wanted) {
  if (code == BuiltinOperator::SQUARED_DIFFERENCE) {
    return 0.6F + std::fabs(wanted) * 0.02F +
           2 * distance * std::max(qa.scale(), qb.scale()) / 64 / to.scale();
  }
  int exponent = 0;
  std::frexp(qa.scale() * qb.scale() / to.scale(), &exponent);
  const bool twice = code == BuiltinOperator::MUL && exponent < 0;
  return 0.51F + (twice ? std::ldexp(0.5F, exponent) : 0.0F);
}

// The scales are in the range that real models use. The zero points and values
// are arbitrary.
RC_GTEST_PROP(ArithmeticProperty, QuantisedIsNearRealArithmetic, ()) {
  const auto quantization = [] {
    return Scaled(static_cast<float>(*rc::gen::inRange(1, 4000)) / 1000,
                  *rc::gen::inRange(-128, 128));
  };
  const Quantization qa = quantization();
  const Quantization qb = quantization();
  const Quantization to = quantization();
  const auto code = *rc::gen::element(
      BuiltinOperator::ADD, BuiltinOperator::SUB, BuiltinOperator::MUL,
      BuiltinOperator::DIV, BuiltinOperator::SQUARED_DIFFERENCE);
  const auto a = *rc::gen::arbitrary<int8_t>();
  const auto b = *rc::gen::arbitrary<int8_t>();
  RC_PRE(code != BuiltinOperator::DIV || b != qb.zero_point());
  const auto outputs = RunOperator(Binary(code, Values<int8_t>({1}, {a}, qa),
                                          Values<int8_t>({1}, {b}, qb), to));
  RC_ASSERT(outputs.ok());
  const float x = Real(qa, a);
  const float y = Real(qb, b);
  const float real = code == BuiltinOperator::ADD   ? x + y
                     : code == BuiltinOperator::SUB ? x - y
                     : code == BuiltinOperator::MUL ? x * y
                     : code == BuiltinOperator::DIV ? x / y
                                                    : (x - y) * (x - y);
  const float wanted = std::min(
      127.0F, std::max(-128.0F, real / to.scale() +
                                    static_cast<float>(to.zero_point())));
  const float got = ValuesOf<int8_t>(outputs)[0];
  const float slack = SlackOf(code, qa, qb, to, std::fabs(x - y), wanted);
  RC_LOG() << "operator " << static_cast<int>(code) << " of " << x << " and "
           << y << ": " << got << ", wanted " << wanted << "\n";
  RC_ASSERT(std::fabs(got - wanted) <= slack);
}

// In each dimension, the extents of the two shapes are equal, or one of them is
// 1.
RC_GTEST_PROP(ArithmeticProperty, BroadcastsAsItsDefinitionSays, ()) {
  const auto rank = *rc::gen::inRange<size_t>(0, 7);
  Shape a(rank);
  Shape b(rank);
  Shape to(rank);
  for (size_t d = 0; d < rank; ++d) {
    to[d] = *rc::gen::inRange(1, 4);
    const int repeats = *rc::gen::inRange(0, 4);
    a[d] = repeats == 1 ? 1 : to[d];
    b[d] = repeats == 2 ? 1 : to[d];
  }
  const auto iota = [](const Shape& shape, int32_t factor) {
    std::vector<int32_t> values(static_cast<size_t>(*ElementCount(shape)));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<int32_t>(i) * factor;
    }
    return Values<int32_t>(shape, values);
  };
  const auto outputs =
      RunOperator(Binary(BuiltinOperator::SUB, iota(a, 1000), iota(b, 1)));
  const std::vector<int32_t> got = ValuesOf<int32_t>(outputs);
  RC_ASSERT(outputs->at(0).shape == to);
  for (size_t i = 0; i < got.size(); ++i) {
    size_t rest = i;
    int32_t of_a = 0;
    int32_t of_b = 0;
    int32_t a_stride = 1;
    int32_t b_stride = 1;
    for (size_t d = rank; d-- > 0;) {
      const auto at = static_cast<int32_t>(rest % static_cast<size_t>(to[d]));
      rest /= static_cast<size_t>(to[d]);
      of_a += at % a[d] * a_stride;
      of_b += at % b[d] * b_stride;
      a_stride *= a[d];
      b_stride *= b[d];
    }
    RC_ASSERT(got[i] == of_a * 1000 - of_b);
  }
}

TEST(FloorDiv, RoundsDown) {
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(
                  Binary(BuiltinOperator::FLOOR_DIV,
                         Values<int32_t>({6}, {7, -7, 7, -7, -6, kInt32Min}),
                         Values<int32_t>({6}, {2, 2, -2, -2, 3, -1})))),
              ElementsAre(3, -4, -4, 3, -2, kInt32Min));
  EXPECT_THAT(ValuesOf<float>(RunOperator(Binary(
                  BuiltinOperator::FLOOR_DIV, Values<float>({4}, {7, -7, 7, 1}),
                  Values<float>({4}, {2, 2, -2, 0})))),
              ElementsAre(3, -4, -4, std::numeric_limits<float>::infinity()));
  EXPECT_THAT(
      ValuesOf<int8_t>(RunOperator(Binary(BuiltinOperator::FLOOR_DIV,
                                          Values<int8_t>({3}, {-7, 127, -128}),
                                          Values<int8_t>({3}, {2, -128, -1})))),
      ElementsAre(-4, -1, -128));
}

TEST(FloorMod, HasTheSignOfTheDivisor) {
  EXPECT_THAT(
      ValuesOf<int64_t>(RunOperator(Binary(
          BuiltinOperator::FLOOR_MOD, Values<int64_t>({5}, {7, -7, 7, -7, -6}),
          Values<int64_t>({5}, {3, 3, -3, -3, 3})))),
      ElementsAre(1, 2, -2, -1, 0));
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(Binary(
                  BuiltinOperator::FLOOR_MOD, Values<int32_t>({1}, {kInt32Min}),
                  Values<int32_t>({1}, {-1})))),
              ElementsAre(0));
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(Binary(BuiltinOperator::FLOOR_MOD,
                                         Values<float>({3}, {5.5F, -5.5F, 4}),
                                         Values<float>({3}, {2, 2, -2})))),
      ElementsAre(1.5F, 0.5F, 0));
  EXPECT_THAT(ValuesOf<int16_t>(RunOperator(Binary(
                  BuiltinOperator::FLOOR_MOD, Values<int16_t>({2}, {-7, 7}),
                  Values<int16_t>({2}, {3, -3})))),
              ElementsAre(2, -2));
}

TEST(FloorDiv, RefusesIntegersByZero) {
  for (const auto code :
       {BuiltinOperator::FLOOR_DIV, BuiltinOperator::FLOOR_MOD}) {
    EXPECT_THAT(ErrorOf(Binary(code, Values<int32_t>({1}, {1}),
                               Values<int32_t>({1}, {0}))),
                HasSubstr("it has an element 0; expected nonzero divisors"));
  }
}

}  // namespace
}  // namespace stowage::harness
