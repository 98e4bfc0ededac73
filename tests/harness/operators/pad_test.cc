// SPDX-License-Identifier: Apache-2.0
// Tests PAD, PADV2 and MIRROR_PAD.
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
using tflite::MirrorPadMode;

TensorValue Paddings(const std::vector<int32_t>& values) {
  return Values<int32_t>({static_cast<int32_t>(values.size() / 2), 2}, values)
      .Constant();
}

OperatorCase Pad(TensorValue x, TensorValue paddings, Quantization to = {}) {
  OperatorCase result{BuiltinOperator::PAD};
  result.outputs = {Output(x.type, {}, std::move(to))};
  result.inputs = {std::move(x), std::move(paddings)};
  return result;
}

TEST(Pad, PutsZerosAround) {
  const auto outputs = RunOperator(
      Pad(Values<float>({2, 2}, {1, 2, 3, 4}), Paddings({1, 0, 0, 2})));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(3, 4));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0, 0));
}

TEST(Pad, PutsZeroPointsAroundQuantisedNumbers) {
  EXPECT_THAT(ValuesOf<int8_t>(
                  RunOperator(Pad(Values<int8_t>({2}, {1, 2}, Scaled(1, -9)),
                                  Paddings({1, 2}), Scaled(1, -9)))),
              ElementsAre(-9, 1, 2, -9, -9));
  EXPECT_THAT(ValuesOf<uint8_t>(
                  RunOperator(Pad(Values<uint8_t>({1}, {1}, Scaled(1, 200)),
                                  Paddings({1, 0}), Scaled(1, 200)))),
              ElementsAre(200, 1));
}

TEST(Pad, ByNothingIsACopy) {
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(Pad(Values<int32_t>({1, 2}, {5, 6}),
                                                Paddings({0, 0, 0, 0})))),
              ElementsAre(5, 6));
}

TEST(Pad, OfNothingIsAllPadding) {
  EXPECT_THAT(ValuesOf<int32_t>(
                  RunOperator(Pad(Values<int32_t>({0}, {}), Paddings({1, 1})))),
              ElementsAre(0, 0));
}

TEST(Pad, PaddingsMayBeComputed) {
  TensorValue paddings = Values<int64_t>({1, 2}, {0, 1});
  const auto outputs = RunOperator(Pad(Values<int32_t>({2}, {1, 2}), paddings));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(3));
  EXPECT_THAT(ValuesOf<int32_t>(outputs), ElementsAre(1, 2, 0));
}

TEST(Pad, RefusesPaddingsThatMakeNoShape) {
  const auto x = Values<float>({1, 1}, {1});
  EXPECT_THAT(ErrorOf(Pad(x, Paddings({1, 1}))),
              HasSubstr("its shape is [1, 2]; expected [2, 2]"));
  EXPECT_THAT(ErrorOf(Pad(x, Paddings({0, 0, 0, -1}))),
              HasSubstr("a padding of -1"));
  EXPECT_THAT(ErrorOf(Pad(x, Paddings({0, 0, 1, 2147483647}))),
              HasSubstr("dimension 1 has 2147483649 elements"));
  EXPECT_THAT(ErrorOf(Pad(x, Values<float>({2, 2}, {0, 0, 0, 0}))),
              HasSubstr("its type is FLOAT32; expected INT32 or INT64"));
}

TEST(PadV2, PutsAnyNumberAround) {
  OperatorCase c = Pad(Values<float>({1, 2}, {1, 2}), Paddings({1, 0, 0, 1}));
  c.code = BuiltinOperator::PADV2;
  c.inputs.push_back(Values<float>({}, {-7.5}));
  EXPECT_THAT(ValuesOf<float>(RunOperator(c)),
              ElementsAre(-7.5, -7.5, -7.5, 1, 2, -7.5));
  c.inputs[2] = Values<float>({2}, {1, 2});
  EXPECT_THAT(ErrorOf(c), HasSubstr("its shape is [2]; expected one element"));
  c.inputs[2] = Values<int8_t>({}, {1});
  EXPECT_THAT(ErrorOf(c), HasSubstr("its type is INT8; expected FLOAT32"));
}

OperatorCase MirrorPad(TensorValue x, TensorValue paddings,
                       MirrorPadMode mode) {
  OperatorCase result = Pad(std::move(x), std::move(paddings));
  result.code = BuiltinOperator::MIRROR_PAD;
  tflite::MirrorPadOptionsT options;
  options.mode = mode;
  result.options.Set(options);
  return result;
}

TEST(MirrorPad, ReflectsWithoutTheOutermost) {
  const auto outputs =
      RunOperator(MirrorPad(Values<int8_t>({2, 3}, {1, 2, 3, 4, 5, 6}),
                            Paddings({1, 1, 2, 1}), MirrorPadMode::REFLECT));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(4, 6));
  EXPECT_THAT(ValuesOf<int8_t>(outputs), ElementsAre(6, 5, 4, 5, 6, 5,  //
                                                     3, 2, 1, 2, 3, 2,  //
                                                     6, 5, 4, 5, 6, 5,  //
                                                     3, 2, 1, 2, 3, 2));
}

TEST(MirrorPad, ReflectsWithTheOutermost) {
  const auto outputs =
      RunOperator(MirrorPad(Values<float>({2, 3}, {1, 2, 3, 4, 5, 6}),
                            Paddings({1, 2, 3, 1}), MirrorPadMode::SYMMETRIC));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(3, 2, 1, 1, 2, 3, 3,  //
                                                    3, 2, 1, 1, 2, 3, 3,  //
                                                    6, 5, 4, 4, 5, 6, 6,  //
                                                    6, 5, 4, 4, 5, 6, 6,  //
                                                    3, 2, 1, 1, 2, 3, 3));
}

TEST(MirrorPad, ReflectsNoMoreThanThereIs) {
  const auto x = Values<float>({3}, {1, 2, 3});
  EXPECT_THAT(ErrorOf(MirrorPad(x, Paddings({3, 0}), MirrorPadMode::REFLECT)),
              HasSubstr("is padded by 3 and 0; expected at most 2"));
  EXPECT_THAT(ErrorOf(MirrorPad(x, Paddings({0, 4}), MirrorPadMode::SYMMETRIC)),
              HasSubstr("is padded by 0 and 4; expected at most 3"));
  EXPECT_THAT(
      ErrorOf(MirrorPad(x, Paddings({0, 1}), static_cast<MirrorPadMode>(2))),
      HasSubstr("its mode is number 2"));
}

}  // namespace
}  // namespace stowage::harness
