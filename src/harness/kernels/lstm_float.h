// The LSTM of floats.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_LSTM_FLOAT_H_
#define STOWAGE_SRC_HARNESS_KERNELS_LSTM_FLOAT_H_

#include <array>

#include "src/harness/kernels/lstm.h"

namespace stowage::harness {

// Null where there is none.
struct LstmFloatGate {
  const float* input_weights = nullptr;
  const float* recurrent_weights = nullptr;
  const float* peephole = nullptr;
  const float* bias = nullptr;
  const float* normalization = nullptr;
};

struct LstmFloat {
  LstmShape shape;
  std::array<LstmFloatGate, kLstmGates> gates;
  const float* projection = nullptr;
  const float* projection_bias = nullptr;
  float cell_clip = 0;  // no clipping if not above 0
  float projection_clip = 0;
  float* tile = nullptr;                  // for rows of any length there is
  std::array<float*, kLstmGates> values;  // [batches, cells] for each gate
};

// Runs all steps. O(batches * steps * cells * (inputs + outputs)).
void RunLstm(const LstmFloat& lstm, const float* input, float* output_state,
             float* cell_state, float* output);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_LSTM_FLOAT_H_
