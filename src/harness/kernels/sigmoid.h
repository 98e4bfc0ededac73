// LOGISTIC and TANH: the same arithmetic with other numbers.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_SIGMOID_H_
#define STOWAGE_SRC_HARNESS_KERNELS_SIGMOID_H_

#include <cstdint>
#include <memory>

#include "src/harness/kernels/sigmoid16.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {

struct SigmoidFunction {
  float (*real)(float);
  // A fixed-point number with so many integer bits to one without.
  int32_t (*fixed)(int32_t x, int integer_bits);
  // An INT8 output is that, with so many bits after the point, from this zero
  // point on.
  int output_bits;
  int32_t output_zero_point;
  int16_t (Sigmoid16::*fixed16)(int16_t x) const;
};

std::unique_ptr<Kernel> MakeSigmoid(const SigmoidFunction& function);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_SIGMOID_H_
