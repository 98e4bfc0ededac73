// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "src/harness/kernels/lstm.h"
#include "src/harness/kernels/sigmoid16.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness {
namespace {

namespace in = lstm_input;

// Returns the product of two numbers, rescaled by `factor`.
int32_t Product(int16_t a, int16_t b, const Multiplier& factor) {
  return Multiply(int32_t{a} * b, factor);
}

struct IntegerArithmetic {
  void RunGate(size_t g, int64_t step) const {
    const LstmShape& shape = run.shape;
    const auto& gate = run.gates[g];
    const LstmFactors::Gate& f = factors.gates[g];
    // Sums wrap at 32 bits, as in kernels with 32-bit accumulators.
    run.Multiply(
        run.input, factors.input_zero,
        {gate.input_weights, shape.cells, shape.inputs, f.input_weights_zero},
        [&](int64_t b) { return shape.Row(b, step); },
        [&](int64_t b, int64_t c, int64_t sum) {
          if (gate.bias != nullptr) sum += gate.bias[c];
          gate.values[b * shape.cells + c] =
              Saturate<int16_t>(Multiply(static_cast<int32_t>(sum), f.input));
        });
    run.Multiply(
        run.output_state, factors.output_zero,
        {gate.recurrent_weights, shape.cells, shape.outputs,
         f.recurrent_weights_zero},
        [](int64_t b) { return b; },
        [&](int64_t b, int64_t c, int64_t sum) {
          int16_t& value = gate.values[b * shape.cells + c];
          value = Saturate<int16_t>(
              int64_t{value} + Saturate<int16_t>(Multiply(
                                   static_cast<int32_t>(sum), f.recurrent)));
        });
    for (int64_t i = 0; i < run.cells(); ++i) {
      gate.values[i] = g == kCellGate ? gate_tanh(gate.values[i])
                                      : gate_logistic(gate.values[i]);
    }
  }

  void UpdateCells() const {
    const int16_t limit = factors.cell_clip;
    for (int64_t i = 0; i < run.cells(); ++i) {
      const auto kept = Saturate<int16_t>(Product(
          run.gates[kForgetGate].values[i], run.cell_state[i], factors.forget));
      const auto added = Saturate<int16_t>(
          Product(run.gates[kInputGate].values[i],
                  run.gates[kCellGate].values[i], factors.input));
      const auto cell = Saturate<int16_t>(int64_t{kept} + added);
      run.cell_state[i] =
          limit > 0 ? std::clamp(cell, static_cast<int16_t>(-limit), limit)
                    : cell;
    }
  }

  void UpdateOutput() const {
    for (int64_t i = 0; i < run.cells(); ++i) {
      const int32_t value =
          Product(cell_tanh(run.cell_state[i]),
                  run.gates[kOutputGate].values[i], factors.output);
      run.output_state[i] =
          Saturate<int8_t>(int64_t{value} + factors.output_zero);
    }
  }

  const LstmRun<int8_t, int16_t, int32_t>& run;
  const LstmFactors& factors;
  Sigmoid16 gate_logistic;
  Sigmoid16 gate_tanh;
  Sigmoid16 cell_tanh;
};

}  // namespace

absl::StatusOr<LstmFactors> MakeLstmFactors(const OperatorContext& context,
                                            float cell_clip) {
  const auto quantization = [&](size_t i) -> const Quantization& {
    return context.input(i).quantization;
  };
  const Quantization& input = quantization(in::kInput);
  const Quantization& output = quantization(in::kOutputState);
  LstmFactors factors;
  factors.input_zero = input.zero_point();
  factors.output_zero = output.zero_point();
  factors.cell_scale = quantization(in::kCellState).scale();
  // The products of two scales are rounded to 32-bit floats, as in the
  // reference kernels.
  for (size_t g = 0; g < kLstmGates; ++g) {
    LstmFactors::Gate& gate = factors.gates[g];
    const Quantization& weights = quantization(in::kInputWeights + g);
    const Quantization& recurrent = quantization(in::kRecurrentWeights + g);
    gate.input_weights_zero = weights.zero_point();
    gate.recurrent_weights_zero = recurrent.zero_point();
    STOWAGE_ASSIGN_OR_RETURN(gate.input,
                             MultiplierOfScales(std::ldexp(
                                 double{input.scale() * weights.scale()}, 12)));
    STOWAGE_ASSIGN_OR_RETURN(
        gate.recurrent, MultiplierOfScales(std::ldexp(
                            double{output.scale() * recurrent.scale()}, 12)));
  }
  const double cell = factors.cell_scale;
  factors.forget = QuantizeMultiplier(std::ldexp(1.0, -15));
  STOWAGE_ASSIGN_OR_RETURN(factors.input,
                           MultiplierOfScales(std::ldexp(1.0, -30) / cell));
  STOWAGE_ASSIGN_OR_RETURN(
      factors.output,
      MultiplierOfScales(std::ldexp(1.0, -30) / double{output.scale()}));
  const double clip = double{cell_clip} / cell;
  factors.cell_clip =
      clip > 0 ? static_cast<int16_t>(std::min(clip, 32767.0)) : int16_t{0};
  return factors;
}

void RunIntegerLstm(OperatorContext& context,
                    const LstmRun<int8_t, int16_t, int32_t>& run,
                    const LstmFactors& factors) {
  RunLstm(
      run,
      IntegerArithmetic{run, factors, Sigmoid16(Sigmoid16::kLogistic, 0x1p-12F),
                        Sigmoid16(Sigmoid16::kTanh, 0x1p-12F),
                        Sigmoid16(Sigmoid16::kTanh, factors.cell_scale)},
      context.output(0).as<int8_t>());
}

}  // namespace stowage::harness
