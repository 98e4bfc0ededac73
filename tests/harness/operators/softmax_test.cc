// SPDX-License-Identifier: Apache-2.0
// Compares SOFTMAX with results computed in double precision. The exact values
// of quantized rows are tested by the golden outputs of models.
#include <algorithm>
#include <cmath>
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

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

OperatorCase Softmax(const TensorValue& input, const TensorValue& output,
                     float beta = 1) {
  tflite::SoftmaxOptionsT options;
  options.beta = beta;
  OperatorCase softmax{tflite::BuiltinOperator::SOFTMAX};
  softmax.options.Set(options);
  softmax.inputs = {input};
  softmax.outputs = {output};
  return softmax;
}

std::vector<double> SoftmaxExpected(const std::vector<double>& real) {
  const double max = *std::max_element(real.begin(), real.end());
  double sum = 0;
  for (const double x : real) sum += std::exp(x - max);
  std::vector<double> result;
  for (const double x : real) result.push_back(std::exp(x - max) / sum);
  return result;
}

TEST(Softmax, OfRealNumbers) {
  const auto outputs = RunOperator(
      Softmax(Values<float>({2, 2}, {0, std::log(3.0F), 1e30F, 1e30F}),
              Output(ElementType::kFloat32, {1})));
  EXPECT_THAT(ValuesOf<float>(outputs),
              ElementsAre(FloatNear(0.25F, 1e-6F), FloatNear(0.75F, 1e-6F),
                          FloatNear(0.5F, 1e-6F), FloatNear(0.5F, 1e-6F)));
  EXPECT_THAT(outputs->at(0).shape, ElementsAre(2, 2));
}

TEST(Softmax, BetaScalesTheInput) {
  EXPECT_THAT(ValuesOf<float>(RunOperator(
                  Softmax(Values<float>({2}, {0, std::log(3.0F) / 2}),
                          Output(ElementType::kFloat32, {1}), 2))),
              ElementsAre(FloatNear(0.25F, 1e-6F), FloatNear(0.75F, 1e-6F)));
}

// Runs SOFTMAX on a row of type In, and compares the result with SOFTMAX in
// double precision. The output has type Out, with the scale and the zero point
// that SOFTMAX requires for it.
template <typename In, typename Out>
void SoftmaxIsNear(const std::vector<In>& row, float scale, float out_scale,
                   int32_t out_zero, double tolerance) {
  const auto outputs = ValuesOf<Out>(RunOperator(Softmax(
      Values<In>({static_cast<int32_t>(row.size())}, row, Scaled(scale, 0)),
      Output(kElementTypeOf<Out>, {1}, Scaled(out_scale, out_zero)))));
  std::vector<double> real;
  for (const In x : row) real.push_back(double{scale} * x);
  const std::vector<double> expected = SoftmaxExpected(real);
  ASSERT_EQ(outputs.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const double steps = std::min<double>(
        expected[i] / out_scale,
        std::numeric_limits<Out>::max() - double{1} * out_zero);
    RC_ASSERT(std::abs(outputs[i] - out_zero - steps) <= tolerance);
  }
}

template <typename In>
std::vector<In> Row() {
  return *rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<In>>());
}

RC_GTEST_PROP(SoftmaxOf8Bits, IsWithinAStepOfRealNumbers, ()) {
  const float scale = *rc::gen::element(0.001F, 0.02F, 0.1F, 0.5F, 3.0F);
  SoftmaxIsNear<int8_t, int8_t>(Row<int8_t>(), scale, 1.0F / 256, -128, 1);
  SoftmaxIsNear<uint8_t, uint8_t>(Row<uint8_t>(), scale, 1.0F / 256, 0, 1);
  SoftmaxIsNear<int8_t, int16_t>(Row<int8_t>(), scale, 1.0F / 65536, -32768, 3);
}

// The kernel looks up the reciprocal of the sum and each exponential in tables
// of 513 entries, with linear interpolation and in steps of 2^-15. It computes
// exponentials below exp(-10) as exp(-10). The exponential of each element may
// therefore be off by up to two steps, and these errors add up in the sum.
RC_GTEST_PROP(SoftmaxOf16Bits, IsNearRealNumbers, ()) {
  const float scale = *rc::gen::element(1e-5F, 1e-4F, 1e-3F);
  const auto row = Row<int16_t>();
  const double tolerance = 32 + 2 * static_cast<double>(row.size());
  SoftmaxIsNear<int16_t, int16_t>(row, scale, 1.0F / 32768, 0, tolerance);
}

TEST(SoftmaxOf8Bits, MoreElementsThanAStepHasRoomFor) {
  // Each result is 1/1001, or about 0.26 steps, which is rounded to 0.
  EXPECT_THAT(ValuesOf<uint8_t>(RunOperator(Softmax(
                  Values<uint8_t>({1001}, std::vector<uint8_t>(1001, 7),
                                  Scaled(0.1F, 0)),
                  Output(ElementType::kUint8, {1}, Scaled(1.0F / 256, 0))))),
              Each(0));
}

TEST(SoftmaxOf8Bits, ASingleElementIsAsMuchAsTheTypeHolds) {
  EXPECT_THAT(ValuesOf<int8_t>(RunOperator(Softmax(
                  Values<int8_t>({1}, {5}, Scaled(0.1F, 0)),
                  Output(ElementType::kInt8, {1}, Scaled(1.0F / 256, -128))))),
              ElementsAre(127));
}

struct RefusedSoftmax {
  const char* name;
  OperatorCase operation;
  const char* message;
};

class RefusedSoftmaxes : public ::testing::TestWithParam<RefusedSoftmax> {};

TEST_P(RefusedSoftmaxes, AreAnError) {
  const auto outputs = RunOperator(GetParam().operation);
  EXPECT_THAT(std::string(outputs.status().message()),
              HasSubstr(GetParam().message));
}

const auto kInt8Input = Values<int8_t>({2}, {1, 2}, Scaled(0.1F, 0));

INSTANTIATE_TEST_SUITE_P(
    Softmax, RefusedSoftmaxes,
    ::testing::Values(
        RefusedSoftmax{
            "Scalar",
            Softmax(Values<float>({}, {1}), Output(ElementType::kFloat32, {})),
            "dimensions"},
        RefusedSoftmax{
            "Beta",
            Softmax(kInt8Input,
                    Output(ElementType::kInt8, {2}, Scaled(1.0F / 256, -128)),
                    -1),
            "its beta is -1"},
        RefusedSoftmax{"OutputScale",
                       Softmax(kInt8Input, Output(ElementType::kInt8, {2},
                                                  Scaled(1.0F / 128, -128))),
                       "expected 1/256 and -128"},
        RefusedSoftmax{"OutputType",
                       Softmax(kInt8Input, Output(ElementType::kUint8, {2},
                                                  Scaled(1.0F / 256, 0))),
                       "its type is UINT8"}),
    [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace stowage::harness
