#include "src/harness/kernels/lstm_integer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/lstm.h"
#include "src/harness/kernels/sigmoid16.h"
#include "src/harness/kernels/tile.h"

namespace stowage::harness {
namespace {

int16_t Saturate(int64_t x) {
  return static_cast<int16_t>(std::clamp<int64_t>(x, -32768, 32767));
}

// The product of two numbers in other units.
int32_t Product(int16_t a, int16_t b, const Multiplier& factor) {
  return Multiply(int32_t{a} * b, factor);
}

// A fully connected layer to units of 2^-12.
struct Layer {
  const int8_t* rows;
  int64_t depth;
  int32_t rows_zero;
  const int8_t* weights;
  int32_t weights_zero;
  const int32_t* bias;
  Multiplier factor;
};

// Calls finish(batch, cell, value) for the rows that row_of(batch) tells the
// places of.
template <typename RowOf, typename Finish>
void RunLayer(const LstmInteger& lstm, const Layer& layer, const RowOf& row_of,
              const Finish& finish) {
  const LstmShape& shape = lstm.shape;
  for (int64_t begin = 0; begin < shape.batches; begin += kIntegerRows) {
    const int64_t count = std::min(kIntegerRows, shape.batches - begin);
    for (int64_t i = 0; i < count; ++i) {
      CopyToTile(layer.rows + row_of(begin + i) * layer.depth, layer.depth,
                 layer.rows_zero, lstm.tile + i * layer.depth);
    }
    MultiplyTile<int8_t>(
        lstm.tile, count, layer.depth, layer.weights, layer.weights_zero,
        shape.cells, [&](int64_t i, int64_t c, int64_t sum) {
          if (layer.bias != nullptr) sum += layer.bias[c];
          // Sums wrap at 32 bits, as in kernels that have no more.
          finish(begin + i, c,
                 Saturate(Multiply(static_cast<int32_t>(sum), layer.factor)));
        });
  }
}

void SumGate(const LstmInteger& lstm, const LstmIntegerGate& gate, int64_t step,
             const int8_t* input, const int8_t* output_state, int16_t* values) {
  const LstmShape& shape = lstm.shape;
  const Layer from_input{input,
                         shape.inputs,
                         lstm.input_zero,
                         gate.input_weights,
                         gate.input_weights_zero,
                         gate.bias,
                         gate.input_factor};
  RunLayer(
      lstm, from_input, [&](int64_t b) { return shape.Row(b, step); },
      [&](int64_t b, int64_t c, int16_t value) {
        values[b * shape.cells + c] = value;
      });
  const Layer from_output{output_state,
                          shape.outputs,
                          lstm.output_zero,
                          gate.recurrent_weights,
                          gate.recurrent_weights_zero,
                          nullptr,
                          gate.recurrent_factor};
  RunLayer(
      lstm, from_output, [](int64_t b) { return b; },
      [&](int64_t b, int64_t c, int16_t value) {
        int16_t& sum = values[b * shape.cells + c];
        sum = Saturate(int64_t{sum} + value);
      });
}

void UpdateCells(const LstmInteger& lstm, int16_t* cell_state) {
  const int64_t count = lstm.shape.batches * lstm.shape.cells;
  const int16_t limit = lstm.cell_clip;
  for (int64_t i = 0; i < count; ++i) {
    const int16_t kept = Saturate(Product(lstm.values[kForgetGate][i],
                                          cell_state[i], lstm.forget_factor));
    const int16_t added =
        Saturate(Product(lstm.values[kInputGate][i], lstm.values[kCellGate][i],
                         lstm.input_factor));
    const int16_t cell = Saturate(int64_t{kept} + added);
    cell_state[i] = limit > 0
                        ? std::clamp(cell, static_cast<int16_t>(-limit), limit)
                        : cell;
  }
}

void UpdateOutput(const LstmInteger& lstm, const Sigmoid16& cell_sigmoid,
                  const int16_t* cell_state, int8_t* output_state) {
  const int64_t count = lstm.shape.batches * lstm.shape.cells;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t value =
        Product(cell_sigmoid.Tanh(cell_state[i]), lstm.values[kOutputGate][i],
                lstm.output_factor);
    output_state[i] = static_cast<int8_t>(
        std::clamp<int64_t>(int64_t{value} + lstm.output_zero, -128, 127));
  }
}

}  // namespace

void RunLstm(const LstmInteger& lstm, const int8_t* input, int8_t* output_state,
             int16_t* cell_state, int8_t* output) {
  const LstmShape& shape = lstm.shape;
  const int64_t count = shape.batches * shape.cells;
  const Sigmoid16 gate_sigmoid(std::ldexp(1.0F, -12));
  const Sigmoid16 cell_sigmoid(lstm.cell_scale);
  for (int64_t step = 0; step < shape.steps; ++step) {
    for (size_t g = 0; g < kLstmGates; ++g) {
      int16_t* const values = lstm.values[g];
      SumGate(lstm, lstm.gates[g], step, input, output_state, values);
      for (int64_t i = 0; i < count; ++i) {
        values[i] = g == kCellGate ? gate_sigmoid.Tanh(values[i])
                                   : gate_sigmoid.Logistic(values[i]);
      }
    }
    UpdateCells(lstm, cell_state);
    UpdateOutput(lstm, cell_sigmoid, cell_state, output_state);
    for (int64_t b = 0; b < shape.batches; ++b) {
      std::copy_n(output_state + b * shape.outputs, shape.outputs,
                  output + shape.Row(b, step) * shape.outputs);
    }
  }
}

}  // namespace stowage::harness
