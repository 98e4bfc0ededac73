// SPDX-License-Identifier: Apache-2.0
// Tests CUMSUM.
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

OperatorCase CumulativeSum(TensorValue x, TensorValue axis,
                           bool is_exclusive = false, bool is_reverse = false) {
  OperatorCase result{tflite::BuiltinOperator::CUMSUM};
  tflite::CumsumOptionsT options;
  options.exclusive = is_exclusive;
  options.reverse = is_reverse;
  result.options.Set(options);
  result.outputs = {Output(x.type, {})};
  result.inputs = {std::move(x), std::move(axis)};
  return result;
}

TensorValue AxisOf(int32_t axis) { return Values<int32_t>({}, {axis}); }

TEST(CumulativeSum, InBothDirectionsWithOrWithoutTheElement) {
  const struct {
    const char* name;
    int32_t axis;
    bool is_exclusive;
    bool is_reverse;
    std::vector<float> expected;
  } cases[] = {
      {"rows", 1, false, false, {1, 3, 6, 4, 9, 15}},
      {"columns", 0, false, false, {1, 2, 3, 5, 7, 9}},
      {"exclusive", -1, true, false, {0, 1, 3, 0, 4, 9}},
      {"reverse", 1, false, true, {6, 5, 3, 15, 11, 6}},
      {"both", 1, true, true, {5, 3, 0, 11, 6, 0}},
      {"both of columns", -2, true, true, {4, 5, 6, 0, 0, 0}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto outputs = RunOperator(
        CumulativeSum(Values<float>({2, 3}, {1, 2, 3, 4, 5, 6}), AxisOf(c.axis),
                      c.is_exclusive, c.is_reverse));
    EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 3));
    EXPECT_THAT(ValuesOf<float>(outputs), ElementsAreArray(c.expected));
  }
}

TEST(CumulativeSum, IntegersWrapAround) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(
                  CumulativeSum(Values<int32_t>({2}, {kMax, 1}), AxisOf(0)))),
              ElementsAre(kMax, std::numeric_limits<int32_t>::min()));
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(CumulativeSum(
                  Values<int64_t>({2}, {kMax, 1}), AxisOf(0).Constant()))),
              ElementsAre(kMax, int64_t{kMax} + 1));
}

TEST(CumulativeSum, OfNothingIsNothing) {
  const auto outputs =
      RunOperator(CumulativeSum(Values<float>({0, 3}, {}), AxisOf(1)));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(0, 3));
}

TEST(CumulativeSum, RefusesOtherAxesAndTypes) {
  const auto x = Values<float>({2}, {1, 2});
  EXPECT_THAT(ErrorOf(CumulativeSum(x, AxisOf(1))),
              HasSubstr("axis 1 is out of range; expected -1 to 0"));
  EXPECT_THAT(ErrorOf(CumulativeSum(x, Values<int32_t>({2}, {0, 0}))),
              HasSubstr("it has 2 elements; expected 1"));
  EXPECT_THAT(ErrorOf(CumulativeSum(Values<bool>({1}, {true}), AxisOf(0))),
              HasSubstr("its type is BOOL"));
}

}  // namespace
}  // namespace stowage::harness
