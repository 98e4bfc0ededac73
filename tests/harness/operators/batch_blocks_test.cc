// SPDX-License-Identifier: Apache-2.0
// Tests SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND.
#include <algorithm>
#include <cstdint>
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
using tflite::BuiltinOperator;

// Holds the blocks of an operator. `margins` has, for each dimension, the
// padding or the crops before and after it.
struct Blocks {
  std::vector<int32_t> sizes;
  std::vector<int32_t> margins;
};

OperatorCase BlocksCase(BuiltinOperator code, TensorValue x,
                        const Blocks& blocks, bool is_constant = true) {
  OperatorCase result{code};
  const auto count = static_cast<int32_t>(blocks.sizes.size());
  const auto rows = static_cast<int32_t>(blocks.margins.size() / 2);
  TensorValue sizes = Values<int32_t>({count}, blocks.sizes);
  TensorValue margins = Values<int32_t>({rows, 2}, blocks.margins);
  sizes.is_constant = margins.is_constant = is_constant;
  result.outputs = {Output(x.type, {}, x.quantization)};
  result.inputs = {std::move(x), std::move(sizes), std::move(margins)};
  return result;
}

OperatorCase ToBatches(TensorValue x, const Blocks& blocks) {
  return BlocksCase(BuiltinOperator::SPACE_TO_BATCH_ND, std::move(x), blocks);
}

OperatorCase ToSpace(TensorValue x, const Blocks& blocks) {
  return BlocksCase(BuiltinOperator::BATCH_TO_SPACE_ND, std::move(x), blocks);
}

TEST(SpaceToBatch, PlacesOfBlocksBecomeBatches) {
  const auto outputs = RunOperator(
      ToBatches(Values<float>({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8}),
                {{2, 2}, {0, 0, 0, 0}}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(4, 1, 2, 1));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(1, 3, 2, 4, 5, 7, 6, 8));
}

TEST(SpaceToBatch, KeepsChannelsTogether) {
  const auto outputs = RunOperator(
      ToBatches(Numbered<int16_t>({1, 2, 2, 3}), {{2, 2}, {0, 0, 0, 0}}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(4, 1, 1, 3));
  EXPECT_THAT(ValuesOf<int16_t>(outputs),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(SpaceToBatch, PadsWithZeros) {
  const auto outputs = RunOperator(
      ToBatches(Values<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}), {{2}, {2, 1}}));
  // The padded rows are 0 0 1 2 3 0 and 0 0 4 5 6 0.
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(4, 3));
  EXPECT_THAT(ValuesOf<int32_t>(outputs),
              ElementsAre(0, 1, 3, 0, 4, 6, 0, 2, 0, 0, 5, 0));
}

TEST(SpaceToBatch, PadsQuantizedNumbersWithZeroPoints) {
  const auto outputs = RunOperator(
      ToBatches(Values<int8_t>({1, 1}, {7}, Scaled(0.5F, -9)), {{2}, {1, 2}}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2));
  EXPECT_THAT(ValuesOf<int8_t>(outputs), ElementsAre(-9, -9, 7, -9));
}

TEST(SpaceToBatch, BlocksLargerThanTheTensor) {
  const auto outputs = RunOperator(
      ToBatches(Values<uint8_t>({1, 1}, {7}), {{1000}, {499, 500}}));
  const auto values = ValuesOf<uint8_t>(outputs);
  ASSERT_EQ(values.size(), 1000U);
  EXPECT_EQ(values[499], 7);
  EXPECT_EQ(std::count(values.begin(), values.end(), 0), 999);
}

TEST(SpaceToBatch, OfNothingIsNothing) {
  const auto outputs = RunOperator(
      ToBatches(Values<float>({1, 4, 0}, {}), {{2147483647}, {0, 2147483643}}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2147483647, 1, 0));
}

TEST(BatchToSpace, IsBackwards) {
  const auto outputs =
      RunOperator(ToSpace(Values<float>({4, 1, 2, 1}, {1, 3, 2, 4, 5, 7, 6, 8}),
                          {{2, 2}, {0, 0, 0, 0}}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(1, 2, 4, 1));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(BatchToSpace, Crops) {
  const auto outputs = RunOperator(ToSpace(
      Values<int64_t>({4, 3}, {90, 1, 3, 91, 4, 6, 92, 2, 93, 94, 5, 95}),
      {{2}, {2, 1}}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 3));
  EXPECT_THAT(ValuesOf<int64_t>(outputs), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(BatchToSpace, MayCropEverything) {
  const auto outputs =
      RunOperator(ToSpace(Numbered<float>({4, 3}), {{2}, {2, 4}}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 0));
}

TEST(BatchBlocks, MayBeComputed) {
  const auto x = Values<float>({1, 4}, {1, 2, 3, 4});
  const auto outputs = RunOperator(
      BlocksCase(BuiltinOperator::SPACE_TO_BATCH_ND, x, {{2}, {0, 2}}, false));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 3));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(1, 3, 0, 2, 4, 0));
}

// Generates a tensor of up to four dimensions, and blocks that divide the
// padded tensor.
struct RandomBlocks {
  RandomBlocks() {
    shape = {*rc::gen::inRange(1, 4)};
    const int divided = *rc::gen::inRange(1, 3);
    for (int d = 0; d < divided; ++d) {
      const int size = *rc::gen::inRange(1, 5);
      const int before = *rc::gen::inRange(0, 6);
      const int extent = *rc::gen::inRange(1, 8);
      const int after = (size - (before + extent) % size) % size +
                        size * *rc::gen::inRange(0, 2);
      shape.push_back(extent);
      blocks.sizes.push_back(size);
      blocks.margins.push_back(before);
      blocks.margins.push_back(after);
    }
    if (*rc::gen::arbitrary<bool>()) shape.push_back(3);
  }

  Shape shape;
  Blocks blocks;
};

RC_GTEST_PROP(BatchBlocks, ToSpaceIsTheInverseOfToBatches, ()) {
  const RandomBlocks random;
  const auto x = Numbered<int32_t>(random.shape);
  const auto batches = RunOperator(ToBatches(x, random.blocks));
  RC_ASSERT(batches.ok());
  const auto again = RunOperator(ToSpace(batches->at(0), random.blocks));
  RC_ASSERT(again.ok());
  RC_ASSERT(again->at(0).shape == random.shape);
  RC_ASSERT(again->at(0).bytes == x.bytes);
}

// Computes each expected element by the definition of the operator.
RC_GTEST_PROP(SpaceToBatch, EqualsTheDefinition, ()) {
  const RandomBlocks random;
  const auto outputs =
      RunOperator(ToBatches(Numbered<int32_t>(random.shape), random.blocks));
  RC_ASSERT(outputs.ok());
  const Shape& to = outputs->at(0).shape;
  const auto values = ValuesOf<int32_t>(outputs);
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<int64_t> index(to.size());
    auto rest = static_cast<int64_t>(i);
    for (size_t d = to.size(); d-- > 0; rest /= to[d]) index[d] = rest % to[d];
    int64_t place = index[0] / random.shape[0];
    index[0] %= random.shape[0];
    bool is_padding = false;
    for (size_t d = random.blocks.sizes.size(); d > 0; --d) {
      const int64_t size = random.blocks.sizes[d - 1];
      index[d] =
          index[d] * size + place % size - random.blocks.margins[2 * (d - 1)];
      place /= size;
      is_padding = is_padding || index[d] < 0 || index[d] >= random.shape[d];
    }
    int64_t expected = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      expected = expected * random.shape[d] + index[d];
    }
    RC_ASSERT(values[i] == (is_padding ? 0 : expected));
  }
}

struct RefusedBlocks {
  const char* name;
  OperatorCase operation;
  const char* message;
};

class BatchBlocksRefuse : public ::testing::TestWithParam<RefusedBlocks> {};

TEST_P(BatchBlocksRefuse, WhatHasNoResult) {
  EXPECT_THAT(ErrorOf(GetParam().operation), HasSubstr(GetParam().message));
}

const auto kSix = Numbered<float>({6, 2});

INSTANTIATE_TEST_SUITE_P(
    BatchBlocks, BatchBlocksRefuse,
    ::testing::Values(
        RefusedBlocks{"NoMultiple", ToBatches(kSix, {{2}, {0, 1}}),
                      "dimension 1 has 3 elements with its padding; expected a "
                      "multiple of the block size 2"},
        RefusedBlocks{"BlockOfNothing", ToBatches(kSix, {{0}, {0, 0}}),
                      "it has a block size of 0; expected 1 to 2^31 - 1"},
        RefusedBlocks{"NegativePadding", ToBatches(kSix, {{2}, {-2, 0}}),
                      "it has -2 and 0 for dimension 1; expected 0 to"},
        RefusedBlocks{"TooManyBatches",
                      ToBatches(kSix, {{1 << 30}, {0, (1 << 30) - 2}}),
                      "expected a product below 2^31"},
        RefusedBlocks{"TooManyBlocks", ToBatches(kSix, {{1, 1}, {0, 0, 0, 0}}),
                      "it has 2 block sizes; expected fewer than the 2 "
                      "dimensions"},
        RefusedBlocks{"FewPaddings", ToBatches(kSix, {{1}, {0, 0, 0, 0}}),
                      "its shape is [2, 2]; expected [1, 2]"},
        RefusedBlocks{"NoMultipleOfBatches", ToSpace(kSix, {{4}, {0, 0}}),
                      "its blocks have 4 elements, its input 6 batches; "
                      "expected a multiple"},
        RefusedBlocks{"CroppedTooFar", ToSpace(kSix, {{2}, {3, 2}}),
                      "dimension 1 has 4 elements, of which 3 and 2 are "
                      "cropped"},
        RefusedBlocks{"NegativeCrop", ToSpace(kSix, {{2}, {0, -1}}),
                      "it has 0 and -1 for dimension 1"},
        RefusedBlocks{"Scalar", ToSpace(Values<float>({}, {1}), {{1}, {0, 0}}),
                      "expected fewer than the 0 dimensions"}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace stowage::harness
