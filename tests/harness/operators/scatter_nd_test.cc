// SPDX-License-Identifier: Apache-2.0
// Tests SCATTER_ND.
#include <cstdint>
#include <map>
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

OperatorCase ScatterNd(TensorValue indices, TensorValue updates,
                       const std::vector<int32_t>& shape,
                       bool is_constant = true) {
  OperatorCase result{tflite::BuiltinOperator::SCATTER_ND};
  result.outputs = {Output(updates.type, {})};
  TensorValue to = Values<int32_t>({static_cast<int32_t>(shape.size())}, shape);
  to.is_constant = is_constant;
  result.inputs = {std::move(indices), std::move(updates), std::move(to)};
  return result;
}

TEST(ScatterNd, RowsNameElements) {
  for (const bool is_constant : {false, true}) {
    const auto outputs = RunOperator(
        ScatterNd(Values<int32_t>({3, 2}, {1, 2, 0, 0, 1, 0}),
                  Values<float>({3}, {7, 8, 9}), {2, 3}, is_constant));
    EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 3));
    EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(8, 0, 0, 9, 0, 7));
  }
}

TEST(ScatterNd, ShorterRowsNameSlices) {
  const auto outputs =
      RunOperator(ScatterNd(Values<int64_t>({2, 1}, {3, 1}),
                            Values<int8_t>({2, 2}, {1, 2, 3, 4}), {4, 2}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(4, 2));
  EXPECT_THAT(ValuesOf<int8_t>(outputs), ElementsAre(0, 0, 3, 4, 0, 0, 1, 2));
}

TEST(ScatterNd, AddsWhatGoesToOnePlace) {
  const auto indices = Values<int32_t>({3, 1}, {1, 0, 1});
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(
                  ScatterNd(indices, Values<int32_t>({3}, {5, 6, 7}), {2}))),
              ElementsAre(6, 12));
  EXPECT_THAT(ValuesOf<uint8_t>(RunOperator(ScatterNd(
                  indices, Values<uint8_t>({3}, {200, 6, 100}), {2}))),
              ElementsAre(6, 44));
  EXPECT_THAT(ValuesOf<bool>(RunOperator(ScatterNd(
                  indices, Values<bool>({3}, {true, false, false}), {3}))),
              ElementsAre(false, true, false));
}

TEST(ScatterNd, EmptyRowsNameTheWhole) {
  EXPECT_THAT(ValuesOf<float>(RunOperator(
                  ScatterNd(Values<int32_t>({2, 0}, {}),
                            Values<float>({2, 2}, {1, 2, 10, 20}), {2}))),
              ElementsAre(11, 22));
}

TEST(ScatterNd, OfNothing) {
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(ScatterNd(
          Values<int32_t>({0, 1}, {}), Values<float>({0, 2}, {}), {1, 2}))),
      ElementsAre(0, 0));
  EXPECT_THAT(RunOperator(ScatterNd(Values<int32_t>({1, 1}, {1}),
                                    Values<float>({1, 0}, {}), {2, 0}))
                  ->at(0)
                  .shape,
              ElementsAre(2, 0));
  EXPECT_THAT(RunOperator(ScatterNd(Values<int32_t>({2147483647, 0}, {}),
                                    Values<float>({2147483647, 0}, {}), {0}))
                  ->at(0)
                  .shape,
              ElementsAre(0));
}

TEST(ScatterNd, RefusesIndicesBeyond) {
  const auto one = Values<float>({1}, {1});
  EXPECT_THAT(
      ErrorOf(ScatterNd(Values<int32_t>({1, 2}, {1, 2}), one, {2, 2})),
      HasSubstr("index 2 of dimension 1 is out of range; expected 0 to 1"));
  EXPECT_THAT(
      ErrorOf(ScatterNd(Values<int64_t>({1, 2}, {-1, 0}), one, {2, 2})),
      HasSubstr("index -1 of dimension 0 is out of range; expected 0 to 1"));
  EXPECT_THAT(ErrorOf(ScatterNd(Values<int32_t>({1, 1}, {0}), one, {0})),
              HasSubstr("index 0 of dimension 0 is out of range; expected "
                        "none, since the dimension is 0"));
  EXPECT_THAT(ErrorOf(ScatterNd(Values<int32_t>({1, 1}, {2}),
                                Values<float>({1, 0}, {}), {2, 0})),
              HasSubstr("index 2 of dimension 0"));
}

TEST(ScatterNd, RefusesOtherShapes) {
  const auto one = Values<float>({1}, {1});
  EXPECT_THAT(
      ErrorOf(ScatterNd(Values<int32_t>({1, 3}, {0, 0, 0}), one, {2, 2})),
      HasSubstr("expected a last dimension of 0 to 2"));
  EXPECT_THAT(ErrorOf(ScatterNd(Values<int32_t>({}, {0}), one, {2})),
              HasSubstr("expected a last dimension of 0 to 1"));
  EXPECT_THAT(ErrorOf(ScatterNd(Values<int32_t>({1, 1}, {0}), one, {2, 2})),
              HasSubstr("its shape is [1]; expected [1, 2], for indices of [1, "
                        "1] and an output of [2, 2]"));
  EXPECT_THAT(ErrorOf(ScatterNd(Values<int32_t>({1, 1}, {0}), one, {-1})),
              HasSubstr("it has a dimension of -1"));
  EXPECT_THAT(ErrorOf(ScatterNd(Values<float>({1, 1}, {0}), one, {1})),
              HasSubstr("its type is FLOAT32; expected INT32 or INT64"));
}

RC_GTEST_PROP(ScatterNd, EqualsAMap, ()) {
  const Shape shape = {*rc::gen::inRange(1, 5), *rc::gen::inRange(1, 5)};
  const int32_t rows = *rc::gen::inRange(0, 20);
  std::vector<int32_t> indices;
  std::vector<int32_t> updates;
  std::map<int32_t, int32_t> sums;
  for (int32_t i = 0; i < rows; ++i) {
    indices.push_back(*rc::gen::inRange(0, shape[0]));
    indices.push_back(*rc::gen::inRange(0, shape[1]));
    updates.push_back(*rc::gen::arbitrary<int16_t>());
    const auto at = static_cast<size_t>(2 * i);
    sums[indices[at] * shape[1] + indices[at + 1]] += updates.back();
  }
  const auto outputs = ValuesOf<int32_t>(
      RunOperator(ScatterNd(Values<int32_t>({rows, 2}, indices),
                            Values<int32_t>({rows}, updates), shape)));
  for (size_t i = 0; i < outputs.size(); ++i) {
    RC_ASSERT(outputs[i] == sums[static_cast<int32_t>(i)]);
  }
}

}  // namespace
}  // namespace stowage::harness
