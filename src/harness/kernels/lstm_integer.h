// The LSTM of integers: input, output and weights of 8 bits, gates and cell of
// 16. What the activation of a gate sees is in units of 2^-12, what it makes of
// it in units of 2^-15; the cell's unit is a power of two that the model says.
//
// Source: TensorFlow Lite's specification of quantised LSTM operators
// ("8x8_16") and its kernel for microcontrollers.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_LSTM_INTEGER_H_
#define STOWAGE_SRC_HARNESS_KERNELS_LSTM_INTEGER_H_

#include <array>
#include <cstdint>

#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/lstm.h"

namespace stowage::harness {

struct LstmIntegerGate {
  const int8_t* input_weights = nullptr;
  const int8_t* recurrent_weights = nullptr;
  const int32_t* bias = nullptr;
  int32_t input_weights_zero = 0;
  int32_t recurrent_weights_zero = 0;
  Multiplier input_factor;  // to units of 2^-12
  Multiplier recurrent_factor;
};

struct LstmInteger {
  LstmShape shape;  // with as many outputs as cells
  std::array<LstmIntegerGate, kLstmGates> gates;
  int32_t input_zero = 0;
  int32_t output_zero = 0;
  float cell_scale = 0;
  int16_t cell_clip = 0;     // no clipping if 0
  Multiplier forget_factor;  // gate * cell, to the cell's units
  Multiplier input_factor;   // gate * gate, to the cell's units
  Multiplier output_factor;  // tanh * gate, to the output's units
  int16_t* tile = nullptr;   // for rows of any length there is
  std::array<int16_t*, kLstmGates> values;  // [batches, cells] for each gate
};

// Runs all steps. O(batches * steps * cells * (inputs + outputs)).
void RunLstm(const LstmInteger& lstm, const int8_t* input, int8_t* output_state,
             int16_t* cell_state, int8_t* output);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_LSTM_INTEGER_H_
