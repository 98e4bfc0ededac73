// SPDX-License-Identifier: Apache-2.0
// Tests POW and ADD_N.
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
using ::testing::FloatEq;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

OperatorCase OfTensors(BuiltinOperator code, std::vector<TensorValue> inputs) {
  OperatorCase result{code};
  result.outputs = {Output(inputs[0].type, {})};
  result.inputs = std::move(inputs);
  return result;
}

TEST(Pow, OfRealNumbers) {
  const auto outputs = RunOperator(OfTensors(
      BuiltinOperator::POW,
      {Values<float>({2, 1}, {4, 9}), Values<float>({2}, {0.5F, -1})}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(2, 0.25, 3, FloatEq(1.0F / 9)));
}

TEST(Pow, OfIntegersWrapsAround) {
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(
                  OfTensors(BuiltinOperator::POW,
                            {Values<int32_t>({6}, {2, -3, 0, 7, 2, 2147483647}),
                             Values<int32_t>({6}, {10, 3, 0, 1, 32, 2})}))),
              ElementsAre(1024, -27, 1, 7, 0, 1));
}

TEST(Pow, Refuses) {
  EXPECT_THAT(
      ErrorOf(OfTensors(BuiltinOperator::POW, {Values<int32_t>({1}, {2}),
                                               Values<int32_t>({1}, {-1})})),
      HasSubstr("it has the exponent -1; expected 0 or more for integers"));
  EXPECT_THAT(
      ErrorOf(OfTensors(BuiltinOperator::POW,
                        {Values<float>({1}, {2}), Values<int32_t>({1}, {1})})),
      HasSubstr("its type is INT32; expected FLOAT32"));
}

TEST(AddN, SumsAllInputs) {
  const auto x = Values<float>({2}, {1, 2});
  EXPECT_THAT(ValuesOf<float>(RunOperator(OfTensors(
                  BuiltinOperator::ADD_N, {x, Values<float>({2}, {10, 20}),
                                           Values<float>({2}, {100, 200})}))),
              ElementsAre(111, 222));
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(OfTensors(BuiltinOperator::ADD_N, {x}))),
      ElementsAre(1, 2));
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(OfTensors(
                  BuiltinOperator::ADD_N, {Values<int32_t>({1}, {2147483647}),
                                           Values<int32_t>({1}, {1})}))),
              ElementsAre(-2147483647 - 1));
  EXPECT_THAT(
      ErrorOf(OfTensors(BuiltinOperator::ADD_N, {x, Values<float>({1}, {1})})),
      HasSubstr("its shape is [1]; expected [2], as input 0 has"));
}

}  // namespace
}  // namespace stowage::harness
