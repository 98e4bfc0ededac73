// SPDX-License-Identifier: Apache-2.0
// Computes logistic and tanh of 16-bit numbers by interpolation in one table of
// sigmoid(i / 24), since tanh(x) = 2 sigmoid(2x) - 1. The results are bit for
// bit those of the reference kernels of TensorFlow Lite for INT16.
//
//   const Sigmoid16 logistic(Sigmoid16::kLogistic, input_scale);
//   output[i] = logistic(input[i]);  // in units of 2^-15
#ifndef STOWAGE_SRC_HARNESS_KERNELS_SIGMOID16_H_
#define STOWAGE_SRC_HARNESS_KERNELS_SIGMOID16_H_

#include <cstdint>

namespace stowage::harness {

// Returns 1 / (1 + exp(-x)), computed in the same way as in TensorFlow Lite's
// float kernels.
float RealLogistic(float x);

class Sigmoid16 {
 public:
  enum Function { kLogistic, kTanh };

  // Creates the function for inputs in units of `input_scale`. Requires that
  // `input_scale` is above 0 and that the zero point of the inputs is 0.
  Sigmoid16(Function function, float input_scale);

  int16_t operator()(int16_t x) const {
    return function_ == kLogistic ? Logistic(x) : Tanh(x);
  }

 private:
  int16_t Logistic(int16_t x) const;
  int16_t Tanh(int16_t x) const;
  // Returns x in units of 1/12288. A step of the table is 512 of these units.
  int32_t Rescaled(int16_t x) const;

  Function function_;
  int32_t multiplier_;
  int shift_ = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_SIGMOID16_H_
