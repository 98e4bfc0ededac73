// SPDX-License-Identifier: Apache-2.0
// Tests CONCATENATION, PACK and UNPACK.
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

OperatorCase Concatenate(std::vector<TensorValue> inputs, int32_t axis,
                         Quantization to = {}) {
  OperatorCase result{BuiltinOperator::CONCATENATION};
  tflite::ConcatenationOptionsT options;
  options.axis = axis;
  result.options.Set(options);
  result.outputs = {
      Output(inputs.empty() ? ElementType::kFloat32 : inputs[0].type, {},
             std::move(to))};
  result.inputs = std::move(inputs);
  return result;
}

TEST(Concatenation, InterleavesRowsAlongAnInnerAxis) {
  const auto outputs = RunOperator(Concatenate(
      {Values<float>({2, 1, 2}, {1, 2, 3, 4}), Values<float>({2, 0, 2}, {}),
       Values<float>({2, 2, 2}, {5, 6, 7, 8, 9, 10, 11, 12})},
      -2));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 3, 2));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(1, 2, 5, 6, 7, 8, 3, 4, 9, 10, 11, 12));
}

TEST(Concatenation, CopiesQuantisedNumbersOfOneScale) {
  const auto x = Values<int8_t>({2}, {-128, 127}, Scaled(0.1F, -7));
  EXPECT_THAT(
      ValuesOf<int8_t>(RunOperator(Concatenate({x, x}, 0, Scaled(0.1F, -7)))),
      ElementsAre(-128, 127, -128, 127));
}

TEST(Concatenation, CopiesWhateverIsWiderThanBytesWithScalesOfItsOwn) {
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(Concatenate(
          {Values<float>({2}, {1, 2}, Scaled(1, 3)), Values<float>({1}, {3})},
          0))),
      ElementsAre(1, 2, 3));
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(Concatenate(
                  {Values<int64_t>({1}, {5}), Values<int64_t>({1}, {6})}, 0,
                  Scaled(0.5F, 0)))),
              ElementsAre(5, 6));
}

TEST(Concatenation, BringsBytesToTheOutputsScale) {
  const auto outputs = RunOperator(
      Concatenate({Values<uint8_t>({2, 1}, {10, 255}, Scaled(0.5, 10)),
                   Values<uint8_t>({2, 2}, {3, 7, 100, 101}, Scaled(1, 10)),
                   Values<uint8_t>({2, 1}, {5, 6}, Scaled(2, 3))},
                  1, Scaled(1, 10)));
  // The values 122.5 and 0.5 + 10 are rounded away from zero.
  EXPECT_THAT(ValuesOf<uint8_t>(outputs),
              ElementsAre(10, 3, 7, 14, 133, 100, 101, 16));
}

TEST(Concatenation, KeepsBytesInRangeWhateverTheScales) {
  const auto rescaled = [](float from, float to) {
    return ValuesOf<uint8_t>(RunOperator(
        Concatenate({Values<uint8_t>({2}, {0, 255}, Scaled(from, 128))}, 0,
                    Scaled(to, 5))));
  };
  EXPECT_THAT(rescaled(1e30F, 1e-5F), ElementsAre(0, 255));
  // The intermediate result exceeds the range of single precision, so it is not
  // a number. It must nevertheless be converted to a byte.
  EXPECT_THAT(rescaled(3e38F, 1e-38F), ElementsAre(0, 0));
}

TEST(Concatenation, RefusesWhatDoesNotFit) {
  const auto x = Values<int8_t>({1, 2}, {1, 2}, Scaled(1, 0));
  const auto y = Values<int8_t>({1, 2}, {1, 2}, Scaled(2, 0));
  EXPECT_THAT(ErrorOf(Concatenate({x, y}, 0, Scaled(1, 0))),
              HasSubstr("its scale is 2 and its zero point 0; expected 1"));
  EXPECT_THAT(ErrorOf(Concatenate({x, x}, 2, Scaled(1, 0))),
              HasSubstr("axis 2 is out of range; expected -2 to 1"));
  EXPECT_THAT(ErrorOf(Concatenate({}, 0)), HasSubstr("it has 0 inputs"));
  const auto z = Values<int8_t>({1, 3}, {1, 2, 3}, Scaled(1, 0));
  EXPECT_THAT(ErrorOf(Concatenate({x, z}, 0, Scaled(1, 0))),
              HasSubstr("its shape is [1, 3]; expected [1, 2]"));
  EXPECT_THAT(ErrorOf(Concatenate({x, Values<uint8_t>({1, 2}, {1, 2})}, 0,
                                  Scaled(1, 0))),
              HasSubstr("its type is UINT8; expected INT8"));
}

TEST(Concatenation, RefusesDimensionsBeyond32Bits) {
  const auto half = Values<float>({1 << 30, 0}, {});
  EXPECT_THAT(ErrorOf(Concatenate({half, half}, 0)),
              HasSubstr("fewer than 2^31"));
}

TEST(Concatenation, RefusesActivations) {
  OperatorCase c = Concatenate({Values<float>({1}, {1})}, 0);
  tflite::ConcatenationOptionsT options;
  options.fused_activation_function = tflite::ActivationFunctionType::RELU;
  c.options.Set(options);
  EXPECT_THAT(ErrorOf(c), HasSubstr("fused activation; expected none"));
}

OperatorCase PackOf(std::vector<TensorValue> inputs, int32_t axis) {
  OperatorCase result{BuiltinOperator::PACK};
  tflite::PackOptionsT options;
  options.values_count = static_cast<int32_t>(inputs.size());
  options.axis = axis;
  result.options.Set(options);
  result.inputs = std::move(inputs);
  result.outputs = {Output(ElementType::kInt16, {})};
  return result;
}

TEST(Pack, StacksAlongANewAxis) {
  const auto a = Values<int16_t>({2, 2}, {1, 2, 3, 4});
  const auto b = Values<int16_t>({2, 2}, {5, 6, 7, 8});
  const auto outputs = RunOperator(PackOf({a, b, a}, 1));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 3, 2));
  EXPECT_THAT(ValuesOf<int16_t>(outputs),
              ElementsAre(1, 2, 5, 6, 1, 2, 3, 4, 7, 8, 3, 4));
  EXPECT_THAT(ValuesOf<int16_t>(RunOperator(PackOf({a, b}, -1))),
              ElementsAre(1, 5, 2, 6, 3, 7, 4, 8));
}

TEST(Pack, RefusesOtherShapes) {
  EXPECT_THAT(
      ErrorOf(PackOf(
          {Values<int16_t>({2}, {1, 2}), Values<int16_t>({1, 2}, {1, 2})}, 0)),
      HasSubstr("its shape is [1, 2]; expected [2]"));
  EXPECT_THAT(ErrorOf(PackOf({Values<int16_t>({}, {1})}, 1)),
              HasSubstr("axis 1 is out of range; expected -1 to 0"));
}

OperatorCase UnpackOf(int32_t axis, size_t outputs) {
  OperatorCase result{BuiltinOperator::UNPACK};
  tflite::UnpackOptionsT options;
  options.num = static_cast<int32_t>(outputs);
  options.axis = axis;
  result.options.Set(options);
  result.inputs = {Values<int64_t>({2, 3}, {1, 2, 3, 4, 5, 6})};
  result.outputs.assign(outputs, Output(ElementType::kInt64, {}));
  return result;
}

TEST(Unpack, TakesApartAlongAnAxis) {
  const auto columns = RunOperator(UnpackOf(-1, 3));
  EXPECT_THAT(columns->at(0).shape, ElementsAre(2));
  EXPECT_THAT(ValuesOf<int64_t>(columns, 0), ElementsAre(1, 4));
  EXPECT_THAT(ValuesOf<int64_t>(columns, 1), ElementsAre(2, 5));
  EXPECT_THAT(ValuesOf<int64_t>(columns, 2), ElementsAre(3, 6));
  EXPECT_THAT(ValuesOf<int64_t>(RunOperator(UnpackOf(0, 2)), 1),
              ElementsAre(4, 5, 6));
}

TEST(Unpack, HasAnOutputForEachElement) {
  EXPECT_THAT(ErrorOf(UnpackOf(0, 3)),
              HasSubstr("it has 3 outputs; expected 2"));
}

}  // namespace
}  // namespace stowage::harness
