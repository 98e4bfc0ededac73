#include "src/harness/kernels/lstm_float.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "src/harness/kernels/lstm.h"
#include "src/harness/kernels/tile.h"

namespace stowage::harness {
namespace {

// Cut off where floats lose the difference, as in the reference kernels.
float Sigmoid(float x) {
  if (x > 16.619047164916992188F) return 1;
  if (x < -9) return std::exp(x);
  return 1 / (1 + std::exp(-x));
}

float Clip(float x, float limit) {
  return limit > 0 ? std::max(-limit, std::min(limit, x)) : x;
}

// Calls finish(row, column, sum) for rows [rows, depth], which row_of(i) tells
// the places of, and weights [columns, depth].
template <typename RowOf, typename Finish>
void Multiply(const float* rows, int64_t count, int64_t depth,
              const float* weights, int64_t columns, float* tile,
              const RowOf& row_of, const Finish& finish) {
  for (int64_t begin = 0; begin < count; begin += kFloatRows) {
    const int64_t in_tile = std::min(kFloatRows, count - begin);
    for (int64_t i = 0; i < in_tile; ++i) {
      CopyToTile(rows + row_of(begin + i) * depth, depth, 0, tile + i);
    }
    MultiplyTile<float>(tile, in_tile, depth, weights, 0, columns,
                        [&](int64_t i, int64_t column, float sum) {
                          finish(begin + i, column, sum);
                        });
  }
}

// To mean 0 and variance 1.
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

// What the activation of a gate is to see, at one step.
void SumGate(const LstmFloat& lstm, const LstmFloatGate& gate, int64_t step,
             const float* input, const float* output_state,
             const float* cell_state, float* values) {
  const LstmShape& shape = lstm.shape;
  const bool adds_bias = gate.normalization == nullptr;
  Multiply(
      input, shape.batches, shape.inputs, gate.input_weights, shape.cells,
      lstm.tile, [&](int64_t b) { return shape.Row(b, step); },
      [&](int64_t b, int64_t c, float sum) {
        values[b * shape.cells + c] = adds_bias ? sum + gate.bias[c] : sum;
      });
  Multiply(
      output_state, shape.batches, shape.outputs, gate.recurrent_weights,
      shape.cells, lstm.tile, [](int64_t b) { return b; },
      [&](int64_t b, int64_t c, float sum) {
        values[b * shape.cells + c] += sum;
      });
  for (int64_t b = 0; b < shape.batches; ++b) {
    float* const row = values + b * shape.cells;
    if (gate.peephole != nullptr) {
      const float* const cells = cell_state + b * shape.cells;
      for (int64_t c = 0; c < shape.cells; ++c) {
        row[c] += cells[c] * gate.peephole[c];
      }
    }
    if (adds_bias) continue;
    Normalize(shape.cells, row);
    for (int64_t c = 0; c < shape.cells; ++c) {
      row[c] = row[c] * gate.normalization[c] + gate.bias[c];
    }
  }
}

void RunGate(const LstmFloat& lstm, size_t g, int64_t step, const float* input,
             const float* output_state, const float* cell_state) {
  float* const values = lstm.values[g];
  SumGate(lstm, lstm.gates[g], step, input, output_state, cell_state, values);
  const int64_t count = lstm.shape.batches * lstm.shape.cells;
  for (int64_t i = 0; i < count; ++i) {
    values[i] = g == kCellGate ? std::tanh(values[i]) : Sigmoid(values[i]);
  }
}

void UpdateCells(const LstmFloat& lstm, float* cell_state) {
  const bool is_coupled = lstm.gates[kInputGate].input_weights == nullptr;
  const float* const forget = lstm.values[kForgetGate];
  const int64_t count = lstm.shape.batches * lstm.shape.cells;
  for (int64_t i = 0; i < count; ++i) {
    const float in = is_coupled ? 1 - forget[i] : lstm.values[kInputGate][i];
    const float cell =
        forget[i] * cell_state[i] + in * lstm.values[kCellGate][i];
    cell_state[i] = Clip(cell, lstm.cell_clip);
  }
}

// The output of a step goes to the state; what is projected, by way of the
// output gate's values.
void UpdateOutput(const LstmFloat& lstm, const float* cell_state,
                  float* output_state) {
  const LstmShape& shape = lstm.shape;
  float* const gate = lstm.values[kOutputGate];
  float* const hidden = lstm.projection == nullptr ? output_state : gate;
  for (int64_t i = 0; i < shape.batches * shape.cells; ++i) {
    hidden[i] = std::tanh(cell_state[i]) * gate[i];
  }
  if (lstm.projection == nullptr) return;
  Multiply(
      hidden, shape.batches, shape.cells, lstm.projection, shape.outputs,
      lstm.tile, [](int64_t b) { return b; },
      [&](int64_t b, int64_t o, float sum) {
        if (lstm.projection_bias != nullptr) sum += lstm.projection_bias[o];
        output_state[b * shape.outputs + o] = Clip(sum, lstm.projection_clip);
      });
}

}  // namespace

void RunLstm(const LstmFloat& lstm, const float* input, float* output_state,
             float* cell_state, float* output) {
  const LstmShape& shape = lstm.shape;
  for (int64_t step = 0; step < shape.steps; ++step) {
    for (const size_t g : {kInputGate, kForgetGate, kCellGate}) {
      if (lstm.gates[g].input_weights == nullptr) continue;
      RunGate(lstm, g, step, input, output_state, cell_state);
    }
    UpdateCells(lstm, cell_state);
    // This one looks at the cell as it is now.
    RunGate(lstm, kOutputGate, step, input, output_state, cell_state);
    UpdateOutput(lstm, cell_state, output_state);
    for (int64_t b = 0; b < shape.batches; ++b) {
      std::copy_n(output_state + b * shape.outputs, shape.outputs,
                  output + shape.Row(b, step) * shape.outputs);
    }
  }
}

}  // namespace stowage::harness
