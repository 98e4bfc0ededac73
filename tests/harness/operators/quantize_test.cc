// SPDX-License-Identifier: Apache-2.0
// Tests QUANTIZE and DEQUANTIZE.
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
using ::testing::HasSubstr;
using ::testing::IsNan;
using tflite::BuiltinOperator;

OperatorCase Convert(BuiltinOperator code, const TensorValue& input,
                     ElementType type, const Quantization& output = {}) {
  OperatorCase c{code};
  c.inputs = {input};
  c.outputs = {Output(type, {1}, output)};
  return c;
}

TEST(Quantize, RealNumbersAreRoundedHalvesAwayFromZero) {
  const auto input =
      Values<float>({6}, {-1.25F, -0.25F, 0.25F, 0.74F, 0, 1.25F});
  EXPECT_THAT(ValuesOf<int8_t>(
                  RunOperator(Convert(BuiltinOperator::QUANTIZE, input,
                                      ElementType::kInt8, Scaled(0.5F, 10)))),
              ElementsAre(7, 9, 11, 11, 10, 13));
  EXPECT_THAT(ValuesOf<int16_t>(
                  RunOperator(Convert(BuiltinOperator::QUANTIZE, input,
                                      ElementType::kInt16, Scaled(0.5F, 0)))),
              ElementsAre(-3, -1, 1, 1, 0, 3));
}

TEST(Quantize, WhatIsBeyondTheTypeIsItsEnd) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(ValuesOf<uint8_t>(RunOperator(Convert(
                  BuiltinOperator::QUANTIZE,
                  Values<float>({4}, {-kInfinity, -1, 3e38F, kInfinity}),
                  ElementType::kUint8, Scaled(1e-3F, 7)))),
              ElementsAre(0, 0, 255, 255));
  EXPECT_THAT(
      ValuesOf<int32_t>(RunOperator(Convert(
          BuiltinOperator::QUANTIZE, Values<float>({2}, {-kInfinity, 1e30F}),
          ElementType::kInt32, Scaled(1, 5)))),
      ElementsAre(std::numeric_limits<int32_t>::min(),
                  std::numeric_limits<int32_t>::max()));
}

TEST(Quantize, SignedToUnsigned) {
  EXPECT_THAT(ValuesOf<uint8_t>(RunOperator(Convert(
                  BuiltinOperator::QUANTIZE,
                  Values<int8_t>({3}, {-128, 0, 127}, Scaled(0.3F, -128)),
                  ElementType::kUint8, Scaled(0.3F, 0)))),
              ElementsAre(0, 128, 255));
}

TEST(Quantize, ToAnotherScale) {
  // 5 / 4 is rounded twice: first to 3 / 2, and then to 2.
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(Convert(
                  BuiltinOperator::QUANTIZE,
                  Values<int16_t>({4}, {-1000, 3, 5, 32767}, Scaled(0.5F, 0)),
                  ElementType::kInt8, Scaled(2, -1)))),
              ElementsAre(-128, 0, 1, 127));
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(
                  Convert(BuiltinOperator::QUANTIZE,
                          Values<int16_t>({2}, {-7, 9}, Scaled(1, 0)),
                          ElementType::kInt32, Scaled(0.25F, 0)))),
              ElementsAre(-28, 36));
}

TEST(Quantize, OfInt32FarFromItsZeroPoint) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(Convert(
                  BuiltinOperator::QUANTIZE,
                  Values<int32_t>({2}, {kMin, 1000}, Scaled(0x1p-30F, 1000)),
                  ElementType::kInt8, Scaled(0x1p-5F, 3)))),
              ElementsAre(-61, 3));
}

RC_GTEST_PROP(Dequantize, UndoesQuantizeOfWhatItMade, ()) {
  const auto values =
      *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<int8_t>>());
  const auto count = static_cast<int32_t>(values.size());
  const Quantization q = Scaled(*rc::gen::element(0.001F, 0.1F, 3.0F),
                                *rc::gen::inRange(-128, 127));
  const auto real = ValuesOf<float>(RunOperator(
      Convert(BuiltinOperator::DEQUANTIZE, Values<int8_t>({count}, values, q),
              ElementType::kFloat32)));
  const auto again = ValuesOf<int8_t>(RunOperator(
      Convert(BuiltinOperator::QUANTIZE, Values<float>({count}, real),
              ElementType::kInt8, q)));
  RC_ASSERT(again == values);
}

TEST(Dequantize, SubtractsTheZeroPoint) {
  EXPECT_THAT(ValuesOf<float>(RunOperator(Convert(
                  BuiltinOperator::DEQUANTIZE,
                  Values<uint8_t>({3}, {0, 128, 255}, Scaled(0.5F, 128)),
                  ElementType::kFloat32))),
              ElementsAre(-64, 0, 63.5));
  EXPECT_THAT(ValuesOf<float>(RunOperator(
                  Convert(BuiltinOperator::DEQUANTIZE,
                          Values<int16_t>({2}, {-32768, 1}, Scaled(0.25F, 0)),
                          ElementType::kFloat32))),
              ElementsAre(-8192, 0.25));
}

TEST(Dequantize, AScaleForEachChannel) {
  EXPECT_THAT(ValuesOf<float>(RunOperator(
                  Convert(BuiltinOperator::DEQUANTIZE,
                          Values<int8_t>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8},
                                         {{1, 10}, {0, 1}, 1}),
                          ElementType::kFloat32))),
              ElementsAre(1, 2, 20, 30, 5, 6, 60, 70));
}

TEST(Dequantize, NumbersOf16Bits) {
  const std::vector<uint16_t> halves = {
      0x0000, 0x8000, 0x3C00, 0xC000, 0x3555, 0x7BFF,  // 7BFF is the largest
      0x0001, 0x83FF, 0x0400,                          // 0001 is the smallest
      0x7C00, 0xFC00, 0x7E00};                         // infinite; NaN
  TensorValue input = Values<uint16_t>({12}, halves);
  input.type = ElementType::kFloat16;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto floats = ValuesOf<float>(RunOperator(
      Convert(BuiltinOperator::DEQUANTIZE, input, ElementType::kFloat32)));
  EXPECT_THAT(floats, ElementsAre(0, 0, 1, -2, 0x1.554p-2F, 65504, 0x1p-24F,
                                  -0x1.FF8p-15F, 0x1p-14F, kInfinity,
                                  -kInfinity, IsNan()));
  EXPECT_TRUE(std::signbit(floats.at(1)));
}

TEST(Dequantize, WhatHasNoScaleIsAnError) {
  EXPECT_THAT(std::string(RunOperator(Convert(BuiltinOperator::DEQUANTIZE,
                                              Values<int8_t>({1}, {1}),
                                              ElementType::kFloat32))
                              .status()
                              .message()),
              HasSubstr("it has 0 scales"));
  EXPECT_THAT(std::string(RunOperator(Convert(BuiltinOperator::QUANTIZE,
                                              Values<float>({1}, {1}),
                                              ElementType::kInt8))
                              .status()
                              .message()),
              HasSubstr("it has 0 scales"));
}

}  // namespace
}  // namespace stowage::harness
