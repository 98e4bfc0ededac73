// SPDX-License-Identifier: Apache-2.0
// Tests EQUAL and the other comparisons, MAXIMUM, MINIMUM, LOGICAL_AND and
// LOGICAL_OR.
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

OperatorCase Compare(BuiltinOperator code, TensorValue a, TensorValue b) {
  OperatorCase result{code};
  result.inputs = {std::move(a), std::move(b)};
  result.outputs = {Output(ElementType::kBool, {})};
  return result;
}

struct Relation {
  BuiltinOperator code;
  std::vector<bool> holds;  // the results of comparing 1, 2 and 3 with 2
};

class Relations : public ::testing::TestWithParam<Relation> {
 protected:
  template <typename T>
  std::vector<bool> Run() {
    return ValuesOf<bool>(RunOperator(Compare(
        GetParam().code, Values<T>({3}, {1, 2, 3}), Values<T>({}, {2}))));
  }
};

TEST_P(Relations, HoldForPlainNumbers) {
  EXPECT_THAT(Run<float>(), ElementsAreArray(GetParam().holds));
  EXPECT_THAT(Run<int32_t>(), ElementsAreArray(GetParam().holds));
  EXPECT_THAT(Run<int64_t>(), ElementsAreArray(GetParam().holds));
  EXPECT_THAT(Run<int16_t>(), ElementsAreArray(GetParam().holds));
}

TEST_P(Relations, HoldForWhatQuantisedNumbersStandFor) {
  const OperatorCase c = Compare(
      GetParam().code, Values<int8_t>({3}, {12, 14, 16}, Scaled(0.5, 10)),
      Values<int8_t>({1}, {9}, Scaled(0.25, 1)));
  EXPECT_THAT(ValuesOf<bool>(RunOperator(c)),
              ElementsAreArray(GetParam().holds));
}

TEST_P(Relations, OfNothingAreNothing) {
  const OperatorCase c =
      Compare(GetParam().code, Values<float>({0}, {}), Values<float>({1}, {2}));
  EXPECT_THAT(ValuesOf<bool>(RunOperator(c)), ElementsAre());
}

INSTANTIATE_TEST_SUITE_P(
    Comparison, Relations,
    ::testing::Values(
        Relation{BuiltinOperator::EQUAL, {false, true, false}},
        Relation{BuiltinOperator::NOT_EQUAL, {true, false, true}},
        Relation{BuiltinOperator::LESS, {true, false, false}},
        Relation{BuiltinOperator::LESS_EQUAL, {true, true, false}},
        Relation{BuiltinOperator::GREATER, {false, false, true}},
        Relation{BuiltinOperator::GREATER_EQUAL, {false, true, true}}),
    [](const auto& c) {
      return std::string(tflite::EnumNameBuiltinOperator(c.param.code));
    });

TEST(Comparison, WhatIsNoNumberEqualsNothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto x = Values<float>({1}, {nan});
  EXPECT_THAT(
      ValuesOf<bool>(RunOperator(Compare(BuiltinOperator::EQUAL, x, x))),
      ElementsAre(false));
}

TEST(Comparison, AnyByteButZeroIsTrue) {
  TensorValue a = Values<bool>({2}, {true, true});
  a.bytes = {7, 0};
  EXPECT_THAT(ValuesOf<bool>(RunOperator(Compare(BuiltinOperator::EQUAL, a,
                                                 Values<bool>({}, {true})))),
              ElementsAre(true, false));
}

TEST(Comparison, TruthHasNoOrder) {
  const auto x = Values<bool>({1}, {true});
  EXPECT_THAT(
      std::string(
          RunOperator(Compare(BuiltinOperator::LESS, x, x)).status().message()),
      HasSubstr("its type is BOOL; expected FLOAT32"));
}

TEST(Comparison, NeedsScalesOfQuantisedTypes) {
  const auto x = Values<uint8_t>({1}, {1});
  EXPECT_THAT(
      std::string(
          RunOperator(Compare(BuiltinOperator::LESS, x, x)).status().message()),
      HasSubstr("it has 0 scales"));
}

template <typename T>
std::vector<T> ExtremesOf(BuiltinOperator code) {
  OperatorCase c =
      Compare(code, Values<T>({2, 2}, {1, 5, 3, 7}), Values<T>({2, 1}, {4, 4}));
  c.outputs = {Output(kElementTypeOf<T>, {})};
  return ValuesOf<T>(RunOperator(c));
}

TEST(Extremum, MaximumIsTheLarger) {
  EXPECT_THAT(ExtremesOf<float>(BuiltinOperator::MAXIMUM),
              ElementsAre(4, 5, 4, 7));
  EXPECT_THAT(ExtremesOf<int8_t>(BuiltinOperator::MAXIMUM),
              ElementsAre(4, 5, 4, 7));
  EXPECT_THAT(ExtremesOf<int64_t>(BuiltinOperator::MAXIMUM),
              ElementsAre(4, 5, 4, 7));
}

TEST(Extremum, MinimumIsTheSmaller) {
  EXPECT_THAT(ExtremesOf<float>(BuiltinOperator::MINIMUM),
              ElementsAre(1, 4, 3, 4));
  EXPECT_THAT(ExtremesOf<uint8_t>(BuiltinOperator::MINIMUM),
              ElementsAre(1, 4, 3, 4));
  EXPECT_THAT(ExtremesOf<int16_t>(BuiltinOperator::MINIMUM),
              ElementsAre(1, 4, 3, 4));
  EXPECT_THAT(ExtremesOf<int32_t>(BuiltinOperator::MINIMUM),
              ElementsAre(1, 4, 3, 4));
}

TEST(Logical, ComputesTruthTables) {
  const auto a = Values<bool>({2, 2}, {false, false, true, true});
  const auto b = Values<bool>({2}, {false, true});
  EXPECT_THAT(
      ValuesOf<bool>(RunOperator(Compare(BuiltinOperator::LOGICAL_AND, a, b))),
      ElementsAre(false, false, false, true));
  EXPECT_THAT(
      ValuesOf<bool>(RunOperator(Compare(BuiltinOperator::LOGICAL_OR, a, b))),
      ElementsAre(false, true, true, true));
}

TEST(Logical, RefusesNumbers) {
  const auto x = Values<int8_t>({1}, {1});
  EXPECT_THAT(
      std::string(RunOperator(Compare(BuiltinOperator::LOGICAL_OR, x, x))
                      .status()
                      .message()),
      HasSubstr("its type is INT8; expected BOOL"));
}

}  // namespace
}  // namespace stowage::harness
