// SPDX-License-Identifier: Apache-2.0
// Tests the types of outputs. As in TensorFlow Lite, some operators set the
// types of their outputs to the types that they compute, regardless of what the
// model declares. All other operators refuse a model that declares other types.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using ::testing::HasSubstr;
using tflite::BuiltinOperator;

const TensorValue kReals = Values<float>({2}, {1, 2});
const TensorValue kTruths = Values<bool>({2}, {true, false});
const TensorValue kIndex = Values<int32_t>({1}, {0}).Constant();
const TensorValue kOne = Values<int32_t>({}, {1}).Constant();

// Returns a case whose outputs are declared as INT16.
OperatorCase CaseOf(BuiltinOperator code, std::vector<TensorValue> inputs,
                    size_t outputs = 1) {
  OperatorCase result{code};
  result.inputs = std::move(inputs);
  result.outputs.assign(outputs, Output(ElementType::kInt16, {}));
  return result;
}

TEST(OutputTypes, AreThoseThatAreComputed) {
  OperatorCase split = CaseOf(BuiltinOperator::SPLIT, {kIndex, kReals}, 2);
  tflite::SplitOptionsT halves;
  halves.num_splits = 2;
  split.options.Set(halves);
  const OperatorCase cases[] = {
      CaseOf(BuiltinOperator::NEG, {kReals}),
      CaseOf(BuiltinOperator::FLOOR, {kReals}),
      CaseOf(BuiltinOperator::CEIL, {kReals}),
      CaseOf(BuiltinOperator::ROUND, {kReals}),
      CaseOf(BuiltinOperator::ZEROS_LIKE, {kReals}),
      CaseOf(BuiltinOperator::PRELU, {kReals, kReals}),
      CaseOf(BuiltinOperator::ADD, {kReals, kReals}),
      CaseOf(BuiltinOperator::EXPAND_DIMS, {kReals, kIndex}),
      CaseOf(BuiltinOperator::FILL, {kIndex, Values<float>({}, {1})}),
      CaseOf(BuiltinOperator::GATHER, {kReals, kIndex}),
      CaseOf(BuiltinOperator::GATHER_ND, {kReals, kIndex}),
      CaseOf(BuiltinOperator::SELECT, {kTruths, kReals, kReals}),
      CaseOf(BuiltinOperator::SELECT_V2, {kTruths, kReals, kReals}),
      split,
  };
  for (const OperatorCase& c : cases) {
    SCOPED_TRACE(tflite::EnumNameBuiltinOperator(c.code));
    const auto outputs = RunOperator(c);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    for (const TensorValue& output : *outputs) {
      EXPECT_EQ(output.type, ElementType::kFloat32);
    }
  }
  const auto range =
      RunOperator(CaseOf(BuiltinOperator::RANGE, {kOne, kOne, kOne}));
  ASSERT_TRUE(range.ok()) << range.status();
  EXPECT_EQ(range->at(0).type, ElementType::kInt32);
  const auto less =
      RunOperator(CaseOf(BuiltinOperator::LESS, {kReals, kReals}));
  ASSERT_TRUE(less.ok()) << less.status();
  EXPECT_EQ(less->at(0).type, ElementType::kBool);
}

TEST(OutputTypes, AreThoseThatAreDeclaredOrRefused) {
  const OperatorCase cases[] = {
      CaseOf(BuiltinOperator::ABS, {kReals}),
      CaseOf(BuiltinOperator::EXP, {kReals}),
      CaseOf(BuiltinOperator::RELU, {kReals}),
      CaseOf(BuiltinOperator::TRANSPOSE, {kReals, kIndex}),
  };
  for (const OperatorCase& c : cases) {
    SCOPED_TRACE(tflite::EnumNameBuiltinOperator(c.code));
    EXPECT_THAT(std::string(RunOperator(c).status().message()),
                HasSubstr("its type is INT16; expected FLOAT32"));
  }
}

}  // namespace
}  // namespace stowage::harness
