// SPDX-License-Identifier: Apache-2.0
// Tests RESHAPE.
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

// Returns an operator that reshapes six numbers to the constant `shape`.
OperatorCase ReshapeTo(const std::vector<int32_t>& shape) {
  OperatorCase reshape{tflite::BuiltinOperator::RESHAPE};
  reshape.inputs = {
      Values<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}),
      Values<int32_t>({static_cast<int32_t>(shape.size())}, shape).Constant()};
  reshape.outputs = {Output(ElementType::kInt32, {1})};
  return reshape;
}

TEST(Reshape, TakesTheShapeOfTheSecondInput) {
  const auto outputs = RunOperator(ReshapeTo({3, 2}));
  EXPECT_THAT(ValuesOf<int32_t>(outputs), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(3, 2));
}

TEST(Reshape, OneDimensionMayBeLeftToTheOthers) {
  EXPECT_THAT(RunOperator(ReshapeTo({1, -1, 2}))->at(0).shape,
              ElementsAre(1, 3, 2));
}

TEST(Reshape, TakesTheShapeOfTheOptions) {
  OperatorCase reshape = ReshapeTo({});
  reshape.inputs.resize(1);
  tflite::ReshapeOptionsT options;
  options.new_shape = {6};
  reshape.options.Set(options);
  EXPECT_THAT(RunOperator(reshape)->at(0).shape, ElementsAre(6));
}

TEST(Reshape, AShapeThatIsComputedIsKnownOnlyWhileRunning) {
  OperatorCase reshape = ReshapeTo({6, 1});
  reshape.inputs[1].is_constant = false;
  const auto outputs = RunOperator(reshape);
  EXPECT_THAT(ValuesOf<int32_t>(outputs), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(6, 1));
}

struct RefusedShape {
  const char* name;
  std::vector<int32_t> shape;
  const char* message;
};

class RefusedShapes : public ::testing::TestWithParam<RefusedShape> {};

TEST_P(RefusedShapes, AreAnError) {
  const auto outputs = RunOperator(ReshapeTo(GetParam().shape));
  EXPECT_THAT(std::string(outputs.status().message()),
              HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Reshape, RefusedShapes,
    ::testing::Values(
        RefusedShape{"OtherElements", {4, 2}, "expected 6 elements"},
        RefusedShape{"TwoOpen", {-1, -1}, "and one -1"},
        RefusedShape{"Negative", {-2, 3}, "and one -1"},
        RefusedShape{"NoWholeNumber", {4, -1}, "expected 6 elements"},
        RefusedShape{"Overflow",
                     {2147483647, 2147483647, 2147483647, 2147483647},
                     "and one -1"}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace stowage::harness
