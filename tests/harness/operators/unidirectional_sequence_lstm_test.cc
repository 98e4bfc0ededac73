// SPDX-License-Identifier: Apache-2.0
// Compares UNIDIRECTIONAL_SEQUENCE_LSTM with its equations, step by step.
#include <algorithm>
#include <cmath>
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

using ::testing::HasSubstr;
using Reals = std::vector<double>;

constexpr size_t kInputGate = 0;
constexpr size_t kForgetGate = 1;
constexpr size_t kCellGate = 2;
constexpr size_t kOutputGate = 3;

// Holds the numbers of a gate in the order of the operator's inputs.
struct Gate {
  Reals input_weights;  // [cells, inputs]
  Reals recurrent_weights;
  Reals peephole;
  Reals bias;
  Reals normalization;
};

struct Lstm {
  int batches = 1;
  int steps = 1;
  int inputs = 1;
  int cells = 1;
  int outputs = 1;
  bool is_time_major = false;
  bool is_coupled = false;
  bool has_peepholes = false;
  bool has_normalization = false;
  bool has_projection = false;
  double cell_clip = 0;
  double projection_clip = 0;
  Gate gates[4];
  Reals projection;
  Reals projection_bias;
  Reals input;  // by row

  size_t Row(int batch, int step) const {
    return static_cast<size_t>(is_time_major ? step * batches + batch
                                             : batch * steps + step);
  }
};

Reals AnyReals(int count) {
  const auto numbers = *rc::gen::container<std::vector<int>>(
      static_cast<size_t>(count), rc::gen::inRange(-64, 65));
  Reals reals;
  for (const int number : numbers) reals.push_back(number / 64.0);
  return reals;
}

// Returns a plain LSTM if `is_plain` is true, and otherwise an LSTM with random
// variants.
Lstm AnyLstm(bool is_plain) {
  const auto any = [&] { return !is_plain && *rc::gen::arbitrary<bool>(); };
  Lstm lstm;
  lstm.batches = *rc::gen::inRange(1, 12);
  lstm.steps = *rc::gen::inRange(1, 4);
  lstm.inputs = *rc::gen::inRange(1, 6);
  lstm.cells = *rc::gen::inRange(2, 7);
  lstm.is_time_major = *rc::gen::arbitrary<bool>();
  lstm.is_coupled = any();
  lstm.has_peepholes = any();
  lstm.has_normalization = any();
  lstm.has_projection = any();
  lstm.cell_clip = *rc::gen::element(0.0, 0.25);
  lstm.projection_clip = *rc::gen::element(0.0, 0.25);
  lstm.outputs = lstm.has_projection ? *rc::gen::inRange(1, 5) : lstm.cells;
  for (Gate& gate : lstm.gates) {
    gate.input_weights = AnyReals(lstm.cells * lstm.inputs);
    gate.recurrent_weights = AnyReals(lstm.cells * lstm.outputs);
    gate.peephole = AnyReals(lstm.cells);
    gate.bias = AnyReals(lstm.cells);
    gate.normalization = AnyReals(lstm.cells);
  }
  lstm.projection = AnyReals(lstm.outputs * lstm.cells);
  lstm.projection_bias = AnyReals(lstm.outputs);
  lstm.input = AnyReals(lstm.batches * lstm.steps * lstm.inputs);
  return lstm;
}

// Returns the product of a matrix and a vector.
Reals Times(const Reals& matrix, const Reals& vector) {
  Reals result(matrix.size() / vector.size(), 0.0);
  for (size_t i = 0; i < matrix.size(); ++i) {
    result[i / vector.size()] += matrix[i] * vector[i % vector.size()];
  }
  return result;
}

Reals Normalized(Reals values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / count;
  double variance = 0;
  for (const double value : values) {
    variance += (value - mean) * (value - mean) / count;
  }
  for (double& value : values) {
    value = (value - mean) / std::sqrt(variance + 1e-8);
  }
  return values;
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double Clipped(double x, double limit) {
  return limit > 0 ? std::clamp(x, -limit, limit) : x;
}

Reals GateValues(const Lstm& lstm, size_t g, const Reals& input,
                 const Reals& output, const Reals& cell) {
  const Gate& gate = lstm.gates[g];
  Reals values = Times(gate.input_weights, input);
  const Reals recurrent = Times(gate.recurrent_weights, output);
  for (size_t c = 0; c < values.size(); ++c) {
    values[c] += recurrent[c];
    if (lstm.has_peepholes && g != kCellGate) {
      values[c] += gate.peephole[c] * cell[c];
    }
  }
  if (lstm.has_normalization) values = Normalized(values);
  for (size_t c = 0; c < values.size(); ++c) {
    if (lstm.has_normalization) values[c] *= gate.normalization[c];
    values[c] += gate.bias[c];
    values[c] = g == kCellGate ? std::tanh(values[c]) : Sigmoid(values[c]);
  }
  return values;
}

// Returns the outputs of one batch, one element for each step.
std::vector<Reals> RunBatch(const Lstm& lstm, int batch) {
  std::vector<Reals> outputs;
  Reals output(static_cast<size_t>(lstm.outputs), 0.0);
  Reals cell(static_cast<size_t>(lstm.cells), 0.0);
  for (int step = 0; step < lstm.steps; ++step) {
    const auto row =
        lstm.input.begin() +
        static_cast<std::ptrdiff_t>(lstm.Row(batch, step)) * lstm.inputs;
    const Reals input(row, row + lstm.inputs);
    const Reals in = GateValues(lstm, kInputGate, input, output, cell);
    const Reals forget = GateValues(lstm, kForgetGate, input, output, cell);
    const Reals seen = GateValues(lstm, kCellGate, input, output, cell);
    for (size_t c = 0; c < cell.size(); ++c) {
      const double let_in = lstm.is_coupled ? 1 - forget[c] : in[c];
      cell[c] = Clipped(forget[c] * cell[c] + let_in * seen[c], lstm.cell_clip);
    }
    const Reals gate = GateValues(lstm, kOutputGate, input, output, cell);
    Reals hidden;
    for (size_t c = 0; c < cell.size(); ++c) {
      hidden.push_back(gate[c] * std::tanh(cell[c]));
    }
    output = hidden;
    if (lstm.has_projection) {
      output = Times(lstm.projection, hidden);
      for (size_t o = 0; o < output.size(); ++o) {
        output[o] =
            Clipped(output[o] + lstm.projection_bias[o], lstm.projection_clip);
      }
    }
    outputs.push_back(output);
  }
  return outputs;
}

TensorValue Floats(const Shape& shape, const Reals& reals, bool is_there) {
  if (!is_there) return Absent();
  return Values<float>(shape, {reals.begin(), reals.end()});
}

Shape Sequence(const Lstm& lstm, int width) {
  return lstm.is_time_major ? Shape{lstm.steps, lstm.batches, width}
                            : Shape{lstm.batches, lstm.steps, width};
}

OperatorCase FloatCase(const Lstm& lstm) {
  OperatorCase c{tflite::BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM};
  tflite::UnidirectionalSequenceLSTMOptionsT options;
  options.fused_activation_function = tflite::ActivationFunctionType::TANH;
  options.time_major = lstm.is_time_major;
  options.cell_clip = static_cast<float>(lstm.cell_clip);
  options.proj_clip = static_cast<float>(lstm.projection_clip);
  c.options.Set(options);
  c.inputs.assign(24, Absent());
  c.inputs[0] = Floats(Sequence(lstm, lstm.inputs), lstm.input, true);
  for (size_t g = 0; g < 4; ++g) {
    const Gate& gate = lstm.gates[g];
    const bool is_there = g != kInputGate || !lstm.is_coupled;
    c.inputs[1 + g] =
        Floats({lstm.cells, lstm.inputs}, gate.input_weights, is_there);
    c.inputs[5 + g] =
        Floats({lstm.cells, lstm.outputs}, gate.recurrent_weights, is_there);
    c.inputs[12 + g] = Floats({lstm.cells}, gate.bias, is_there);
    c.inputs[20 + g] = Floats({lstm.cells}, gate.normalization,
                              is_there && lstm.has_normalization);
  }
  c.inputs[9] = Floats({lstm.cells}, lstm.gates[kInputGate].peephole,
                       lstm.has_peepholes && !lstm.is_coupled);
  c.inputs[10] = Floats({lstm.cells}, lstm.gates[kForgetGate].peephole,
                        lstm.has_peepholes);
  c.inputs[11] = Floats({lstm.cells}, lstm.gates[kOutputGate].peephole,
                        lstm.has_peepholes);
  c.inputs[16] =
      Floats({lstm.outputs, lstm.cells}, lstm.projection, lstm.has_projection);
  c.inputs[17] =
      Floats({lstm.outputs}, lstm.projection_bias, lstm.has_projection);
  c.inputs[18] = Values<float>({lstm.batches, lstm.outputs}, {}).Variable();
  c.inputs[19] = Values<float>({lstm.batches, lstm.cells}, {}).Variable();
  c.outputs = {Output(ElementType::kFloat32, {1})};
  return c;
}

// Returns the largest difference between the outputs and the results computed
// from the equations.
double LargestError(const Lstm& lstm, const std::vector<double>& outputs) {
  double largest = 0;
  for (int b = 0; b < lstm.batches; ++b) {
    const std::vector<Reals> expected = RunBatch(lstm, b);
    for (int step = 0; step < lstm.steps; ++step) {
      for (int o = 0; o < lstm.outputs; ++o) {
        const size_t at =
            lstm.Row(b, step) * static_cast<size_t>(lstm.outputs) +
            static_cast<size_t>(o);
        const double error =
            expected[static_cast<size_t>(step)][static_cast<size_t>(o)] -
            outputs.at(at);
        largest = std::max(largest, std::abs(error));
      }
    }
  }
  return largest;
}

RC_GTEST_PROP(Lstm, FloatsOfAllVariantsFollowTheEquations, ()) {
  const Lstm lstm = AnyLstm(false);
  const auto outputs = RunOperator(FloatCase(lstm));
  const std::vector<float> values = ValuesOf<float>(outputs);
  // Normalization divides by the standard deviation of a gate, so errors grow
  // if the deviation is small.
  const double tolerance = lstm.has_normalization ? 5e-3 : 1e-5;
  RC_ASSERT(LargestError(lstm, {values.begin(), values.end()}) < tolerance);
  RC_ASSERT(outputs->at(0).shape == Sequence(lstm, lstm.outputs));
}

TensorValue Bytes(const Shape& shape, const Reals& reals, double scale,
                  int zero_point) {
  std::vector<int8_t> bytes;
  for (const double real : reals) {
    bytes.push_back(static_cast<int8_t>(
        std::clamp(std::round(real / scale) + zero_point, -128.0, 127.0)));
  }
  return Values<int8_t>(shape, bytes,
                        Scaled(static_cast<float>(scale), zero_point));
}

constexpr double kStep = 1.0 / 64;  // of inputs and weights
constexpr double kOutputStep = 1.0 / 128;
constexpr int kInputZero = -5;
constexpr int kOutputZero = 3;

OperatorCase IntegerCase(const Lstm& lstm) {
  OperatorCase c = FloatCase(lstm);
  c.inputs[0] =
      Bytes(Sequence(lstm, lstm.inputs), lstm.input, kStep, kInputZero);
  for (size_t g = 0; g < 4; ++g) {
    const Gate& gate = lstm.gates[g];
    c.inputs[1 + g] =
        Bytes({lstm.cells, lstm.inputs}, gate.input_weights, kStep, 0);
    c.inputs[5 + g] =
        Bytes({lstm.cells, lstm.outputs}, gate.recurrent_weights, kStep, 0);
    std::vector<int32_t> bias;
    for (const double real : gate.bias) {
      bias.push_back(static_cast<int32_t>(real / (kStep * kStep)));
    }
    c.inputs[12 + g] = Values<int32_t>({lstm.cells}, bias);
  }
  const Quantization output =
      Scaled(static_cast<float>(kOutputStep), kOutputZero);
  c.inputs[18] =
      Values<int8_t>({lstm.batches, lstm.outputs}, {}, output).Variable();
  c.inputs[19] =
      Values<int16_t>({lstm.batches, lstm.cells}, {}, Scaled(1.0F / 2048, 0))
          .Variable();
  c.outputs = {Output(ElementType::kInt8, {1}, output)};
  return c;
}

RC_GTEST_PROP(Lstm, IntegersFollowTheEquationsWithinTwoSteps, ()) {
  const Lstm lstm = AnyLstm(true);
  std::vector<double> values;
  for (const int8_t value : ValuesOf<int8_t>(RunOperator(IntegerCase(lstm)))) {
    values.push_back((value - kOutputZero) * kOutputStep);
  }
  RC_ASSERT(LargestError(lstm, values) < 2 * kOutputStep);
}

// Returns an LSTM with one input and one cell. All weights and biases are 0.5.
Lstm UnidirectionalSequenceLstmPlain() {
  Lstm lstm;
  for (Gate& gate : lstm.gates) gate = {{0.5}, {0.5}, {0.5}, {0.5}, {0.5}};
  lstm.input = {1};
  return lstm;
}

// Two runs of one step compute the same as one run of two steps, because the
// state is kept between runs.
TEST(Lstm, TheStateOutlivesARun) {
  OperatorCase once = FloatCase(UnidirectionalSequenceLstmPlain());
  once.invocations = 2;
  Lstm lstm = UnidirectionalSequenceLstmPlain();
  lstm.steps = 2;
  lstm.input = {1, 1};
  EXPECT_EQ(ValuesOf<float>(RunOperator(once))[0],
            ValuesOf<float>(RunOperator(FloatCase(lstm)))[1]);
}

TEST(Lstm, TwentyInputsHaveNoNormalization) {
  OperatorCase lstm = FloatCase(UnidirectionalSequenceLstmPlain());
  const auto expected = ValuesOf<float>(RunOperator(lstm));
  lstm.inputs.resize(20);
  EXPECT_EQ(ValuesOf<float>(RunOperator(lstm)), expected);
}

struct UnidirectionalSequenceLstmRefusal {
  const char* name;
  void (*spoil)(OperatorCase&);
  const char* message;
};

tflite::UnidirectionalSequenceLSTMOptionsT& UnidirectionalSequenceLstmOptions(
    OperatorCase& c) {
  return *c.options.AsUnidirectionalSequenceLSTMOptions();
}

void ExpectRefusal(OperatorCase lstm,
                   const UnidirectionalSequenceLstmRefusal& refusal) {
  ASSERT_TRUE(RunOperator(lstm).ok());
  refusal.spoil(lstm);
  const auto outputs = RunOperator(lstm);
  EXPECT_THAT(std::string(outputs.status().message()),
              HasSubstr(refusal.message));
}

class LstmRefuses
    : public ::testing::TestWithParam<UnidirectionalSequenceLstmRefusal> {};

TEST_P(LstmRefuses, With) {
  ExpectRefusal(FloatCase(UnidirectionalSequenceLstmPlain()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Lstm, LstmRefuses,
    ::testing::Values(
        UnidirectionalSequenceLstmRefusal{
            "Count", [](auto& c) { c.inputs.resize(21); },
            "it has 21 inputs; expected 20 or 24"},
        UnidirectionalSequenceLstmRefusal{
            "NoForgetGate", [](auto& c) { c.inputs[2] = Absent(); },
            "one of its inputs is left out"},
        UnidirectionalSequenceLstmRefusal{
            "HalfAnInputGate", [](auto& c) { c.inputs[5] = Absent(); },
            "its input gate has weights or a bias, but not all of them"},
        UnidirectionalSequenceLstmRefusal{
            "OnePeephole",
            [](auto& c) { c.inputs[10] = Values<float>({1}, {1}); },
            "peepholes, normalisation or a projection in parts"},
        UnidirectionalSequenceLstmRefusal{
            "BiasOfNoProjection",
            [](auto& c) { c.inputs[17] = Values<float>({1}, {1}); },
            "peepholes, normalisation or a projection in parts"},
        UnidirectionalSequenceLstmRefusal{
            "Weights",
            [](auto& c) {
              c.inputs[3] = Values<float>({1, 2}, {1, 2});
            },
            "its shape is [1, 2]; expected [1, 1]"},
        UnidirectionalSequenceLstmRefusal{
            "CellsAndOutputs",
            [](auto& c) {
              c.inputs[8] = Values<float>({1, 2}, {1, 2});
            },
            "1 cells and 2 outputs"},
        UnidirectionalSequenceLstmRefusal{
            "Rank",
            [](auto& c) {
              c.inputs[0].shape = {1, 1};
            },
            "its shape is [1, 1]; expected 3 dimensions"},
        UnidirectionalSequenceLstmRefusal{
            "State",
            [](auto& c) {
              c.inputs[19] = Values<float>({2, 1}, {}).Variable();
            },
            "expected a variable of 1 times 1 elements"},
        UnidirectionalSequenceLstmRefusal{
            "StateIsNoVariable",
            [](auto& c) {
              c.inputs[18] = Values<float>({1, 1}, {1});
            },
            "expected a variable of 1 times 1 elements"},
        UnidirectionalSequenceLstmRefusal{
            "HybridWeights",
            [](auto& c) {
              c.inputs[1] = Values<int8_t>({1, 1}, {1}, Scaled(1, 0));
            },
            "its type is INT8; expected FLOAT32"},
        UnidirectionalSequenceLstmRefusal{
            "Activation",
            [](auto& c) {
              UnidirectionalSequenceLstmOptions(c).fused_activation_function =
                  tflite::ActivationFunctionType::RELU;
            },
            "its activation is number 1; expected TANH"},
        UnidirectionalSequenceLstmRefusal{
            "DiagonalWeights",
            [](auto& c) {
              UnidirectionalSequenceLstmOptions(c).diagonal_recurrent_tensors =
                  true;
            },
            "its recurrent weights are diagonal"}),
    [](const auto& p) { return p.param.name; });

class IntegerLstmRefuses
    : public ::testing::TestWithParam<UnidirectionalSequenceLstmRefusal> {};

TEST_P(IntegerLstmRefuses, With) {
  ExpectRefusal(IntegerCase(UnidirectionalSequenceLstmPlain()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Lstm, IntegerLstmRefuses,
    ::testing::Values(
        UnidirectionalSequenceLstmRefusal{
            "CellScale",
            [](auto& c) { c.inputs[19].quantization.scales[0] = 0.001F; },
            "its scale is 0.001, its zero point 0; expected a power of "
            "two, and 0"},
        UnidirectionalSequenceLstmRefusal{
            "CellOf8Bits",
            [](auto& c) {
              c.inputs[19] =
                  Values<int8_t>({1, 1}, {}, Scaled(1, 0)).Variable();
            },
            "its type is INT8; expected INT16"},
        UnidirectionalSequenceLstmRefusal{
            "Projection",
            [](auto& c) {
              c.inputs[16] = Values<int8_t>({1, 1}, {1}, Scaled(1, 0));
            },
            "expected the plain variant"},
        UnidirectionalSequenceLstmRefusal{
            "WeightsOfFloats",
            [](auto& c) {
              c.inputs[7] = Values<float>({1, 1}, {1});
            },
            "its type is FLOAT32; expected INT8"}),
    [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace stowage::harness
