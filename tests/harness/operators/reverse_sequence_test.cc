// SPDX-License-Identifier: Apache-2.0
// Tests REVERSE_SEQUENCE.
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

OperatorCase ReverseSequences(TensorValue x, TensorValue lengths,
                              int32_t sequence, int32_t batch) {
  OperatorCase result{tflite::BuiltinOperator::REVERSE_SEQUENCE};
  tflite::ReverseSequenceOptionsT options;
  options.seq_dim = sequence;
  options.batch_dim = batch;
  result.options.Set(options);
  result.outputs = {Output(x.type, {})};
  result.inputs = {std::move(x), std::move(lengths)};
  return result;
}

TEST(ReverseSequence, ReversesTheFirstOfEachBatch) {
  const auto outputs = RunOperator(ReverseSequences(
      Numbered<float>({3, 4}), Values<int32_t>({3}, {0, 3, 4}), 1, 0));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(3, 4));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(0, 1, 2, 3, 6, 5, 4, 7, 11, 10, 9, 8));
}

TEST(ReverseSequence, DimensionsMayBeInAnyOrder) {
  // Each column is a sequence whose elements have two numbers.
  EXPECT_THAT(
      ValuesOf<int8_t>(RunOperator(ReverseSequences(
          Numbered<int8_t>({3, 2, 2}), Values<int64_t>({2}, {2, 3}), 0, -2))),
      ElementsAre(4, 5, 10, 11, 0, 1, 6, 7, 8, 9, 2, 3));
}

TEST(ReverseSequence, OfNothingIsNothing) {
  const auto outputs = RunOperator(ReverseSequences(
      Values<float>({2, 0}, {}), Values<int32_t>({2}, {0, 0}), 1, 0));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 0));
}

TEST(ReverseSequence, Refuses) {
  const auto x = Numbered<float>({2, 3});
  const auto lengths = Values<int32_t>({2}, {1, 1});
  EXPECT_THAT(ErrorOf(ReverseSequences(x, Values<int32_t>({2}, {1, 4}), 1, 0)),
              HasSubstr("it has a length of 4; expected 0 to 3"));
  EXPECT_THAT(ErrorOf(ReverseSequences(x, Values<int32_t>({2}, {-1, 0}), 1, 0)),
              HasSubstr("it has a length of -1"));
  EXPECT_THAT(ErrorOf(ReverseSequences(x, lengths, 0, 0)),
              HasSubstr("both along dimension 0; expected two dimensions"));
  EXPECT_THAT(ErrorOf(ReverseSequences(x, lengths, 0, 1)),
              HasSubstr("its shape is [2]; expected [3]"));
  EXPECT_THAT(ErrorOf(ReverseSequences(x, lengths, 2, 0)),
              HasSubstr("axis 2 is out of range"));
}

}  // namespace
}  // namespace stowage::harness
