// SPDX-License-Identifier: Apache-2.0
// Implements the common part of the float and integer kernels of a long
// short-term memory (LSTM). An LSTM has four gates, which depend on the input
// and on the previous output. Its state, the cell, stores the values that the
// gates admit.
//
//   gate g of input, forget, cell and output:
//     g = activation(W_g input + R_g output + b_g)
//   cell   <- forget * cell + input * cell gate
//   output <- output gate * tanh(cell)
//
// LSTMs of floats also support peepholes (gates that read the cell), coupled
// gates (the input gate is 1 minus the forget gate), normalized gates, and a
// projection of the output by another matrix.
//
// Source: S. Hochreiter and J. Schmidhuber, "Long Short-Term Memory" (1997); H.
// Sak et al., "Long Short-Term Memory Recurrent Neural Network Architectures
// for Large Scale Acoustic Modeling" (2014); J. Ba et al., "Layer
// Normalization" (2016).
#ifndef STOWAGE_SRC_HARNESS_KERNELS_LSTM_H_
#define STOWAGE_SRC_HARNESS_KERNELS_LSTM_H_

#include <algorithm>
#include <array>

#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"
#include "stowage/harness/fixed_point.h"

namespace stowage::harness {

// The gates, in the order of the operator's inputs.
enum LstmGate : size_t {
  kInputGate = 0,
  kForgetGate = 1,
  kCellGate = 2,
  kOutputGate = 3,
};
constexpr size_t kLstmGates = 4;

// The indices of the operator's inputs. For an input that exists once for each
// gate, the constant is the index for gate 0; add the number of a gate to get
// the index for that gate.
namespace lstm_input {
constexpr size_t kInput = 0;
constexpr size_t kInputWeights = 1;      // has the shape [cells, inputs]
constexpr size_t kRecurrentWeights = 5;  // has the shape [cells, outputs]
constexpr size_t kBias = 12;             // has the shape [cells]
constexpr size_t kProjection = 16;       // has the shape [outputs, cells]
constexpr size_t kProjectionBias = 17;   // has the shape [outputs]
// The output state, a variable of batches * outputs elements.
constexpr size_t kOutputState = 18;
// The cell state, a variable of batches * cells elements.
constexpr size_t kCellState = 19;
constexpr size_t kNormalization = 20;  // has the shape [cells]
// The peepholes of each gate, of shape [cells]. The cell gate has no peephole.
constexpr std::array<size_t, kLstmGates> kPeephole = {9, 10, SIZE_MAX, 11};
}  // namespace lstm_input

struct LstmShape {
  bool is_time_major = false;
  int64_t batches = 0;
  int64_t steps = 0;
  int64_t inputs = 0;
  int64_t cells = 0;
  int64_t outputs = 0;

  // Returns the row of the input and of the output that belongs to `batch` at
  // `step`.
  int64_t Row(int64_t batch, int64_t step) const {
    return is_time_major ? step * batches + batch : batch * steps + step;
  }
};

// One run of an LSTM. T is the type of inputs, outputs and weights, C is the
// type of the cell and of the values of gates, and B is the type of biases.
template <typename T, typename C, typename B>
struct LstmRun {
  struct Gate {
    const T* input_weights;
    const T* recurrent_weights;
    const B* bias;
    C* values;  // has the shape [batches, cells]
  };

  // Requires that `lstm_tile` has room for the longest rows, and that `values`
  // has room for the values of all gates.
  LstmRun(OperatorContext& context, const LstmShape& lstm_shape,
          void* lstm_tile, C* values)
      : shape(lstm_shape),
        tile(lstm_tile),
        input(context.input(lstm_input::kInput).as<T>()),
        output_state(context.variable(lstm_input::kOutputState).as<T>()),
        cell_state(context.variable(lstm_input::kCellState).as<C>()) {
    for (size_t g = 0; g < kLstmGates; ++g) {
      gates[g] = {OptionalInput<T>(context, lstm_input::kInputWeights + g),
                  OptionalInput<T>(context, lstm_input::kRecurrentWeights + g),
                  OptionalInput<B>(context, lstm_input::kBias + g),
                  values + static_cast<int64_t>(g) * cells()};
    }
  }

  // Returns the total number of cells of all batches.
  int64_t cells() const { return shape.batches * shape.cells; }

  // Calls finish(batch, channel, sum) for each batch and channel, where `sum`
  // is the sum of the products of a row with the weights of the channel.
  // row_of(batch) returns the index of that row in `rows`. The zero point
  // `zero` is subtracted from the elements of the row first.
  template <typename RowOf, typename Finish>
  void Multiply(const T* rows, int32_t zero, const TileWeights<T>& weights,
                const RowOf& row_of, const Finish& finish) const {
    MultiplyRows<T>(
        shape.batches, weights, tile,
        [&](int64_t b, auto* to) {
          CopyToTile(rows + row_of(b) * weights.depth, weights.depth, zero, to);
        },
        finish);
  }

  LstmShape shape;
  void* tile;
  const T* input;
  T* output_state;
  C* cell_state;
  std::array<Gate, kLstmGates> gates;
};

// Runs all steps. Requires that `arithmetic` has the functions RunGate(gate,
// step), UpdateCells() and UpdateOutput(), which read and write `run`.
// O(batches * steps * cells * (inputs + outputs)).
template <typename Run, typename Arithmetic, typename T>
void RunLstm(const Run& run, const Arithmetic& arithmetic, T* output) {
  const LstmShape& shape = run.shape;
  for (int64_t step = 0; step < shape.steps; ++step) {
    for (const size_t g : {kInputGate, kForgetGate, kCellGate}) {
      if (run.gates[g].input_weights != nullptr) arithmetic.RunGate(g, step);
    }
    arithmetic.UpdateCells();
    // The output gate runs last, because it reads the updated cell.
    arithmetic.RunGate(kOutputGate, step);
    arithmetic.UpdateOutput();
    for (int64_t b = 0; b < shape.batches; ++b) {
      std::copy_n(run.output_state + b * shape.outputs, shape.outputs,
                  output + shape.Row(b, step) * shape.outputs);
    }
  }
}

// Runs an LSTM of floats. If `cell_clip` is above 0, the cell is clipped to
// [-cell_clip, cell_clip]. If `projection_clip` is above 0, projections are
// clipped in the same way.
void RunFloatLstm(OperatorContext& context,
                  const LstmRun<float, float, float>& run, float cell_clip,
                  float projection_clip);

// The parameters of an LSTM of integers. Input, output and weights have 8 bits;
// gates and cell have 16 bits. The argument of a gate's activation is in units
// of 2^-12, and its result in units of 2^-15. The unit of the cell is a power
// of two that the model specifies.
//
// Source: TensorFlow Lite's specification of quantized LSTM operators
// ("8x8_16") and its kernel for microcontrollers.
struct LstmFactors {
  struct Gate {
    int32_t input_weights_zero = 0;
    int32_t recurrent_weights_zero = 0;
    Multiplier input;  // converts to units of 2^-12
    Multiplier recurrent;
  };
  std::array<Gate, kLstmGates> gates;
  int32_t input_zero = 0;
  int32_t output_zero = 0;
  float cell_scale = 0;
  int16_t cell_clip = 0;  // is 0 if nothing is clipped
  Multiplier forget;      // converts gate * cell to the units of the cell
  Multiplier input;       // converts gate * gate to the units of the cell
  Multiplier output;      // converts tanh * gate to the units of the output
};

// Computes the parameters. Error: InvalidArgument if a scale cannot be
// represented as a fixed-point number.
absl::StatusOr<LstmFactors> MakeLstmFactors(const OperatorContext& context,
                                            float cell_clip);

void RunIntegerLstm(OperatorContext& context,
                    const LstmRun<int8_t, int16_t, int32_t>& run,
                    const LstmFactors& factors);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_LSTM_H_
