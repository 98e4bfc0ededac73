// SPDX-License-Identifier: Apache-2.0
// Tests ARG_MAX, ARG_MIN, SELECT, SELECT_V2, BROADCAST_ARGS, RANK, SHAPE, FILL,
// ONE_HOT, ZEROS_LIKE and RANGE.
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
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

OperatorCase Case(BuiltinOperator code, std::vector<TensorValue> inputs,
                  ElementType output) {
  OperatorCase result{code};
  result.inputs = std::move(inputs);
  result.outputs = {Output(output, {})};
  return result;
}

TensorValue Scalar(int32_t value) {
  return Values<int32_t>({}, {value}).Constant();
}

TEST(ArgExtremum, FindsTheFirstOfTheLargest) {
  const auto x = Values<float>({2, 3}, {1, 5, 5, 7, -1, 2});
  EXPECT_THAT(
      ValuesOf<int32_t>(RunOperator(
          Case(BuiltinOperator::ARG_MAX, {x, Scalar(1)}, ElementType::kInt32))),
      ElementsAre(1, 0));
  const auto outputs = RunOperator(
      Case(BuiltinOperator::ARG_MAX, {x, Scalar(-2)}, ElementType::kInt64));
  EXPECT_THAT(ValuesOf<int64_t>(outputs), ElementsAre(1, 0, 0));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(3));
}

TEST(ArgExtremum, FindsTheFirstOfTheSmallest) {
  const auto x = Values<uint8_t>({2, 2, 2}, {9, 1, 9, 1, 0, 8, 200, 7});
  EXPECT_THAT(
      ValuesOf<int64_t>(RunOperator(
          Case(BuiltinOperator::ARG_MIN, {x, Scalar(1)}, ElementType::kInt64))),
      ElementsAre(0, 0, 0, 1));
}

TEST(ArgExtremum, AxisMayBeComputed) {
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(Case(
                  BuiltinOperator::ARG_MAX,
                  {Values<int8_t>({2, 1}, {-3, -2}), Values<int64_t>({1}, {0})},
                  ElementType::kInt32))),
              ElementsAre(1));
}

TEST(ArgExtremum, NeedsElementsToCompare) {
  EXPECT_THAT(ErrorOf(Case(BuiltinOperator::ARG_MAX,
                           {Values<float>({2, 0}, {}), Scalar(1)},
                           ElementType::kInt32)),
              HasSubstr("expected elements along axis 1"));
  EXPECT_THAT(RunOperator(Case(BuiltinOperator::ARG_MAX,
                               {Values<float>({0, 2}, {}), Scalar(1)},
                               ElementType::kInt32))
                  ->at(0)
                  .shape,
              ElementsAre(0));
  EXPECT_THAT(
      ErrorOf(Case(BuiltinOperator::ARG_MAX,
                   {Values<float>({}, {1}), Scalar(0)}, ElementType::kInt32)),
      HasSubstr("axis 0"));
  EXPECT_THAT(ErrorOf(Case(BuiltinOperator::ARG_MIN,
                           {Values<float>({1}, {1}), Scalar(0)},
                           ElementType::kFloat32)),
              HasSubstr("its type is FLOAT32; expected INT32 or INT64"));
}

OperatorCase Select(BuiltinOperator code, TensorValue condition) {
  return Case(code,
              {std::move(condition), Values<float>({2, 2}, {1, 2, 3, 4}),
               Values<float>({2, 2}, {5, 6, 7, 8})},
              ElementType::kFloat32);
}

TEST(Select, TakesAConditionForEachElementSliceOrAll) {
  const auto code = BuiltinOperator::SELECT;
  EXPECT_THAT(ValuesOf<float>(RunOperator(Select(
                  code, Values<bool>({2, 2}, {true, false, false, true})))),
              ElementsAre(1, 6, 7, 4));
  EXPECT_THAT(ValuesOf<float>(
                  RunOperator(Select(code, Values<bool>({2}, {false, true})))),
              ElementsAre(5, 6, 3, 4));
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(Select(code, Values<bool>({}, {true})))),
      ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ErrorOf(Select(code, Values<bool>({1}, {true}))),
              HasSubstr("its condition is [1]"));
}

TEST(SelectV2, Broadcasts) {
  const auto code = BuiltinOperator::SELECT_V2;
  EXPECT_THAT(ValuesOf<float>(
                  RunOperator(Select(code, Values<bool>({2}, {false, true})))),
              ElementsAre(5, 2, 7, 4));
  const auto outputs = RunOperator(
      Case(code,
           {Values<bool>({2, 1}, {true, false}), Values<int8_t>({}, {1}),
            Values<int8_t>({1, 3}, {7, 8, 9})},
           ElementType::kInt8));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 3));
  EXPECT_THAT(ValuesOf<int8_t>(outputs), ElementsAre(1, 1, 1, 7, 8, 9));
  EXPECT_THAT(ErrorOf(Select(code, Values<bool>({3}, {true, true, true}))),
              HasSubstr("expected equal dimensions"));
}

TEST(ShapeOperator, TellsTheDimensions) {
  const auto x = Values<float>({1, 0, 7}, {});
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(
                  Case(BuiltinOperator::SHAPE, {x}, ElementType::kInt32))),
              ElementsAre(1, 0, 7));
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(
                  Case(BuiltinOperator::SHAPE, {x}, ElementType::kInt64))),
              ElementsAre(1, 0, 7));
}

TEST(Rank, CountsTheDimensions) {
  const auto rank = [](const TensorValue& x) {
    return ValuesOf<int32_t>(
        RunOperator(Case(BuiltinOperator::RANK, {x}, ElementType::kInt32)));
  };
  EXPECT_THAT(rank(Numbered<float>({1, 2, 3})), ElementsAre(3));
  EXPECT_THAT(rank(Values<bool>({}, {true})), ElementsAre(0));
  EXPECT_THAT(ErrorOf(Case(BuiltinOperator::RANK, {Numbered<float>({1})},
                           ElementType::kInt64)),
              HasSubstr("its type is INT64; expected INT32"));
}

TEST(BroadcastArgs, ReturnsTheShapeOfBoth) {
  const auto both = [](const TensorValue& a, const TensorValue& b) {
    return Case(BuiltinOperator::BROADCAST_ARGS, {a, b}, a.type);
  };
  const auto outputs = RunOperator(
      both(Values<int32_t>({3}, {8, 1, 3}), Values<int32_t>({2}, {5, 1})));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(3));
  EXPECT_THAT(ValuesOf<int32_t>(outputs), ElementsAre(8, 5, 3));
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(
                  both(Values<int64_t>({0}, {}), Values<int64_t>({1}, {4})))),
              ElementsAre(4));
  EXPECT_THAT(
      ErrorOf(both(Values<int32_t>({1}, {2}), Values<int32_t>({1}, {3}))),
      HasSubstr("the inputs have shapes [2] and [3]"));
  EXPECT_THAT(
      ErrorOf(both(Values<int32_t>({1}, {-2}), Values<int32_t>({1}, {1}))),
      HasSubstr("it has a dimension of -2"));
  EXPECT_THAT(
      ErrorOf(both(Values<int32_t>({}, {2}), Values<int32_t>({1}, {3}))),
      HasSubstr("expected 1 dimensions"));
}

TEST(Fill, MakesATensorOfOneElement) {
  const auto outputs = RunOperator(
      Case(BuiltinOperator::FILL,
           {Values<int64_t>({2}, {2, 3}), Values<int16_t>({}, {-300})},
           ElementType::kInt16));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 3));
  EXPECT_THAT(ValuesOf<int16_t>(outputs),
              ElementsAre(-300, -300, -300, -300, -300, -300));
  EXPECT_THAT(ErrorOf(Case(BuiltinOperator::FILL,
                           {Values<int64_t>({1}, {-1}).Constant(),
                            Values<float>({}, {1})},
                           ElementType::kFloat32)),
              HasSubstr("it has a dimension of -1"));
  EXPECT_THAT(ErrorOf(Case(BuiltinOperator::FILL,
                           {Scalar(1), Values<float>({2}, {1, 2})},
                           ElementType::kFloat32)),
              HasSubstr("expected one element"));
}

TEST(ZerosLike, HasTheShapeOfItsInput) {
  const auto outputs =
      RunOperator(Case(BuiltinOperator::ZEROS_LIKE,
                       {Values<float>({1, 2}, {3, 4})}, ElementType::kFloat32));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(1, 2));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(0, 0));
}

template <typename T>
OperatorCase Range(T start, T limit, T delta) {
  return Case(BuiltinOperator::RANGE,
              {Values<T>({}, {start}).Constant(), Values<T>({}, {limit}),
               Values<T>({}, {delta}).Constant()},
              kElementTypeOf<T>);
}

TEST(RangeOperator, CountsUpAndDown) {
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(Range<int32_t>(1, 8, 3))),
              ElementsAre(1, 4, 7));
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(Range<int64_t>(1, -5, -3))),
              ElementsAre(1, -2));
  EXPECT_THAT(ValuesOf<float>(RunOperator(Range<float>(0, 1, 0.375))),
              ElementsAre(0, 0.375, 0.75));
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(Range<int32_t>(2, 2, 1))),
              ElementsAre());
}

TEST(RangeOperator, ReachesBothEndsOfItsType) {
  constexpr auto kMin = std::numeric_limits<int64_t>::min();
  constexpr auto kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(Range(kMin, kMax, kMax))),
              ElementsAre(kMin, -1, kMax - 1));
}

TEST(RangeOperator, RefusesStepsThatLeadNowhere) {
  EXPECT_THAT(ErrorOf(Range<int32_t>(1, 5, 0)), HasSubstr("in steps of 0"));
  EXPECT_THAT(ErrorOf(Range<int32_t>(1, 5, -1)), HasSubstr("in steps of -1"));
  EXPECT_THAT(ErrorOf(Range<int64_t>(0, int64_t{1} << 40, 1)),
              HasSubstr("fewer than 2^31"));
  EXPECT_THAT(ErrorOf(Range<float>(0, 1, 1e-30F)),
              HasSubstr("fewer than 2^31"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(ErrorOf(Range<float>(0, nan, 1)), HasSubstr("steps that lead"));
}

OperatorCase OneHot(TensorValue places, int32_t depth, int32_t axis) {
  OperatorCase result = Case(BuiltinOperator::ONE_HOT,
                             {std::move(places), Scalar(depth),
                              Values<float>({}, {5}), Values<float>({}, {-1})},
                             ElementType::kFloat32);
  tflite::OneHotOptionsT options;
  options.axis = axis;
  result.options.Set(options);
  return result;
}

TEST(OneHot, PutsTheNewAxisWhereAsked) {
  const auto places = Values<int32_t>({2, 2}, {0, 2, 1, 0});
  const auto last = RunOperator(OneHot(places, 3, -1));
  EXPECT_THAT(last->at(0).shape, ElementsAre(2, 2, 3));
  EXPECT_THAT(ValuesOf<float>(last), ElementsAre(5, -1, -1, -1, -1, 5,  //
                                                 -1, 5, -1, 5, -1, -1));
  const auto first = RunOperator(OneHot(places, 3, 0));
  EXPECT_THAT(first->at(0).shape, ElementsAre(3, 2, 2));
  EXPECT_THAT(ValuesOf<float>(first), ElementsAre(5, -1, -1, 5,   //
                                                  -1, -1, 5, -1,  //
                                                  -1, 5, -1, -1));
}

TEST(OneHot, PlacesBeyondAreNowhere) {
  EXPECT_THAT(ValuesOf<float>(
                  RunOperator(OneHot(Values<int64_t>({3}, {-1, 2, 1}), 2, -1))),
              ElementsAre(-1, -1, -1, -1, -1, 5));
  EXPECT_TRUE(
      ValuesOf<float>(RunOperator(OneHot(Values<int32_t>({1}, {0}), 0, -1)))
          .empty());
}

TEST(OneHot, RefusesNegativeDepths) {
  EXPECT_THAT(ErrorOf(OneHot(Values<int32_t>({1}, {0}), -1, -1)),
              HasSubstr("it is -1; expected 0 to 2^31 - 1"));
  EXPECT_THAT(ErrorOf(OneHot(Values<int32_t>({1}, {0}), 1, 2)),
              HasSubstr("axis 2 is out of range; expected -2 to 1"));
}

}  // namespace
}  // namespace stowage::harness
