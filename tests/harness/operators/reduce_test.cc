// SPDX-License-Identifier: Apache-2.0
// Tests MEAN, SUM, REDUCE_MAX and the other reductions.
#include <cmath>
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
using tflite::BuiltinOperator;

OperatorCase Reduce(BuiltinOperator code, const TensorValue& input,
                    const std::vector<int32_t>& axes, bool keep_dims = false,
                    const Quantization& output = {}) {
  tflite::ReducerOptionsT options;
  options.keep_dims = keep_dims;
  OperatorCase c{code};
  c.options.Set(options);
  c.inputs = {
      input,
      Values<int32_t>({static_cast<int32_t>(axes.size())}, axes).Constant()};
  c.outputs = {Output(input.type, {1}, output)};
  return c;
}

TensorValue ReducedTensor() {
  return Values<float>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}

struct AxesCase {
  const char* name;
  std::vector<int32_t> axes;
  bool keep_dims;
  std::vector<float> sums;
  Shape shape;
};

class Axes : public ::testing::TestWithParam<AxesCase> {};

TEST_P(Axes, OfASum) {
  const AxesCase& c = GetParam();
  OperatorCase sum =
      Reduce(BuiltinOperator::SUM, ReducedTensor(), c.axes, c.keep_dims);
  for (const bool is_constant : {true, false}) {
    sum.inputs[1].is_constant = is_constant;
    const auto outputs = RunOperator(sum);
    EXPECT_THAT(ValuesOf<float>(outputs), ElementsAreArray(c.sums));
    EXPECT_EQ(outputs->at(0).shape, c.shape);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Reduce, Axes,
    ::testing::Values(
        AxesCase{"First", {0}, false, {8, 10, 12, 14, 16, 18}, {3, 2}},
        AxesCase{"Middle", {1}, false, {9, 12, 27, 30}, {2, 2}},
        AxesCase{"Last", {-1}, false, {3, 7, 11, 15, 19, 23}, {2, 3}},
        AxesCase{"Outer", {0, 2}, true, {18, 26, 34}, {1, 3, 1}},
        AxesCase{"Twice", {1, -2}, true, {9, 12, 27, 30}, {2, 1, 2}},
        AxesCase{"All", {0, 1, 2}, false, {78}, {}},
        AxesCase{"None",
                 {},
                 false,
                 {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                 {2, 3, 2}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(Reduce, AnAxisBeyondTheShapeIsAnError) {
  EXPECT_THAT(std::string(RunOperator(Reduce(BuiltinOperator::MEAN,
                                             ReducedTensor(), {3}))
                              .status()
                              .message()),
              HasSubstr("axis 3 is out of range; expected -3 to 2"));
}

TEST(Reduce, OfNothing) {
  const auto empty = Values<float>({0, 2}, {});
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(Reduce(BuiltinOperator::SUM, empty, {0}))),
      ElementsAre(0, 0));
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(Reduce(BuiltinOperator::MEAN, empty, {1}))),
      ElementsAre());
  EXPECT_THAT(ValuesOf<float>(
                  RunOperator(Reduce(BuiltinOperator::REDUCE_MAX, empty, {0}))),
              ElementsAre(std::numeric_limits<float>::lowest(),
                          std::numeric_limits<float>::lowest()));
}

TEST(Mean, OfRealAndWholeNumbers) {
  EXPECT_THAT(ValuesOf<float>(RunOperator(
                  Reduce(BuiltinOperator::MEAN, ReducedTensor(), {0, 1}))),
              ElementsAre(6, 7));
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(Reduce(
                  BuiltinOperator::MEAN,
                  Values<int32_t>({3}, {2147483647, 2147483647, 5}), {0}))),
              ElementsAre(1431655766));
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(Reduce(
                  BuiltinOperator::MEAN, Values<int64_t>({2}, {-3, -4}), {0}))),
              ElementsAre(-3));
}

TEST(Mean, OfOneScaleIsRoundedToZero) {
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(
                  Reduce(BuiltinOperator::MEAN,
                         Values<int8_t>({2, 2}, {1, -1, 2, -2}, Scaled(1, 3)),
                         {0}, true, Scaled(1, 3)))),
              ElementsAre(1, -1));
}

// Tests all quantized types with more outputs than the kernel computes in one
// block.
template <typename T>
void IsNearRealMean(BuiltinOperator code) {
  const auto rows = *rc::gen::inRange(1, 9);
  const auto columns = *rc::gen::element(1, 3, 70);
  const auto values = *rc::gen::container<std::vector<T>>(
      static_cast<size_t>(rows * columns), rc::gen::arbitrary<T>());
  const Quantization in = Scaled(0.5F, 7);
  const Quantization out = Scaled(*rc::gen::element(0.25F, 0.7F, 4.0F), 2);
  const auto results = ValuesOf<T>(RunOperator(
      Reduce(code, Values<T>({rows, columns}, values, in), {0}, false, out)));
  RC_ASSERT(results.size() == static_cast<size_t>(columns));
  for (int c = 0; c < columns; ++c) {
    double sum = 0;
    for (int r = 0; r < rows; ++r) {
      sum += 0.5 * (values[static_cast<size_t>(r * columns + c)] - 7);
    }
    if (code == BuiltinOperator::MEAN) sum /= rows;
    const double steps = std::clamp<double>(sum / double{out.scale()} + 2,
                                            std::numeric_limits<T>::min(),
                                            std::numeric_limits<T>::max());
    RC_ASSERT(std::abs(results[static_cast<size_t>(c)] - steps) <= 1);
  }
}

RC_GTEST_PROP(QuantizedMean, IsNearTheRealOne, ()) {
  IsNearRealMean<int8_t>(BuiltinOperator::MEAN);
  IsNearRealMean<uint8_t>(BuiltinOperator::MEAN);
  IsNearRealMean<int16_t>(BuiltinOperator::MEAN);
}

RC_GTEST_PROP(QuantizedSum, IsNearTheRealOne, ()) {
  IsNearRealMean<int8_t>(BuiltinOperator::SUM);
  IsNearRealMean<uint8_t>(BuiltinOperator::SUM);
}

TEST(ReduceMax, OfAllTypes) {
  const auto max = BuiltinOperator::REDUCE_MAX;
  EXPECT_THAT(ValuesOf<float>(RunOperator(Reduce(max, ReducedTensor(), {1}))),
              ElementsAre(5, 6, 11, 12));
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(
                  Reduce(max, Values<int8_t>({2}, {-128, -127}), {0}))),
              ElementsAre(-127));
  EXPECT_THAT(ValuesOf<uint8_t>(RunOperator(
                  Reduce(max, Values<uint8_t>({2}, {3, 200}), {0}))),
              ElementsAre(200));
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(
                  Reduce(max, Values<int64_t>({2}, {-5, 1LL << 40}), {0}))),
              ElementsAre(1LL << 40));
}

TEST(ReduceMin, OfAllTypes) {
  const auto min = BuiltinOperator::REDUCE_MIN;
  EXPECT_THAT(ValuesOf<float>(RunOperator(Reduce(min, ReducedTensor(), {1}))),
              ElementsAre(1, 2, 7, 8));
  EXPECT_THAT(ValuesOf<int16_t>(RunOperator(
                  Reduce(min, Values<int16_t>({2}, {32767, 32766}), {0}))),
              ElementsAre(32766));
  EXPECT_THAT(ValuesOf<int32_t>(
                  RunOperator(Reduce(min, Values<int32_t>({2}, {-1, 1}), {0}))),
              ElementsAre(-1));
}

TEST(ReduceMax, ScalesMustBeEqual) {
  EXPECT_THAT(
      std::string(RunOperator(Reduce(BuiltinOperator::REDUCE_MAX,
                                     Values<int8_t>({1}, {1}, Scaled(1, 0)),
                                     {0}, false, Scaled(2, 0)))
                      .status()
                      .message()),
      HasSubstr("expected them to be equal"));
}

TEST(ReduceProd, OfNumbers) {
  const auto product = BuiltinOperator::REDUCE_PROD;
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(Reduce(product, ReducedTensor(), {2}))),
      ElementsAre(2, 12, 30, 56, 90, 132));
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(Reduce(
                  product, Values<int32_t>({3}, {65536, 65536, 3}), {0}))),
              ElementsAre(0));
}

TEST(ReduceAnyAndAll, OfBools) {
  TensorValue bools = Values<uint8_t>({3, 2}, {0, 0, 0, 1, 1, 1});
  bools.type = ElementType::kBool;
  EXPECT_THAT(ValuesOf<bool>(
                  RunOperator(Reduce(BuiltinOperator::REDUCE_ANY, bools, {1}))),
              ElementsAre(false, true, true));
  EXPECT_THAT(ValuesOf<bool>(
                  RunOperator(Reduce(BuiltinOperator::REDUCE_ALL, bools, {1}))),
              ElementsAre(false, false, true));
}

}  // namespace
}  // namespace stowage::harness
