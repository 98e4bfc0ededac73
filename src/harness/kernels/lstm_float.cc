// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "src/harness/kernels/lstm.h"
#include "src/harness/kernels/sigmoid16.h"
#include "src/harness/kernels/tile.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {
namespace {

namespace in = lstm_input;

float Clip(float x, float limit) {
  return limit > 0 ? std::max(-limit, std::min(limit, x)) : x;
}

// Shifts and scales the values so that their mean is 0 and their variance is 1.
void Normalize(int64_t count, float* values) {
  float sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += values[i];
  const float mean = sum / static_cast<float>(count);
  float squares = 0;
  for (int64_t i = 0; i < count; ++i) {
    squares += (values[i] - mean) * (values[i] - mean);
  }
  const float variance = squares / static_cast<float>(count);
  const float scale = 1 / std::sqrt(variance + 1e-8F);
  for (int64_t i = 0; i < count; ++i) values[i] = (values[i] - mean) * scale;
}

struct FloatArithmetic {
  void RunGate(size_t g, int64_t step) const {
    SumGate(g, step);
    float* const values = run.gates[g].values;
    for (int64_t i = 0; i < run.cells(); ++i) {
      values[i] =
          g == kCellGate ? std::tanh(values[i]) : RealLogistic(values[i]);
    }
  }

  // Computes the sums of a gate, which are the arguments of the activation of
  // the gate.
  void SumGate(size_t g, int64_t step) const {
    const LstmShape& shape = run.shape;
    const auto& gate = run.gates[g];
    const auto* const scale =
        OptionalInput<float>(context, in::kNormalization + g);
    run.Multiply(
        run.input, 0, {gate.input_weights, shape.cells, shape.inputs},
        [&](int64_t b) { return shape.Row(b, step); },
        [&](int64_t b, int64_t c, float sum) {
          gate.values[b * shape.cells + c] =
              scale == nullptr ? sum + gate.bias[c] : sum;
        });
    run.Multiply(
        run.output_state, 0,
        {gate.recurrent_weights, shape.cells, shape.outputs},
        [](int64_t b) { return b; },
        [&](int64_t b, int64_t c, float sum) {
          gate.values[b * shape.cells + c] += sum;
        });
    const auto* const peephole =
        OptionalInput<float>(context, in::kPeephole[g]);
    for (int64_t b = 0; b < shape.batches; ++b) {
      float* const row = gate.values + b * shape.cells;
      const float* const cells = run.cell_state + b * shape.cells;
      if (peephole != nullptr) {
        for (int64_t c = 0; c < shape.cells; ++c) {
          row[c] += cells[c] * peephole[c];
        }
      }
      if (scale == nullptr) continue;
      Normalize(shape.cells, row);
      for (int64_t c = 0; c < shape.cells; ++c) {
        row[c] = row[c] * scale[c] + gate.bias[c];
      }
    }
  }

  void UpdateCells() const {
    const bool is_coupled = run.gates[kInputGate].input_weights == nullptr;
    const float* const forget = run.gates[kForgetGate].values;
    for (int64_t i = 0; i < run.cells(); ++i) {
      const float input =
          is_coupled ? 1 - forget[i] : run.gates[kInputGate].values[i];
      const float cell = forget[i] * run.cell_state[i] +
                         input * run.gates[kCellGate].values[i];
      run.cell_state[i] = Clip(cell, cell_clip);
    }
  }

  // Computes the output of a step and writes it to the state. If there is a
  // projection, the values of the output gate hold the output before the
  // projection.
  void UpdateOutput() const {
    const LstmShape& shape = run.shape;
    const auto* const projection =
        OptionalInput<float>(context, in::kProjection);
    const auto* const bias = OptionalInput<float>(context, in::kProjectionBias);
    float* const gate = run.gates[kOutputGate].values;
    float* const hidden = projection == nullptr ? run.output_state : gate;
    for (int64_t i = 0; i < run.cells(); ++i) {
      hidden[i] = std::tanh(run.cell_state[i]) * gate[i];
    }
    if (projection == nullptr) return;
    run.Multiply(
        hidden, 0, {projection, shape.outputs, shape.cells},
        [](int64_t b) { return b; },
        [&](int64_t b, int64_t o, float sum) {
          if (bias != nullptr) sum += bias[o];
          run.output_state[b * shape.outputs + o] = Clip(sum, projection_clip);
        });
  }

  const OperatorContext& context;
  const LstmRun<float, float, float>& run;
  float cell_clip;
  float projection_clip;
};

}  // namespace

void RunFloatLstm(OperatorContext& context,
                  const LstmRun<float, float, float>& run, float cell_clip,
                  float projection_clip) {
  RunLstm(run, FloatArithmetic{context, run, cell_clip, projection_clip},
          context.output(0).as<float>());
}

}  // namespace stowage::harness
