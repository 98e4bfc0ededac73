// SPDX-License-Identifier: Apache-2.0
// Tests TOPK_V2.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
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

OperatorCase TopK(TensorValue x, TensorValue k,
                  ElementType places = ElementType::kInt32) {
  OperatorCase result{tflite::BuiltinOperator::TOPK_V2};
  result.outputs = {Output(x.type, {}, x.quantization), Output(places, {})};
  result.inputs = {std::move(x), std::move(k)};
  return result;
}

TensorValue KOf(int32_t k) { return Values<int32_t>({}, {k}).Constant(); }

TEST(TopK, TheLargestOfEachRow) {
  const auto outputs =
      RunOperator(TopK(Values<float>({2, 3}, {-2, 0.5F, 1, 7, 9, 8}), KOf(2)));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2));
  EXPECT_THAT(outputs->at(1).shape, ElementsAre(2, 2));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(1, 0.5, 9, 8));
  EXPECT_THAT(ValuesOf<int32_t>(outputs, 1), ElementsAre(2, 1, 1, 2));
}

TEST(TopK, OfEqualElementsTheFirst) {
  const auto outputs =
      RunOperator(TopK(Values<int8_t>({5}, {3, 5, 3, 5, 3}), KOf(4)));
  EXPECT_THAT(ValuesOf<int8_t>(outputs), ElementsAre(5, 5, 3, 3));
  EXPECT_THAT(ValuesOf<int32_t>(outputs, 1), ElementsAre(1, 3, 0, 2));
}

TEST(TopK, NotANumberComesLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(
      ValuesOf<int32_t>(
          RunOperator(TopK(
              Values<float>({5}, {nan, -infinity, nan, 1, infinity}), KOf(5))),
          1),
      ElementsAre(4, 3, 1, 0, 2));
}

TEST(TopK, OfNoneIsNothing) {
  const auto outputs = RunOperator(TopK(Numbered<int64_t>({2, 3}), KOf(0)));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 0));
  EXPECT_THAT(outputs->at(1).shape, ElementsAre(2, 0));
}

TEST(TopK, CountMayBeComputed) {
  for (const TensorValue& k :
       {Values<int16_t>({}, {1}), Values<int32_t>({1}, {1}),
        Values<int64_t>({}, {1})}) {
    const auto outputs = RunOperator(TopK(Numbered<uint8_t>({2, 2}), k));
    EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 1));
    EXPECT_THAT(ValuesOf<uint8_t>(outputs), ElementsAre(1, 3));
    EXPECT_THAT(ValuesOf<int32_t>(outputs, 1), ElementsAre(1, 1));
  }
}

TEST(TopK, PlacesMayHave16Bits) {
  EXPECT_THAT(ValuesOf<int16_t>(RunOperator(TopK(Numbered<int16_t>({300}),
                                                 KOf(2), ElementType::kInt16)),
                                1),
              ElementsAre(299, 298));
  EXPECT_THAT(
      ErrorOf(TopK(Numbered<int16_t>({40000}), KOf(2), ElementType::kInt16)),
      HasSubstr("its rows have 40000 elements; expected at most 32767"));
}

TEST(TopK, RefusesMoreThanThereAre) {
  const auto x = Numbered<float>({2, 3});
  EXPECT_THAT(ErrorOf(TopK(x, KOf(4))),
              HasSubstr("k is 4; expected 0 to 3, the elements of a row"));
  EXPECT_THAT(ErrorOf(TopK(x, Values<int64_t>({}, {4}))),
              HasSubstr("k is 4; expected 0 to 3"));
  EXPECT_THAT(ErrorOf(TopK(x, KOf(-1))), HasSubstr("k is -1"));
  EXPECT_THAT(ErrorOf(TopK(x, Values<int32_t>({2}, {1, 1}))),
              HasSubstr("its shape is [2]; expected one element"));
  EXPECT_THAT(ErrorOf(TopK(x, Values<float>({}, {1}))),
              HasSubstr("its type is FLOAT32"));
  EXPECT_THAT(ErrorOf(TopK(Values<float>({}, {1}), KOf(1))),
              HasSubstr("dimensions"));
  EXPECT_THAT(ErrorOf(TopK(Values<bool>({1}, {true}), KOf(1))),
              HasSubstr("its type is BOOL"));
  EXPECT_THAT(ErrorOf(TopK(x, KOf(1), ElementType::kInt64)),
              HasSubstr("its type is INT64; expected INT16 or INT32"));
}

template <typename T>
void EqualsASort() {
  const auto row = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<T>>(rc::gen::inRange<T>(0, 6)));
  const auto depth = static_cast<int32_t>(row.size());
  const int32_t k = *rc::gen::inRange(0, depth + 1);
  const auto outputs = RunOperator(TopK(Values<T>({1, depth}, row), KOf(k)));
  std::vector<int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return row[static_cast<size_t>(a)] > row[static_cast<size_t>(b)];
  });
  order.resize(static_cast<size_t>(k));
  std::vector<T> values;
  for (const int32_t place : order) {
    values.push_back(row[static_cast<size_t>(place)]);
  }
  RC_ASSERT(ValuesOf<T>(outputs) == values);
  RC_ASSERT(ValuesOf<int32_t>(outputs, 1) == order);
}

RC_GTEST_PROP(TopK, EqualsASort, ()) {
  EqualsASort<int32_t>();
  EqualsASort<int8_t>();
  EqualsASort<int64_t>();
}

}  // namespace
}  // namespace stowage::harness
