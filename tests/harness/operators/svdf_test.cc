// SPDX-License-Identifier: Apache-2.0
// Tests SVDF.
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

// Returns an operator with one unit of rank 2 and a memory of three steps. For
// the input [1, 2], its two filters compute 1 * 10 + 2 * 1 = 12 and 1 * 1 - 2 *
// 1 = -1.
OperatorCase FloatSvdf() {
  OperatorCase svdf{tflite::BuiltinOperator::SVDF};
  tflite::SVDFOptionsT options;
  options.rank = 2;
  svdf.options.Set(options);
  svdf.inputs = {Values<float>({1, 2}, {1, 2}),
                 Values<float>({2, 2}, {10, 1, 1, -1}).Constant(),
                 Values<float>({2, 3}, {100, 10, 1, 5, 3, 2}).Constant(),
                 Values<float>({1}, {0.5F}).Constant(),
                 Values<float>({1, 6}, {}).Variable()};
  svdf.outputs = {Output(ElementType::kFloat32, {1})};
  return svdf;
}

// Returns the operator of FloatSvdf with quantized tensors.
template <typename State>
OperatorCase IntegerSvdf(int state_zero) {
  OperatorCase svdf = FloatSvdf();
  svdf.inputs = {
      Values<int8_t>({1, 2}, {6, 7}, Scaled(1, 5)),
      Values<int8_t>({2, 2}, {10, 1, 1, -1}, Scaled(1, 0)).Constant(),
      Values<State>({2, 3}, {100, 10, 1, 5, 3, 2}, Scaled(1, 0)).Constant(),
      Values<int32_t>({1}, {8}).Constant(),
      Values<State>({1, 6}, {}, Scaled(1, state_zero)).Variable()};
  svdf.outputs = {Output(ElementType::kInt8, {1}, Scaled(16, -3))};
  return svdf;
}

struct StepsCase {
  const char* name;
  int invocations;
  float output;
  int8_t fixed;  // (output - 0.5 + 8) / 16 - 3
};

class SvdfSteps : public ::testing::TestWithParam<StepsCase> {};

TEST_P(SvdfSteps, FloatsRememberWhatTheySaw) {
  OperatorCase svdf = FloatSvdf();
  svdf.invocations = GetParam().invocations;
  EXPECT_THAT(ValuesOf<float>(RunOperator(svdf)),
              ElementsAre(GetParam().output));
}

TEST_P(SvdfSteps, IntegersRememberIn16Bits) {
  OperatorCase svdf = IntegerSvdf<int16_t>(0);
  svdf.invocations = GetParam().invocations;
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(svdf)),
              ElementsAre(GetParam().fixed));
}

TEST_P(SvdfSteps, IntegersRememberIn8BitsFromAZeroPointOn) {
  OperatorCase svdf = IntegerSvdf<int8_t>(-20);
  svdf.invocations = GetParam().invocations;
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(svdf)),
              ElementsAre(GetParam().fixed));
}

INSTANTIATE_TEST_SUITE_P(Svdf, SvdfSteps,
                         ::testing::Values(
                             // 12 * 1 - 1 * 2
                             StepsCase{"First", 1, 10.5F, -2},
                             // 12 * (1 + 10) - 1 * (2 + 3)
                             // 135 / 16 is rounded twice: 67.5 / 8 becomes 68 /
                             // 8, and 8.5 becomes 9.
                             StepsCase{"Second", 2, 127.5F, 6},
                             // 12 * (1 + 10 + 100) - 1 * (2 + 3 + 5)
                             StepsCase{"Third", 3, 1322.5F, 80},
                             StepsCase{"FourthForgetsTheFirst", 4, 1322.5F,
                                       80}),
                         [](const auto& p) { return p.param.name; });

TEST(Svdf, TheBiasMayBeLeftOut) {
  OperatorCase svdf = FloatSvdf();
  svdf.inputs[3] = Absent();
  EXPECT_THAT(ValuesOf<float>(RunOperator(svdf)), ElementsAre(10));
}

TEST(Svdf, ReluIsFused) {
  OperatorCase svdf = FloatSvdf();
  svdf.inputs[0] = Values<float>({1, 2}, {-1, -2});
  svdf.options.AsSVDFOptions()->fused_activation_function =
      tflite::ActivationFunctionType::RELU;
  EXPECT_THAT(ValuesOf<float>(RunOperator(svdf)), ElementsAre(0));
}

// Each batch has a separate state.
TEST(Svdf, BatchesAreApart) {
  OperatorCase svdf = FloatSvdf();
  svdf.inputs[0] = Values<float>({2, 2}, {1, 2, 0, 1});
  svdf.inputs[4] = Values<float>({2, 6}, {}).Variable();
  svdf.invocations = 2;
  EXPECT_THAT(ValuesOf<float>(RunOperator(svdf)),
              ElementsAre(127.5F, 1 * 11 - 1 * 5 + 0.5F));
}

struct SvdfRefusal {
  const char* name;
  void (*spoil)(OperatorCase&);
  const char* message;
};

class SvdfRefuses : public ::testing::TestWithParam<SvdfRefusal> {};

TEST_P(SvdfRefuses, With) {
  OperatorCase svdf = IntegerSvdf<int16_t>(0);
  ASSERT_TRUE(RunOperator(svdf).ok());
  GetParam().spoil(svdf);
  const auto outputs = RunOperator(svdf);
  EXPECT_THAT(std::string(outputs.status().message()),
              HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Svdf, SvdfRefuses,
    ::testing::Values(
        SvdfRefusal{"RankZero",
                    [](auto& c) { c.options.AsSVDFOptions()->rank = 0; },
                    "its rank 0; expected"},
        SvdfRefusal{"RankThree",
                    [](auto& c) { c.options.AsSVDFOptions()->rank = 3; },
                    "its rank 3; expected"},
        SvdfRefusal{"NoState", [](auto& c) { c.inputs[4] = Absent(); },
                    "input 4 is left out; expected the state"},
        SvdfRefusal{"StateIsNoVariable",
                    [](auto& c) {
                      c.inputs[4] = Values<int16_t>({1, 6}, {1, 2, 3, 4, 5, 6},
                                                    Scaled(1, 0));
                    },
                    "expected a variable of 1 times 2 times 3 elements"},
        SvdfRefusal{"StateOfAnotherSize",
                    [](auto& c) {
                      c.inputs[4] =
                          Values<int16_t>({1, 5}, {}, Scaled(1, 0)).Variable();
                    },
                    "expected a variable of 1 times 2 times 3 elements"},
        SvdfRefusal{"TimeWeightsOfAnotherType",
                    [](auto& c) {
                      c.inputs[2] = Values<int8_t>({2, 3}, {1, 2, 3, 4, 5, 6},
                                                   Scaled(1, 0))
                                        .Constant();
                    },
                    "its type is INT8; expected INT16"},
        SvdfRefusal{"Bias",
                    [](auto& c) {
                      c.inputs[3] = Values<int32_t>({2}, {1, 2}).Constant();
                    },
                    "it has 2 elements; expected one for each of 1 units"}),
    [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace stowage::harness
