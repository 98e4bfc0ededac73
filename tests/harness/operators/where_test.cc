// SPDX-License-Identifier: Apache-2.0
// Tests WHERE.
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
using ::testing::HasSubstr;

OperatorCase Where(TensorValue condition,
                   ElementType output = ElementType::kInt64) {
  OperatorCase result{tflite::BuiltinOperator::WHERE};
  result.inputs = {std::move(condition)};
  result.outputs = {Output(output, {})};
  return result;
}

TEST(Where, ListsThePositionsOfTruths) {
  const auto condition =
      Values<bool>({2, 3}, {true, false, true, false, false, true});
  for (const TensorValue& x : {condition, condition.Constant()}) {
    const auto outputs = RunOperator(Where(x));
    EXPECT_THAT(outputs->at(0).shape, ElementsAre(3, 2));
    EXPECT_THAT(ValuesOf<int64_t>(outputs), ElementsAre(0, 0, 0, 2, 1, 2));
  }
}

TEST(Where, ListsWhatIsNotZero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(
                  Where(Values<float>({5}, {0, 1, -0.0F, nan, -1e-40F})))),
              ElementsAre(1, 3, 4));
  EXPECT_THAT(
      ValuesOf<int64_t>(RunOperator(Where(Values<int8_t>({3}, {-1, 0, 1})))),
      ElementsAre(0, 2));
  EXPECT_THAT(ValuesOf<int64_t>(
                  RunOperator(Where(Values<int64_t>({2}, {0, 1LL << 40})))),
              ElementsAre(1));
}

TEST(Where, OfNothingScalarsAndFalsehoods) {
  EXPECT_THAT(RunOperator(Where(Values<bool>({0, 3}, {})))->at(0).shape,
              ElementsAre(0, 2));
  EXPECT_THAT(RunOperator(Where(Values<bool>({}, {true})))->at(0).shape,
              ElementsAre(1, 0));
  EXPECT_THAT(RunOperator(Where(Values<bool>({}, {false})))->at(0).shape,
              ElementsAre(0, 0));
  EXPECT_THAT(RunOperator(Where(Values<int32_t>({2}, {0, 0})))->at(0).shape,
              ElementsAre(0, 1));
}

TEST(Where, Refuses) {
  EXPECT_THAT(ErrorOf(Where(Values<bool>({1}, {true}), ElementType::kInt32)),
              HasSubstr("its type is INT32; expected INT64"));
  EXPECT_THAT(ErrorOf(Where(Values<double>({1}, {1}))),
              HasSubstr("its type is FLOAT64"));
}

RC_GTEST_PROP(Where, FindsEachTruth, ()) {
  const Shape shape = {*rc::gen::inRange(0, 4), *rc::gen::inRange(0, 4),
                       *rc::gen::inRange(0, 4)};
  const auto count = static_cast<size_t>(*ElementCount(shape));
  const auto values =
      *rc::gen::container<std::vector<int32_t>>(count, rc::gen::inRange(0, 2));
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < shape[0]; ++i) {
    for (int64_t j = 0; j < shape[1]; ++j) {
      for (int64_t k = 0; k < shape[2]; ++k) {
        if (values[static_cast<size_t>((i * shape[1] + j) * shape[2] + k)] !=
            0) {
          expected.insert(expected.end(), {i, j, k});
        }
      }
    }
  }
  RC_ASSERT(ValuesOf<int64_t>(RunOperator(
                Where(Values<int32_t>(shape, values)))) == expected);
}

}  // namespace
}  // namespace stowage::harness
