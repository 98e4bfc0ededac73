// exp, logistic, tanh, 1/x and 1/sqrt(x) of fixed-point numbers, without
// floating point, bit for bit as the reference kernels of TensorFlow Lite
// compute them.
//
// A Qm number is an int32_t with m integer bits: its value is x / 2^(31 - m).
// Q0 numbers lie in [-1, 1); 1 is the largest of them.
//
// Source: the algorithms of the gemmlowp library's fixed-point functions: a
// Taylor polynomial and a product of constants for exp, Newton-Raphson division
// for the reciprocals.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_FIXED_POINT_FUNCTIONS_H_
#define STOWAGE_SRC_HARNESS_KERNELS_FIXED_POINT_FUNCTIONS_H_

#include <cstdint>

#include "src/harness/kernels/fixed_point.h"

namespace stowage::harness {

// exp(x) in Q0 of an x <= 0 with 1 to 5 integer bits.
int32_t ExpOfNegative(int32_t x, int integer_bits);

// 1 / (1 + exp(-x)) and tanh(x) in Q0, of an x with 1 to 5, or 1 to 4, integer
// bits.
int32_t FixedPointLogistic(int32_t x, int integer_bits);
int32_t FixedPointTanh(int32_t x, int integer_bits);

// mantissa / 2^31 * 2^-exponent, the mantissa at least 2^30.
struct Reciprocal {
  int32_t mantissa = 0;
  int exponent = 0;
};

// 1 / x of an x of 1 or more with that many integer bits, whose highest bit is
// one more of them: there is no sign.
Reciprocal FixedPointReciprocal(uint32_t x, int integer_bits);

// 1 / sqrt(x) as a multiplier. Of 0 it is that of 1.
Multiplier InverseSquareRoot(int32_t x);

// The largest x for which x * 2^left_shift stays within a Q number of
// `integer_bits`: beyond it functions are flat. At most 2^31 - 1.
int32_t InputRadius(int integer_bits, int left_shift);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_FIXED_POINT_FUNCTIONS_H_
