// SPDX-License-Identifier: Apache-2.0
// Tests that an operator from outside the tree (tests/house/outside/triple.cc)
// is in the list of operators like every other operator, and that models run
// with it. The executable also contains the tests of the list, none of which
// may fail because of the additional operator.
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/operator.h"
#include "tests/harness/run_operator.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using ::testing::ElementsAre;

OperatorCase TripleOf(TensorValue input) {
  OperatorCase c;
  c.code = tflite::BuiltinOperator::CUSTOM;
  c.custom_code = "Triple";
  c.inputs = {std::move(input)};
  c.outputs = {Output(ElementType::kFloat32, {1})};
  return c;
}

TEST(OutsideOperator, IsInTheListOfOperators) {
  const OperatorResolver resolver = BuiltinOperators();
  EXPECT_NE(resolver.Find("Triple", /*is_custom=*/true), nullptr);
  EXPECT_NE(resolver.Find("CONV_2D", /*is_custom=*/false), nullptr);
}

TEST(OutsideOperator, RunsInAModel) {
  const OperatorCase c = TripleOf(Values<float>({2}, {1, -2}));
  EXPECT_THAT(ValuesOf<float>(RunOperator(c)), ElementsAre(3, -6));
}

TEST(OutsideOperator, IsNamedInItsErrors) {
  const OperatorCase c = TripleOf(Values<int32_t>({2}, {1, -2}));
  EXPECT_THAT(RunOperator(c).status(),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "test.tflite: subgraph 0, operator 0 (CUSTOM "
                        "\"Triple\"): expected one input and one output, of "
                        "FLOAT32"));
}

}  // namespace
}  // namespace stowage::harness
