// Long short-term memory: what its kernels, of floats and of integers, have in
// common. Four gates see the input and the last output; a state, the cell,
// remembers what they let in.
//
//   gate g of input, forget, cell and output:
//     g = activation(W_g input + R_g output + b_g)
//   cell   <- forget * cell + input * cell gate
//   output <- output gate * tanh(cell)
//
// Optional, for floats: gates that look at the cell (peepholes), input gates
// that are what forget gates leave (coupled), normalised gates, and outputs
// projected by another matrix.
//
// Source: S. Hochreiter and J. Schmidhuber, "Long Short-Term Memory" (1997); H.
// Sak et al., "Long Short-Term Memory Recurrent Neural Network Architectures
// for Large Scale Acoustic Modeling" (2014); J. Ba et al., "Layer
// Normalization" (2016).
#ifndef STOWAGE_SRC_HARNESS_KERNELS_LSTM_H_
#define STOWAGE_SRC_HARNESS_KERNELS_LSTM_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace stowage::harness {

// Gates, in the order of the operator's inputs.
enum LstmGate : size_t {
  kInputGate = 0,
  kForgetGate = 1,
  kCellGate = 2,
  kOutputGate = 3,
};
constexpr size_t kLstmGates = 4;

// The operator's inputs; + gate for those of a gate.
namespace lstm_input {
constexpr size_t kInput = 0;
constexpr size_t kInputWeights = 1;      // [cells, inputs]
constexpr size_t kRecurrentWeights = 5;  // [cells, outputs]
constexpr size_t kBias = 12;             // [cells]
constexpr size_t kProjection = 16;       // [outputs, cells]
constexpr size_t kProjectionBias = 17;   // [outputs]
constexpr size_t kOutputState = 18;      // batches * outputs, a variable
constexpr size_t kCellState = 19;        // batches * cells, a variable
constexpr size_t kNormalization = 20;    // [cells]
// [cells]; the cell gate has none.
constexpr std::array<size_t, kLstmGates> kPeephole = {9, 10, SIZE_MAX, 11};
}  // namespace lstm_input

struct LstmShape {
  bool is_time_major = false;
  int64_t batches = 0;
  int64_t steps = 0;
  int64_t inputs = 0;
  int64_t cells = 0;
  int64_t outputs = 0;

  // The row of input and output that belongs to a batch at a step.
  int64_t Row(int64_t batch, int64_t step) const {
    return is_time_major ? step * batches + batch : batch * steps + step;
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_LSTM_H_
