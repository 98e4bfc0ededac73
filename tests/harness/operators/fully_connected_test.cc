// SPDX-License-Identifier: Apache-2.0
// Tests FULLY_CONNECTED.
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/operators/naive_convolution.h"
#include "tests/harness/run_operator.h"

namespace stowage::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OperatorCase Layer(const TensorValue& input, const TensorValue& weights,
                   const TensorValue& bias, const Quantization& output = {}) {
  OperatorCase layer{tflite::BuiltinOperator::FULLY_CONNECTED};
  layer.options.Set(tflite::FullyConnectedOptionsT());
  layer.inputs = {input, weights.Constant(), bias.Constant()};
  layer.outputs = {Output(input.type, {1}, output)};
  return layer;
}

tflite::FullyConnectedOptionsT& FullyConnectedOptions(OperatorCase& c) {
  return *c.options.AsFullyConnectedOptions();
}

// Holds the numbers of a layer. The layer is computed as a convolution of
// one-pixel images.
struct FullyConnectedData {
  Convolution shape;
  Numbers input;
  Numbers weights;
  Numbers bias;
  Numbers sums;

  Shape Input() const { return {shape.batches, shape.channels}; }
  Shape Weights() const { return {shape.filters, shape.channels}; }
};

FullyConnectedData FullyConnectedAnyData(int max_input) {
  FullyConnectedData data;
  data.shape.batches = *rc::gen::inRange(1, 20);
  data.shape.channels = *rc::gen::inRange(1, 40);
  data.shape.filters = *rc::gen::inRange(1, 20);
  data.input = AnyNumbers(Count(data.Input()), -max_input, max_input);
  data.weights = AnyNumbers(Count(data.Weights()), -100, 100);
  data.bias = AnyNumbers(static_cast<size_t>(data.shape.filters), -1000, 1000);
  data.sums = Convolve(data.shape, data.input, data.weights, data.bias);
  return data;
}

RC_GTEST_PROP(FullyConnected, FloatsAreSummedByTheDefinition, ()) {
  const FullyConnectedData data = FullyConnectedAnyData(100);
  const auto outputs = RunOperator(
      Layer(Values(data.Input(), Elements<float>(data.input)),
            Values(data.Weights(), Elements<float>(data.weights)),
            Values({data.shape.filters}, Elements<float>(data.bias))));
  RC_ASSERT(ValuesOf<float>(outputs) == Elements<float>(data.sums));
  RC_ASSERT(outputs->at(0).shape ==
            (Shape{data.shape.batches, data.shape.filters}));
}

RC_GTEST_PROP(FullyConnected, WeightsOfEightBitsHaveAZeroPoint, ()) {
  const FullyConnectedData data = FullyConnectedAnyData(100);
  const int zero = *rc::gen::inRange(-27, 28);
  const auto outputs = RunOperator(
      Layer(Values(data.Input(), Elements<int8_t>(data.input, zero),
                   Scaled(0.5F, zero)),
            Values(data.Weights(), Elements<int8_t>(data.weights, -zero),
                   Scaled(0.5F, -zero)),
            Values({data.shape.filters}, Elements<int32_t>(data.bias)),
            Scaled(0.25F, 3)));
  RC_ASSERT(ValuesOf<int8_t>(outputs) == Saturated<int8_t>(data.sums, 3));
}

RC_GTEST_PROP(FullyConnected, UnsignedElementsToo, ()) {
  const FullyConnectedData data = FullyConnectedAnyData(100);
  const auto outputs = RunOperator(
      Layer(Values(data.Input(), Elements<uint8_t>(data.input, 150),
                   Scaled(0.5F, 150)),
            Values(data.Weights(), Elements<uint8_t>(data.weights, 101),
                   Scaled(0.5F, 101)),
            Values({data.shape.filters}, Elements<int32_t>(data.bias)),
            Scaled(0.25F, 128)));
  RC_ASSERT(ValuesOf<uint8_t>(outputs) == Saturated<uint8_t>(data.sums, 128));
}

RC_GTEST_PROP(FullyConnected, SixteenBitInputsHaveSumsOf64, ()) {
  const FullyConnectedData data = FullyConnectedAnyData(32000);
  const bool has_bias = *rc::gen::arbitrary<bool>();
  const Numbers sums =
      has_bias ? data.sums : Convolve(data.shape, data.input, data.weights, {});
  const auto outputs = RunOperator(Layer(
      Values(data.Input(), Elements<int16_t>(data.input), Scaled(0.5F, 0)),
      Values(data.Weights(), Elements<int8_t>(data.weights), Scaled(0.5F, 0)),
      has_bias ? Values({data.shape.filters}, Elements<int64_t>(data.bias))
               : Absent(),
      Scaled(0.25F, 0)));
  RC_ASSERT(ValuesOf<int16_t>(outputs) == Saturated<int16_t>(sums, 0));
}

TEST(FullyConnected, UnitsMayHaveScalesOfTheirOwn) {
  const auto outputs = RunOperator(
      Layer(Values<int8_t>({1, 2}, {10, 20}, Scaled(1, 0)),
            Values<int8_t>({2, 2}, {1, 1, 1, 1}, {{0.5F, 2}, {0, 0}, 0}),
            Values<int32_t>({2}, {0, 0}), Scaled(1, 0)));
  EXPECT_THAT(ValuesOf<int8_t>(outputs), ElementsAre(15, 60));
}

struct HybridCase {
  const char* name;
  bool is_asymmetric;
  std::vector<float> outputs;
};

class FullyConnectedHybrid : public ::testing::TestWithParam<HybridCase> {};

TEST_P(FullyConnectedHybrid, QuantisesEachRowByItsRange) {
  OperatorCase layer = Layer(Values<float>({2, 2}, {-127, 10, 0, 510}),
                             Values<int8_t>({1, 2}, {1, 2}, Scaled(1, 0)),
                             Values<float>({1}, {1}));
  FullyConnectedOptions(layer).asymmetric_quantize_inputs =
      GetParam().is_asymmetric;
  EXPECT_THAT(
      ValuesOf<float>(RunOperator(layer)),
      ::testing::Pointwise(::testing::FloatNear(1e-3F), GetParam().outputs));
}

INSTANTIATE_TEST_SUITE_P(
    FullyConnected, FullyConnectedHybrid,
    ::testing::Values(HybridCase{"Symmetric", false, {-106, 1021}},
                      // The scale is 137 / 255, and the zero point is 108. The
                      // input -127 is 236 steps below 0, and the input 10,
                      // which occurs twice, is 19 steps above 0.
                      HybridCase{
                          "Asymmetric", true, {-198 * 137 / 255.0F + 1, 1021}}),
    [](const auto& p) { return p.param.name; });

struct ShapeCase {
  const char* name;
  Shape input;
  bool keep_num_dims;
  Shape output;
};

class FullyConnectedShape : public ::testing::TestWithParam<ShapeCase> {};

TEST_P(FullyConnectedShape, IsThatOfRowsOrTheInputs) {
  const std::vector<float> input(Count(GetParam().input), 1);
  OperatorCase layer = Layer(Values(GetParam().input, input),
                             Values<float>({3, 2}, {1, 1, 1, 1, 1, 1}),
                             Values<float>({3}, {0, 0, 0}));
  FullyConnectedOptions(layer).keep_num_dims = GetParam().keep_num_dims;
  EXPECT_EQ(RunOperator(layer)->at(0).shape, GetParam().output);
}

INSTANTIATE_TEST_SUITE_P(
    FullyConnected, FullyConnectedShape,
    ::testing::Values(ShapeCase{"Rows", {4, 2}, false, {4, 3}},
                      ShapeCase{"Flattened", {2, 2, 2}, false, {4, 3}},
                      ShapeCase{"RowsAcross", {1, 2, 3}, false, {3, 3}},
                      ShapeCase{"Kept", {2, 4, 2}, true, {2, 4, 3}},
                      ShapeCase{"KeptVector", {2}, true, {3}},
                      ShapeCase{"None", {0, 2}, false, {0, 3}}),
    [](const auto& p) { return p.param.name; });

struct FullyConnectedRefusal {
  const char* name;
  void (*spoil)(OperatorCase&);
  const char* message;
};

class FullyConnectedRefuses
    : public ::testing::TestWithParam<FullyConnectedRefusal> {};

TEST_P(FullyConnectedRefuses, With) {
  OperatorCase layer =
      Layer(Values<float>({1, 2}, {1, 2}), Values<float>({1, 2}, {1, 2}),
            Values<float>({1}, {1}));
  ASSERT_TRUE(RunOperator(layer).ok());
  GetParam().spoil(layer);
  const auto outputs = RunOperator(layer);
  EXPECT_THAT(std::string(outputs.status().message()),
              HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    FullyConnected, FullyConnectedRefuses,
    ::testing::Values(
        FullyConnectedRefusal{"Depth",
                              [](auto& c) {
                                c.inputs[0] = Values<float>({1, 3}, {1, 2, 3});
                              },
                              "its shape is [1, 3]; expected rows of 2"},
        FullyConnectedRefusal{"KeptDepth",
                              [](auto& c) {
                                c.inputs[0] = Values<float>({2, 1}, {1, 2});
                                FullyConnectedOptions(c).keep_num_dims = true;
                              },
                              "its shape is [2, 1]; expected rows of 2"},
        FullyConnectedRefusal{
            "NoDepth",
            [](auto& c) {
              c.inputs[1] = Values<float>({1, 0}, {}).Constant();
            },
            "expected rows of 0"},
        FullyConnectedRefusal{
            "ShuffledWeights",
            [](auto& c) {
              FullyConnectedOptions(c).weights_format =
                  tflite::FullyConnectedOptionsWeightsFormat::SHUFFLED4x16INT8;
            },
            "its weights are in format 1"},
        FullyConnectedRefusal{
            "ZeroPointOfHybridWeights",
            [](auto& c) {
              c.inputs[1] =
                  Values<int8_t>({1, 2}, {1, 2}, Scaled(1, 3)).Constant();
            },
            "its zero point is 3; expected 0, as the input is FLOAT32"}),
    [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace stowage::harness
