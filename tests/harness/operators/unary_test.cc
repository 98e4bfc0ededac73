// SPDX-License-Identifier: Apache-2.0
// Tests CAST and the functions of one argument: EXP, LOG, NEG, SIGN, SQRT,
// RSQRT, SQUARE, ABS, SIN, COS, FLOOR, CEIL, ROUND and LOGICAL_NOT.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

OperatorCase UnaryUnary(BuiltinOperator code, TensorValue x, ElementType to,
                        Quantization quantization = {}) {
  OperatorCase result{code};
  result.inputs = {std::move(x)};
  result.outputs = {Output(to, {}, std::move(quantization))};
  return result;
}

struct FloatFunction {
  BuiltinOperator code;
  std::vector<float> x;
  std::vector<float> y;
};

class FloatFunctions : public ::testing::TestWithParam<FloatFunction> {};

TEST_P(FloatFunctions, Compute) {
  const FloatFunction& f = GetParam();
  const Shape shape = {static_cast<int32_t>(f.x.size()), 1};
  const auto outputs = RunOperator(
      UnaryUnary(f.code, Values<float>(shape, f.x), ElementType::kFloat32));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ::testing::Pointwise(::testing::FloatEq(), f.y));
  EXPECT_EQ(outputs->at(0).shape, shape);
}

TEST_P(FloatFunctions, OfNothingAreNothing) {
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(UnaryUnary(
          GetParam().code, Values<float>({0, 2}, {}), ElementType::kFloat32))),
      ElementsAre());
}

TEST_P(FloatFunctions, RefuseTruth) {
  EXPECT_THAT(std::string(RunOperator(UnaryUnary(GetParam().code,
                                                 Values<bool>({1}, {true}),
                                                 ElementType::kBool))
                              .status()
                              .message()),
              HasSubstr("its type is BOOL; expected FLOAT32"));
}

INSTANTIATE_TEST_SUITE_P(
    UnaryUnary, FloatFunctions,
    ::testing::Values(
        FloatFunction{
            BuiltinOperator::EXP, {0, 1, -1}, {1, 2.7182818F, 0.36787944F}},
        FloatFunction{BuiltinOperator::LOG, {1, 2.7182818F}, {0, 1}},
        FloatFunction{BuiltinOperator::NEG, {1.5, -2}, {-1.5, 2}},
        FloatFunction{BuiltinOperator::SQRT, {9, 0.25}, {3, 0.5}},
        FloatFunction{BuiltinOperator::RSQRT, {4, 0.25}, {0.5, 2}},
        FloatFunction{BuiltinOperator::SQUARE, {3, -0.5}, {9, 0.25}},
        FloatFunction{BuiltinOperator::ABS, {3, -0.5}, {3, 0.5}},
        FloatFunction{BuiltinOperator::SIGN, {-0.0F, 1e-40F, -7}, {0, 1, -1}},
        FloatFunction{BuiltinOperator::SIN, {0, 1.5707964F}, {0, 1}},
        FloatFunction{BuiltinOperator::COS, {0, 3.1415927F}, {1, -1}},
        FloatFunction{BuiltinOperator::FLOOR, {1.5, -1.5, 2}, {1, -2, 2}},
        FloatFunction{BuiltinOperator::CEIL, {1.5, -1.5, 2}, {2, -1, 2}},
        FloatFunction{BuiltinOperator::ROUND,
                      {0.5F, 1.5F, -0.5F, -1.5F, 2.4F, -2.6F},
                      {0, 2, 0, -2, 2, -3}}),
    [](const auto& c) {
      return std::string(tflite::EnumNameBuiltinOperator(c.param.code));
    });

TEST(UnaryUnary, IntegersKeepWhatHasNoOpposite) {
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
  const auto x = Values<int32_t>({3}, {5, -6, kLeast});
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(
                  UnaryUnary(BuiltinOperator::NEG, x, ElementType::kInt32))),
              ElementsAre(-5, 6, kLeast));
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(
                  UnaryUnary(BuiltinOperator::ABS, x, ElementType::kInt32))),
              ElementsAre(5, 6, kLeast));
}

TEST(UnaryUnary, SignOfIntegersAndOfNotANumber) {
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(UnaryUnary(
                  BuiltinOperator::SIGN, Values<int32_t>({3}, {5, 0, -6}),
                  ElementType::kInt32))),
              ElementsAre(1, 0, -1));
  EXPECT_THAT(ValuesOf<float>(RunOperator(UnaryUnary(
                  BuiltinOperator::SIGN,
                  Values<float>({1}, {std::numeric_limits<float>::quiet_NaN()}),
                  ElementType::kFloat32))),
              ElementsAre(0));
}

TEST(UnaryUnary, AbsRescalesQuantisedNumbers) {
  const auto x = Values<int8_t>({3}, {-128, 2, 12}, Scaled(0.5, 2));
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(UnaryUnary(
                  BuiltinOperator::ABS, x, ElementType::kInt8, Scaled(1, -9)))),
              ElementsAre(56, -9, -4));
  EXPECT_THAT(
      ValuesOf<int8_t>(RunOperator(UnaryUnary(
          BuiltinOperator::ABS, x, ElementType::kInt8, Scaled(0.5, -9)))),
      ElementsAre(121, -9, 1));
}

TEST(UnaryUnary, LogicalNotReadsAnyByteButZeroAsTrue) {
  TensorValue x = Values<bool>({3}, {true, true, true});
  x.bytes = {0, 1, 2};
  EXPECT_THAT(ValuesOf<uint8_t>(RunOperator(
                  UnaryUnary(BuiltinOperator::CAST, x, ElementType::kUint8))),
              ElementsAre(0, 1, 1));
  EXPECT_THAT(ValuesOf<bool>(RunOperator(UnaryUnary(
                  BuiltinOperator::LOGICAL_NOT, x, ElementType::kBool))),
              ElementsAre(true, false, false));
}

template <typename To, typename From>
std::vector<To> CastOf(const std::vector<From>& values) {
  return ValuesOf<To>(RunOperator(
      UnaryUnary(BuiltinOperator::CAST,
                 Values<From>({static_cast<int32_t>(values.size())}, values),
                 kElementTypeOf<To>)));
}

TEST(Cast, CutsFractionsOff) {
  EXPECT_THAT((CastOf<int32_t, float>({1.9F, -1.9F})), ElementsAre(1, -1));
  EXPECT_THAT((CastOf<uint8_t, double>({254.9})), ElementsAre(254));
}

TEST(Cast, StaysWithinTheRangeOfIntegers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr auto kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT((CastOf<int8_t, float>({1e9F, -1e9F, nan})),
              ElementsAre(127, -128, 0));
  EXPECT_THAT((CastOf<uint8_t, float>({-1, 256})), ElementsAre(0, 255));
  EXPECT_THAT((CastOf<int64_t, float>({9.3e18F, -9.3e18F})),
              ElementsAre(kMax, -kMax - 1));
}

TEST(Cast, KeepsTheLowBitsOfIntegers) {
  EXPECT_THAT((CastOf<int8_t, int32_t>({257, -129})), ElementsAre(1, 127));
  EXPECT_THAT((CastOf<uint32_t, int64_t>({-1})), ElementsAre(4294967295));
}

TEST(Cast, ToFloatIsTheNearest) {
  EXPECT_THAT((CastOf<float, int32_t>({16777217, -5})),
              ElementsAre(16777216, -5));
}

TEST(Cast, ToTruthAndBack) {
  EXPECT_THAT((CastOf<bool, float>({0, 0.5F, -0.0F})),
              ElementsAre(false, true, false));
  EXPECT_THAT((CastOf<float, bool>({false, true})), ElementsAre(0, 1));
}

}  // namespace
}  // namespace stowage::harness
