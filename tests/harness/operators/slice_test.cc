// SPDX-License-Identifier: Apache-2.0
// Tests STRIDED_SLICE, SLICE, SPLIT, SPLIT_V and GATHER.
#include <algorithm>
#include <cstddef>
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
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using tflite::BuiltinOperator;

template <typename T>
TensorValue Vector(const std::vector<T>& values) {
  return Values<T>({static_cast<int32_t>(values.size())}, values);
}

struct Masks {
  int32_t begin = 0;
  int32_t end = 0;
  int32_t ellipsis = 0;
  int32_t new_axis = 0;
  int32_t shrink = 0;
  bool offset = false;
};

OperatorCase StridedSlice(TensorValue x, const std::vector<int32_t>& begin,
                          const std::vector<int32_t>& end,
                          const std::vector<int32_t>& stride,
                          const Masks& masks = {}) {
  OperatorCase result{BuiltinOperator::STRIDED_SLICE};
  tflite::StridedSliceOptionsT options;
  options.begin_mask = masks.begin;
  options.end_mask = masks.end;
  options.ellipsis_mask = masks.ellipsis;
  options.new_axis_mask = masks.new_axis;
  options.shrink_axis_mask = masks.shrink;
  options.offset = masks.offset;
  result.options.Set(options);
  result.inputs = {std::move(x), Vector(begin).Constant(),
                   Vector(end).Constant(), Vector(stride).Constant()};
  result.outputs = {Output(ElementType::kInt32, {})};
  return result;
}

struct StridedSliceCase {
  const char* name;
  std::vector<int32_t> begin;
  std::vector<int32_t> end;
  std::vector<int32_t> stride;
  Masks masks;
  Shape shape;
  std::vector<int32_t> elements;
};

class StridedSlices : public ::testing::TestWithParam<StridedSliceCase> {};

// The slices are taken from this tensor:
//    0 1 2 3
//    4 5 6 7
//    8 9 10 11
TEST_P(StridedSlices, OfThreeRowsOfFour) {
  const StridedSliceCase& c = GetParam();
  const auto outputs = RunOperator(StridedSlice(
      Numbered<int32_t>({3, 4}), c.begin, c.end, c.stride, c.masks));
  EXPECT_THAT(ValuesOf<int32_t>(outputs), ElementsAreArray(c.elements));
  EXPECT_EQ(outputs->at(0).shape, c.shape);
}

INSTANTIATE_TEST_SUITE_P(
    Slice, StridedSlices,
    ::testing::Values(
        StridedSliceCase{
            "Box", {1, 1}, {3, 3}, {1, 1}, {}, {2, 2}, {5, 6, 9, 10}},
        StridedSliceCase{
            "EverySecond", {0, 1}, {3, 4}, {2, 2}, {}, {2, 2}, {1, 3, 9, 11}},
        StridedSliceCase{
            "Backwards", {-1, 3}, {-3, 0}, {-1, -2}, {}, {2, 2}, {11, 9, 7, 5}},
        StridedSliceCase{"NegativeFromTheEnd",
                         {-2, -3},
                         {-1, -1},
                         {1, 1},
                         {},
                         {1, 2},
                         {5, 6}},
        StridedSliceCase{"BeyondTheEnds",
                         {-9, -9},
                         {9, 2},
                         {1, 1},
                         {},
                         {3, 2},
                         {0, 1, 4, 5, 8, 9}},
        StridedSliceCase{"Nothing", {2, 0}, {1, 4}, {1, 1}, {}, {0, 4}, {}},
        StridedSliceCase{
            "FewerIndices", {1}, {2}, {1}, {}, {1, 4}, {4, 5, 6, 7}},
        StridedSliceCase{"BeginAndEndMask",
                         {2, 2},
                         {0, 3},
                         {1, 1},
                         {/*begin=*/2, /*end=*/1},
                         {1, 3},
                         {8, 9, 10}},
        StridedSliceCase{"MasksBackwards",
                         {0, 0},
                         {0, 0},
                         {-2, -3},
                         {/*begin=*/3, /*end=*/3},
                         {2, 2},
                         {11, 8, 3, 0}},
        StridedSliceCase{"EllipsisInFront",
                         {0, 1},
                         {0, 2},
                         {1, 1},
                         {0, 0, /*ellipsis=*/1},
                         {3, 1},
                         {1, 5, 9}},
        StridedSliceCase{"EllipsisOfNothing",
                         {0, 0, 1},
                         {1, 0, 2},
                         {1, 1, 1},
                         {0, 0, /*ellipsis=*/2},
                         {1, 1},
                         {1}},
        StridedSliceCase{"NewAxes",
                         {0, 1, 0},
                         {0, 2, 0},
                         {1, 1, 1},
                         {0, 0, 0, /*new_axis=*/5},
                         {1, 1, 1, 4},
                         {4, 5, 6, 7}},
        StridedSliceCase{"NewAxisAfterEllipsis",
                         {0, 0},
                         {0, 0},
                         {1, 1},
                         {0, 0, /*ellipsis=*/1, /*new_axis=*/2},
                         {3, 4, 1},
                         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
        StridedSliceCase{"Shrink",
                         {-1, 1},
                         {0, 3},
                         {1, 1},
                         {0, 0, 0, 0, /*shrink=*/1},
                         {2},
                         {9, 10}},
        StridedSliceCase{"ShrinkToAScalar",
                         {1, -2},
                         {0, 0},
                         {1, 1},
                         {0, 0, 0, 0, /*shrink=*/3},
                         {},
                         {6}},
        StridedSliceCase{"EndFromTheBegin",
                         {1, 1},
                         {1, 2},
                         {1, 1},
                         {0, 0, 0, 0, 0, /*offset=*/true},
                         {1, 2},
                         {5, 6}},
        StridedSliceCase{"StridesBeyondAll",
                         {0, 3},
                         {3, -9},
                         {2147483647, -2147483647 - 1},
                         {},
                         {1, 1},
                         {3}}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(StridedSlice, IndicesMayBeComputed) {
  OperatorCase c = StridedSlice(Numbered<int32_t>({5}), {1}, {5}, {2});
  c.inputs[2].is_constant = false;
  const auto outputs = RunOperator(c);
  EXPECT_THAT(ValuesOf<int32_t>(outputs), ElementsAre(1, 3));
}

TEST(StridedSlice, RefusesWhatMakesNoSense) {
  const auto x = Numbered<int32_t>({3, 4});
  EXPECT_THAT(ErrorOf(StridedSlice(x, {0}, {1}, {0})),
              HasSubstr("a stride is 0; expected a number other than 0"));
  EXPECT_THAT(ErrorOf(StridedSlice(x, {0}, {1}, {-1}, {0, 0, 0, 0, 1})),
              HasSubstr("a stride is -1"));
  EXPECT_THAT(ErrorOf(StridedSlice(x, {3}, {4}, {1}, {0, 0, 0, 0, 1})),
              HasSubstr("index 3 is out of range; expected one of 3 elements"));
  EXPECT_THAT(ErrorOf(StridedSlice(x, {-4}, {4}, {1}, {0, 0, 0, 0, 1})),
              HasSubstr("index -4"));
  EXPECT_THAT(ErrorOf(StridedSlice(x, {0, 0, 0}, {1, 1, 1}, {1, 1, 1})),
              HasSubstr("3 dimensions to slice; expected at most 1, and 2"));
  EXPECT_THAT(ErrorOf(StridedSlice(x, {0, 0}, {1, 1}, {1, 1}, {0, 0, 3})),
              HasSubstr("it has 2 ellipses"));
  EXPECT_THAT(ErrorOf(StridedSlice(x, {0, 0}, {1, 1}, {1})),
              HasSubstr("it has 1 indices; expected 2"));
}

// The result has exactly the elements that a loop from `begin` to `end` visits.
RC_GTEST_PROP(StridedSliceProperty, WalksAsALoopDoes, ()) {
  const auto size = *rc::gen::inRange(0, 8);
  const auto begin = *rc::gen::inRange(-10, 10);
  const auto end = *rc::gen::inRange(-10, 10);
  const auto stride = *rc::gen::distinctFrom(rc::gen::inRange(-4, 5), 0);
  std::vector<int32_t> wanted;
  const int32_t low = stride > 0 ? 0 : -1;
  const int32_t high = stride > 0 ? size : size - 1;
  const auto resolve = [&](int32_t index) {
    return std::min(high, std::max(low, index < 0 ? index + size : index));
  };
  for (int32_t i = resolve(begin);
       stride > 0 ? i < resolve(end) : i > resolve(end); i += stride) {
    wanted.push_back(i);
  }
  const auto outputs = RunOperator(
      StridedSlice(Numbered<int32_t>({size}), {begin}, {end}, {stride}));
  RC_ASSERT(ValuesOf<int32_t>(outputs) == wanted);
}

OperatorCase Slice(const std::vector<int64_t>& begin,
                   const std::vector<int64_t>& size) {
  OperatorCase result{BuiltinOperator::SLICE};
  result.inputs = {Numbered<int32_t>({3, 4}), Vector(begin).Constant(),
                   Vector(size).Constant()};
  result.outputs = {Output(ElementType::kInt32, {})};
  return result;
}

TEST(Slice, IsABox) {
  const auto outputs = RunOperator(Slice({1, 2}, {2, -1}));
  EXPECT_THAT(ValuesOf<int32_t>(outputs), ElementsAre(6, 7, 10, 11));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2));
  EXPECT_THAT(RunOperator(Slice({3, 0}, {0, 4}))->at(0).shape,
              ElementsAre(0, 4));
}

TEST(Slice, StaysWithinItsInput) {
  EXPECT_THAT(ErrorOf(Slice({1, 2}, {3, 1})),
              HasSubstr("dimension 0 is sliced from 1 with size 3; expected a "
                        "part of 3 elements"));
  EXPECT_THAT(ErrorOf(Slice({-1, 0}, {1, 1})), HasSubstr("from -1"));
  EXPECT_THAT(ErrorOf(Slice({0, 5}, {1, -1})), HasSubstr("from 5"));
  EXPECT_THAT(ErrorOf(Slice({0, 0}, {1, -2})), HasSubstr("with size -2"));
  EXPECT_THAT(ErrorOf(Slice({0}, {1})), HasSubstr("expected 2"));
}

OperatorCase Split(int32_t axis, int32_t slices, size_t outputs) {
  OperatorCase result{BuiltinOperator::SPLIT};
  tflite::SplitOptionsT options;
  options.num_splits = slices;
  result.options.Set(options);
  result.inputs = {Values<int32_t>({}, {axis}).Constant(),
                   Numbered<int32_t>({2, 4})};
  result.outputs.assign(outputs, Output(ElementType::kInt32, {}));
  return result;
}

TEST(Split, CutsEqualSlices) {
  const auto outputs = RunOperator(Split(-1, 2, 2));
  EXPECT_THAT(outputs->at(1).shape, ElementsAre(2, 2));
  EXPECT_THAT(ValuesOf<int32_t>(outputs, 0), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(ValuesOf<int32_t>(outputs, 1), ElementsAre(2, 3, 6, 7));
}

TEST(Split, AxisMayBeComputed) {
  OperatorCase c = Split(0, 2, 2);
  c.inputs[0].is_constant = false;
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(c), 1), ElementsAre(4, 5, 6, 7));
}

TEST(Split, RefusesUnequalSlices) {
  EXPECT_THAT(ErrorOf(Split(1, 3, 3)), HasSubstr("the axis has 4 elements"));
  EXPECT_THAT(ErrorOf(Split(1, 2, 4)),
              HasSubstr("it has 4 outputs and 2 slices"));
  EXPECT_THAT(ErrorOf(Split(2, 2, 2)), HasSubstr("axis 2"));
}

OperatorCase SplitV(const std::vector<int32_t>& sizes) {
  OperatorCase result{BuiltinOperator::SPLIT_V};
  result.inputs = {Numbered<int32_t>({2, 4}), Vector(sizes).Constant(),
                   Values<int32_t>({}, {1}).Constant()};
  result.outputs.assign(2, Output(ElementType::kInt32, {}));
  return result;
}

TEST(SplitV, CutsSlicesOfGivenSizes) {
  const auto outputs = RunOperator(SplitV({1, -1}));
  EXPECT_THAT(ValuesOf<int32_t>(outputs, 0), ElementsAre(0, 4));
  EXPECT_THAT(ValuesOf<int32_t>(outputs, 1), ElementsAre(1, 2, 3, 5, 6, 7));
  EXPECT_THAT(ValuesOf<int32_t>(RunOperator(SplitV({4, 0})), 1), ElementsAre());
}

TEST(SplitV, RefusesWhatIsNotTheWhole) {
  for (const auto& sizes : std::vector<std::vector<int32_t>>{
           {1, 2}, {4, 1}, {5, -1}, {-1, -1}, {-2, 6}}) {
    EXPECT_THAT(ErrorOf(SplitV(sizes)), HasSubstr("expected 4 in all"));
  }
  EXPECT_THAT(ErrorOf(SplitV({4})), HasSubstr("it has 1 sizes"));
}

OperatorCase SliceGather(TensorValue x, TensorValue indices, int32_t axis,
                         int32_t batch_dims = 0) {
  OperatorCase result{BuiltinOperator::GATHER};
  tflite::GatherOptionsT options;
  options.axis = axis;
  options.batch_dims = batch_dims;
  result.options.Set(options);
  result.inputs = {std::move(x), std::move(indices)};
  result.outputs = {Output(ElementType::kInt32, {})};
  return result;
}

TEST(SliceGather, TakesRows) {
  const auto outputs = RunOperator(SliceGather(
      Numbered<int32_t>({3, 2}), Values<int32_t>({2, 2}, {2, 0, 1, 1}), 0));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2, 2));
  EXPECT_THAT(ValuesOf<int32_t>(outputs), ElementsAre(4, 5, 0, 1, 2, 3, 2, 3));
}

TEST(SliceGather, TakesColumns) {
  EXPECT_THAT(
      ValuesOf<int32_t>(RunOperator(SliceGather(
          Numbered<int32_t>({2, 3}), Values<int64_t>({2}, {2, 0}), -1))),
      ElementsAre(2, 0, 5, 3));
}

TEST(SliceGather, ByOneIndexDropsTheAxis) {
  const auto outputs = RunOperator(
      SliceGather(Numbered<int32_t>({2, 3}), Values<int16_t>({}, {1}), 0));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(3));
  EXPECT_THAT(ValuesOf<int32_t>(outputs), ElementsAre(3, 4, 5));
}

TEST(SliceGather, BatchesHaveIndicesOfTheirOwn) {
  const auto indices = Values<int32_t>({2, 1}, {1, 2});
  const auto outputs =
      RunOperator(SliceGather(Numbered<int32_t>({2, 2, 3}), indices, 2, 1));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2, 1));
  EXPECT_THAT(ValuesOf<int32_t>(outputs), ElementsAre(1, 4, 8, 11));
}

TEST(SliceGather, RefusesIndicesThatAreNotThere) {
  for (const int32_t index : {-1, 3}) {
    EXPECT_THAT(ErrorOf(SliceGather(Numbered<int32_t>({3}),
                                    Values<int32_t>({1}, {index}), 0)),
                HasSubstr("expected 0 to 2"));
  }
  EXPECT_THAT(ErrorOf(SliceGather(Numbered<int32_t>({0, 2}),
                                  Values<int32_t>({1}, {0}), 0)),
              HasSubstr("index 0"));
}

TEST(SliceGather, RefusesDimensionsThatDoNotFit) {
  const auto indices = Values<int32_t>({2}, {0, 0});
  EXPECT_THAT(ErrorOf(SliceGather(Numbered<int32_t>({3, 2}), indices, 2)),
              HasSubstr("axis 2"));
  EXPECT_THAT(ErrorOf(SliceGather(Numbered<int32_t>({3, 2}), indices, 1, 1)),
              HasSubstr("expected the same 1 batch dimensions"));
  EXPECT_THAT(ErrorOf(SliceGather(Numbered<int32_t>({2, 2}), indices, 0, 1)),
              HasSubstr("1 batch dimensions; expected at most"));
  EXPECT_THAT(ErrorOf(SliceGather(Numbered<int32_t>({2, 2}), indices, 1, -2)),
              HasSubstr("-2 batch dimensions"));
}

}  // namespace
}  // namespace stowage::harness
