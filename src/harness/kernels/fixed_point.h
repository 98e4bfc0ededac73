// Arithmetic of quantised operators: a real factor as a 32-bit mantissa and a
// power of two, and the product with it, rounded twice as the reference kernels
// of TensorFlow Lite round (and as ARM's vector instructions do):
//
//   x * factor  ~  RoundingShift(DoublingHighMul(x << left, mantissa), right)
//
// Source: B. Jacob et al., "Quantization and Training of Neural Networks for
// Efficient Integer-Arithmetic-Only Inference" (2018), section 2.2; rounding as
// in the gemmlowp library's definition of these two functions.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_FIXED_POINT_H_
#define STOWAGE_SRC_HARNESS_KERNELS_FIXED_POINT_H_

#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// mantissa * 2^(exponent - 31), the mantissa in [2^30, 2^31), or the negative
// of such, or 0.
struct Multiplier {
  int32_t mantissa = 0;
  int exponent = 0;
};

// The multiplier nearest to `real`. Factors below 2^-32 are 0, as is what is no
// number; those of 2^30 and more are the largest there is; those below 0 have
// the mantissa of their opposite, negative.
Multiplier QuantizeMultiplier(double real);

// The high half of 2ab, rounded to nearest, halves up; saturates for the one
// product that overflows.
inline int32_t DoublingHighMul(int32_t a, int32_t b) {
  if (a == std::numeric_limits<int32_t>::min() && a == b) {
    return std::numeric_limits<int32_t>::max();
  }
  const int64_t product = int64_t{a} * b;
  const int64_t nudge =
      product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

// x / 2^exponent, rounded to nearest, halves away from zero; exponent 0 to 31.
inline int32_t RoundingShift(int32_t x, int exponent) {
  const auto mask = static_cast<int32_t>((int64_t{1} << exponent) - 1);
  const int32_t remainder = x & mask;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

// x << left, wrapping as unsigned arithmetic does where a model's scales are
// beyond what 32 bits hold.
inline int32_t ShiftLeft(int32_t x, int left) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << left);
}

// x times the factor, rounded twice.
inline int32_t Multiply(int32_t x, const Multiplier& factor) {
  const int left = factor.exponent > 0 ? factor.exponent : 0;
  const int right = factor.exponent > 0 ? 0 : -factor.exponent;
  return RoundingShift(DoublingHighMul(ShiftLeft(x, left), factor.mantissa),
                       right);
}

// x times the factor for 64-bit accumulators of 16-bit operators: the mantissa
// reduced to 16 bits, rounded once. |x| must be below 2^47 and the exponent
// below 8.
inline int32_t Multiply(int64_t x, const Multiplier& factor) {
  const int64_t reduced = factor.mantissa < 0x7FFF0000
                              ? (int64_t{factor.mantissa} + (1 << 15)) >> 16
                              : 0x7FFF;
  const int shift = 15 - factor.exponent;
  const int64_t rounded = x * reduced + (int64_t{1} << (shift - 1));
  const int64_t result = rounded >> shift;
  if (result > std::numeric_limits<int32_t>::max()) {
    return std::numeric_limits<int32_t>::max();
  }
  if (result < std::numeric_limits<int32_t>::min()) {
    return std::numeric_limits<int32_t>::min();
  }
  return static_cast<int32_t>(result);
}

// The range that an activation leaves of an output: inclusive at both ends.
template <typename T>
struct Range {
  T min;
  T max;

  T Clamp(T x) const { return x < min ? min : (x > max ? max : x); }
};

// Error, of both: InvalidArgument for an activation that cannot be fused.
absl::StatusOr<Range<float>> FloatRange(
    tflite::ActivationFunctionType activation);
// For INT8, UINT8 and INT16 outputs with one scale.
absl::StatusOr<Range<int32_t>> QuantizedRange(
    tflite::ActivationFunctionType activation, const Tensor& output);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_FIXED_POINT_H_
