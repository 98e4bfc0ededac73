// SPDX-License-Identifier: Apache-2.0
// Arithmetic of quantized operators: a real factor as a 32-bit mantissa and a
// power of two, and the product with it. Rounding and the functions of
// fixed-point numbers are those of the gemmlowp library, as in the reference
// kernels of TensorFlow Lite.
//
// Source: B. Jacob et al., "Quantization and Training of Neural Networks for
// Efficient Integer-Arithmetic-Only Inference" (2018), section 2.2.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_FIXED_POINT_H_
#define STOWAGE_SRC_HARNESS_KERNELS_FIXED_POINT_H_

#include <algorithm>
#include <limits>

#include "gemmlowp/fixedpoint/fixedpoint.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {

// mantissa * 2^(exponent - 31), the mantissa in [2^30, 2^31), or the negative
// of such, or 0.
struct Multiplier {
  int32_t mantissa = 0;
  int exponent = 0;
};

// The multiplier nearest to `real`. Factors below 2^-32 and NaN become 0; those
// of 2^30 and more the largest multiplier; those below 0 have the mantissa of
// their opposite, negative.
Multiplier QuantizeMultiplier(double real);

// The same. Error: InvalidArgument if `real`, which comes of a model's scales,
// is not finite.
absl::StatusOr<Multiplier> MultiplierOfScales(double real);

// From numbers with one scale to those with another: the quotient of the two.
// Both are above 0.
Multiplier RescalingFactor(const Tensor& from, const Tensor& to);

// The factor divided by a number above 0, its mantissa rounded down. The shift
// keeps its precision as far as 32 bits hold the exponent.
Multiplier DividedBy(const Multiplier& factor, int64_t divisor);

// The nearest value of T, an integer of 32 bits at most.
template <typename T>
T Saturate(int64_t x) {
  return static_cast<T>(std::clamp<int64_t>(x, std::numeric_limits<T>::min(),
                                            std::numeric_limits<T>::max()));
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
  return gemmlowp::RoundingDivideByPOT(
      gemmlowp::SaturatingRoundingDoublingHighMul(ShiftLeft(x, left),
                                                  factor.mantissa),
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
  return Saturate<int32_t>(rounded >> shift);
}

// mantissa / 2^31 * 2^-exponent, the mantissa at least 2^30.
struct Reciprocal {
  int32_t mantissa = 0;
  int exponent = 0;
};

// 1 / x of an x of 1 or more that has `integer_bits` integer bits and no sign.
Reciprocal FixedPointReciprocal(uint32_t x, int integer_bits);

// The largest x for which x * 2^left_shift stays within a signed fixed-point
// number of `integer_bits`: beyond it functions are flat. At most 2^31 - 1.
int32_t InputRadius(int integer_bits, int left_shift);

// The range that an activation leaves of an output: inclusive at both ends.
template <typename T>
struct Range {
  T min;
  T max;

  T Clamp(T x) const { return x < min ? min : (x > max ? max : x); }
};

// The ends of the range of floats where an activation leaves them open.
inline constexpr float kNoMin = std::numeric_limits<float>::lowest();
inline constexpr float kNoMax = std::numeric_limits<float>::max();

// Error: InvalidArgument for an activation that cannot be fused.
absl::StatusOr<Range<float>> FloatRange(
    tflite::ActivationFunctionType activation);

// Where the result of quantized arithmetic goes: the values that an output
// holds, and its zero point.
struct QuantizedOutput {
  Range<int32_t> range = {};
  int32_t zero_point = 0;

  // The element for a value that counts from the zero point.
  int32_t At(int64_t value) const {
    const int64_t shifted = value + zero_point;
    if (shifted < range.min) return range.min;
    if (shifted > range.max) return range.max;
    return static_cast<int32_t>(shifted);
  }
  // The same for outputs of 8 and 16 bits. The sum could overflow; the range,
  // moved, cannot.
  int32_t At(int32_t value) const {
    // Without branches: which side a sum is on cannot be predicted.
    return std::min(std::max(value, range.min - zero_point),
                    range.max - zero_point) +
           zero_point;
  }
};

// Of an INT8, UINT8, INT16 or INT32 output, without an activation.
QuantizedOutput QuantizedOutputOf(const Tensor& output);

// Error: that of FloatRange.
absl::StatusOr<QuantizedOutput> QuantizedOutputOf(
    const Tensor& output, tflite::ActivationFunctionType activation);

// For operators whose arithmetic knows the range of its results. Error:
// InvalidArgument unless the output has this zero point and, within a
// thousandth, this scale.
absl::Status CheckOutputScale(OperatorContext& context, float scale,
                              int32_t zero_point);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_FIXED_POINT_H_
