// SPDX-License-Identifier: Apache-2.0
// Tests GATHER_ND.
#include <cstdint>
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

OperatorCase GatherNdGather(TensorValue from, TensorValue indices) {
  OperatorCase result{BuiltinOperator::GATHER_ND};
  result.outputs = {Output(from.type, {})};
  result.inputs = {std::move(from), std::move(indices)};
  return result;
}

TEST(GatherNd, RowsNameElements) {
  const auto outputs =
      RunOperator(GatherNdGather(Values<float>({2, 3}, {0, 1, 2, 10, 11, 12}),
                                 Values<int32_t>({3, 2}, {1, 2, 0, 0, 1, 0})));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(3));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(12, 0, 10));
}

TEST(GatherNd, ShorterRowsNameSlices) {
  const auto outputs =
      RunOperator(GatherNdGather(Values<int8_t>({3, 2}, {0, 1, 10, 11, 20, 21}),
                                 Values<int64_t>({1, 2, 1}, {2, 0})));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(1, 2, 2));
  EXPECT_THAT(ValuesOf<int8_t>(outputs), ElementsAre(20, 21, 0, 1));
}

TEST(GatherNd, EmptyRowsNameTheWhole) {
  const auto outputs = RunOperator(GatherNdGather(Values<int32_t>({2}, {7, 8}),
                                                  Values<int32_t>({2, 0}, {})));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2));
  EXPECT_THAT(ValuesOf<int32_t>(outputs), ElementsAre(7, 8, 7, 8));
}

TEST(GatherNd, RefusesIndicesBeyond) {
  const auto from = Values<float>({2, 2}, {0, 1, 2, 3});
  EXPECT_THAT(
      ErrorOf(GatherNdGather(from, Values<int32_t>({1, 2}, {1, 2}))),
      HasSubstr("index 2 of dimension 1 is out of range; expected 0 to 1"));
  EXPECT_THAT(
      ErrorOf(GatherNdGather(from, Values<int32_t>({1, 1}, {-1}))),
      HasSubstr("index -1 of dimension 0 is out of range; expected 0 to 1"));
  EXPECT_THAT(ErrorOf(GatherNdGather(from, Values<int32_t>({1, 3}, {0, 0, 0}))),
              HasSubstr("expected a last dimension of 0 to 2"));
  EXPECT_THAT(ErrorOf(GatherNdGather(from, Values<int32_t>({}, {0}))),
              HasSubstr("expected a last dimension of 0 to 2"));
  EXPECT_THAT(ErrorOf(GatherNdGather(from, Values<float>({1, 1}, {0}))),
              HasSubstr("its type is FLOAT32"));
}

}  // namespace
}  // namespace stowage::harness
