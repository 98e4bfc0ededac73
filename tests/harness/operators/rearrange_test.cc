// SPDX-License-Identifier: Apache-2.0
// Tests TRANSPOSE, REVERSE_V2, DEPTH_TO_SPACE, SPACE_TO_DEPTH, TILE,
// BROADCAST_TO, EXPAND_DIMS and SQUEEZE, which move or copy elements.
#include <cstddef>
#include <cstdint>
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
using tflite::BuiltinOperator;

// Returns an operator whose input 1 is an INT32 vector of `numbers`.
OperatorCase Rearrange(BuiltinOperator code, TensorValue x,
                       const std::vector<int32_t>& numbers) {
  OperatorCase result{code};
  result.outputs = {Output(x.type, {})};
  result.inputs = {
      std::move(x),
      Values<int32_t>({static_cast<int32_t>(numbers.size())}, numbers)
          .Constant()};
  return result;
}

TEST(Reverse, TurnsDimensionsAround) {
  const auto x = Numbered<int8_t>({2, 3});
  EXPECT_THAT(ValuesOf<int8_t>(
                  RunOperator(Rearrange(BuiltinOperator::REVERSE_V2, x, {-1}))),
              ElementsAre(2, 1, 0, 5, 4, 3));
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(
                  Rearrange(BuiltinOperator::REVERSE_V2, x, {1, 0}))),
              ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(ErrorOf(Rearrange(BuiltinOperator::REVERSE_V2, x, {0, -2})),
              HasSubstr("expected each of 2 dimensions at most once"));
}

TEST(Transpose, PutsDimensionsInAnOrder) {
  const auto outputs = RunOperator(Rearrange(
      BuiltinOperator::TRANSPOSE, Numbered<int8_t>({1, 2, 3}), {2, 0, -2}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(3, 1, 2));
  EXPECT_THAT(ValuesOf<int8_t>(outputs), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Transpose, RefusesWhatIsNoOrder) {
  const auto x = Numbered<float>({2, 2});
  for (const auto& order :
       std::vector<std::vector<int32_t>>{{0}, {0, 0}, {0, 2}, {0, 1, 0}}) {
    EXPECT_THAT(ErrorOf(Rearrange(BuiltinOperator::TRANSPOSE, x, order)),
                HasSubstr("expected each of 2 dimensions once"));
  }
}

RC_GTEST_PROP(TransposeProperty, AndBackIsTheSame, ()) {
  const auto rank = *rc::gen::inRange<size_t>(0, 7);
  std::vector<int32_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::vector<int32_t> inverse(rank);
  Shape shape(rank);
  for (size_t d = 0; d < rank; ++d) {
    std::swap(order[d], order[*rc::gen::inRange<size_t>(d, rank)]);
    shape[d] = *rc::gen::inRange(0, 5);
  }
  for (size_t d = 0; d < rank; ++d) {
    inverse[static_cast<size_t>(order[d])] = static_cast<int32_t>(d);
  }
  const TensorValue x = Numbered<int32_t>(shape);
  const auto there =
      RunOperator(Rearrange(BuiltinOperator::TRANSPOSE, x, order));
  RC_ASSERT(there.ok());
  for (size_t d = 0; d < rank; ++d) {
    RC_ASSERT(there->at(0).shape[d] == shape[static_cast<size_t>(order[d])]);
  }
  const auto back =
      RunOperator(Rearrange(BuiltinOperator::TRANSPOSE, there->at(0), inverse));
  RC_ASSERT(back.ok());
  RC_ASSERT(back->at(0).bytes == x.bytes);
}

OperatorCase DepthToSpace(TensorValue x, int32_t block) {
  OperatorCase result{BuiltinOperator::DEPTH_TO_SPACE};
  tflite::DepthToSpaceOptionsT options;
  options.block_size = block;
  result.options.Set(options);
  result.outputs = {Output(x.type, {})};
  result.inputs = {std::move(x)};
  return result;
}

OperatorCase SpaceToDepth(TensorValue x, int32_t block) {
  OperatorCase result{BuiltinOperator::SPACE_TO_DEPTH};
  tflite::SpaceToDepthOptionsT options;
  options.block_size = block;
  result.options.Set(options);
  result.outputs = {Output(x.type, {})};
  result.inputs = {std::move(x)};
  return result;
}

TEST(DepthToSpace, MakesBlocksOfPixels) {
  const auto outputs =
      RunOperator(DepthToSpace(Numbered<int8_t>({1, 1, 2, 8}), 2));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(1, 2, 4, 2));
  EXPECT_THAT(ValuesOf<int8_t>(outputs),
              ElementsAre(0, 1, 2, 3, 8, 9, 10, 11,  //
                          4, 5, 6, 7, 12, 13, 14, 15));
}

TEST(SpaceToDepth, IsTheWayBack) {
  const auto deep = Numbered<float>({2, 3, 2, 18});
  const auto wide = RunOperator(DepthToSpace(deep, 3));
  EXPECT_THAT(wide->at(0).shape, ElementsAre(2, 9, 6, 2));
  const auto back = RunOperator(SpaceToDepth(wide->at(0), 3));
  EXPECT_EQ(back->at(0).shape, deep.shape);
  EXPECT_EQ(back->at(0).bytes, deep.bytes);
}

TEST(DepthToSpace, RefusesBlocksThatDoNotFit) {
  const auto x = Numbered<float>({1, 2, 2, 4});
  for (const int32_t block : {0, -2, 3, 2147483647}) {
    EXPECT_THAT(ErrorOf(DepthToSpace(x, block)),
                HasSubstr("its block size is"));
    EXPECT_THAT(ErrorOf(SpaceToDepth(x, block)),
                HasSubstr("its block size is"));
  }
  EXPECT_THAT(ErrorOf(DepthToSpace(Numbered<float>({2, 2, 4}), 2)),
              HasSubstr("expected 4 dimensions"));
}

TEST(Tile, RepeatsAlongEachDimension) {
  const auto outputs = RunOperator(
      Rearrange(BuiltinOperator::TILE, Numbered<int16_t>({2, 2}), {2, 3}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(4, 6));
  EXPECT_THAT(ValuesOf<int16_t>(outputs),
              ElementsAre(0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3,  //
                          0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3));
  EXPECT_THAT(RunOperator(Rearrange(BuiltinOperator::TILE,
                                    Numbered<int16_t>({2, 2}), {1, 0}))
                  ->at(0)
                  .shape,
              ElementsAre(2, 0));
}

TEST(Tile, RefusesNumbersThatMakeNoShape) {
  const auto x = Numbered<float>({2, 2});
  EXPECT_THAT(ErrorOf(Rearrange(BuiltinOperator::TILE, x, {1})),
              HasSubstr("it has 1 elements; expected 2"));
  EXPECT_THAT(ErrorOf(Rearrange(BuiltinOperator::TILE, x, {1, -1})),
              HasSubstr("is repeated -1 times"));
  EXPECT_THAT(ErrorOf(Rearrange(BuiltinOperator::TILE, x, {1 << 30, 1})),
              HasSubstr("is repeated 1073741824 times"));
}

TEST(BroadcastTo, RepeatsDimensionsOfOne) {
  const auto outputs = RunOperator(Rearrange(
      BuiltinOperator::BROADCAST_TO, Numbered<float>({2, 1}), {2, 2, 3}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2, 3));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1));
}

TEST(BroadcastTo, RefusesShapesThatItsInputDoesNotRepeatTo) {
  const auto x = Numbered<float>({2, 3});
  EXPECT_THAT(ErrorOf(Rearrange(BuiltinOperator::BROADCAST_TO, x, {2, 2})),
              HasSubstr("expected equal dimensions, or 1"));
  EXPECT_THAT(ErrorOf(Rearrange(BuiltinOperator::BROADCAST_TO, x, {1, 3})),
              HasSubstr("the new shape is [1, 3]"));
  EXPECT_THAT(ErrorOf(Rearrange(BuiltinOperator::BROADCAST_TO, x, {3})),
              HasSubstr("the new shape is [3]"));
  EXPECT_THAT(ErrorOf(Rearrange(BuiltinOperator::BROADCAST_TO, x, {-1, 3})),
              HasSubstr("it has a dimension of -1"));
}

TEST(ExpandDims, AddsADimensionOfOne) {
  const auto x = Numbered<float>({2, 3});
  const auto shape = [&](int32_t axis) {
    const auto outputs =
        RunOperator(Rearrange(BuiltinOperator::EXPAND_DIMS, x, {axis}));
    EXPECT_EQ(outputs->at(0).bytes, x.bytes);
    return outputs->at(0).shape;
  };
  EXPECT_THAT(shape(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(shape(2), ElementsAre(2, 3, 1));
  EXPECT_THAT(shape(-1), ElementsAre(2, 3, 1));
  EXPECT_THAT(shape(-3), ElementsAre(1, 2, 3));
  EXPECT_THAT(ErrorOf(Rearrange(BuiltinOperator::EXPAND_DIMS, x, {3})),
              HasSubstr("axis 3 is out of range; expected -3 to 2"));
  EXPECT_THAT(ErrorOf(Rearrange(BuiltinOperator::EXPAND_DIMS, x, {0, 1})),
              HasSubstr("it has 2 elements; expected 1"));
}

OperatorCase Squeeze(const Shape& shape, const std::vector<int32_t>& dims) {
  OperatorCase result{BuiltinOperator::SQUEEZE};
  tflite::SqueezeOptionsT options;
  options.squeeze_dims = dims;
  result.options.Set(options);
  result.inputs = {Numbered<float>(shape)};
  result.outputs = {Output(ElementType::kFloat32, {})};
  return result;
}

TEST(Squeeze, DropsDimensionsOfOne) {
  const auto outputs = RunOperator(Squeeze({1, 2, 1, 3}, {}));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 3));
  EXPECT_THAT(ValuesOf<float>(outputs), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(RunOperator(Squeeze({1, 2, 1, 3}, {-2}))->at(0).shape,
              ElementsAre(1, 2, 3));
}

TEST(Squeeze, RefusesAnAxisOfAScalar) {
  EXPECT_THAT(ErrorOf(Squeeze({}, {1})),
              HasSubstr("axis 1 of a scalar, which has no dimensions; expected "
                        "a tensor with at least one"));
}

TEST(Squeeze, RefusesDimensionsThatAreNotOne) {
  EXPECT_THAT(ErrorOf(Squeeze({1, 2}, {1})),
              HasSubstr("its dimension 1 is 2; expected 1"));
  EXPECT_THAT(ErrorOf(Squeeze({1, 2}, {2})), HasSubstr("axis 2"));
}

}  // namespace
}  // namespace stowage::harness
