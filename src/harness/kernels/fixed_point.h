// SPDX-License-Identifier: Apache-2.0
// Arithmetic of quantized operators: a real factor as a 32-bit mantissa and a
// power of two, and the multiplication by it. Rounding and the functions of
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

// Represents mantissa * 2^(exponent - 31). The magnitude of the mantissa is in
// [2^30, 2^31), or 0.
struct Multiplier {
  int32_t mantissa = 0;
  int exponent = 0;
};

// Returns the multiplier nearest to `real`. Factors below 2^-32 and NaN become
// 0; factors of 2^30 and more become the largest multiplier; negative factors
// have the negated mantissa of their opposite.
Multiplier QuantizeMultiplier(double real);

// Does the same. Error: InvalidArgument if `real`, which is derived from a
// model's scales, is not finite.
absl::StatusOr<Multiplier> MultiplierOfScales(double real);

// Returns the factor that converts numbers of one scale to another: the
// quotient of the two. Requires that both are above 0.
Multiplier RescalingFactor(const Tensor& from, const Tensor& to);

// Returns the factor divided by a positive number, with the mantissa rounded
// down. The exponent is adjusted to keep the precision as far as 32 bits hold
// it.
Multiplier DividedBy(const Multiplier& factor, int64_t divisor);

// Returns the nearest value of T, an integer of at most 32 bits.
template <typename T>
T Saturate(int64_t x) {
  return static_cast<T>(std::clamp<int64_t>(x, std::numeric_limits<T>::min(),
                                            std::numeric_limits<T>::max()));
}

// Returns x << left. Like unsigned arithmetic it wraps around if a model's
// scales are beyond 32 bits.
inline int32_t ShiftLeft(int32_t x, int left) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << left);
}

// Returns x times the factor, rounded twice.
inline int32_t Multiply(int32_t x, const Multiplier& factor) {
  const int left = factor.exponent > 0 ? factor.exponent : 0;
  const int right = factor.exponent > 0 ? 0 : -factor.exponent;
  return gemmlowp::RoundingDivideByPOT(
      gemmlowp::SaturatingRoundingDoublingHighMul(ShiftLeft(x, left),
                                                  factor.mantissa),
      right);
}

// Returns x times the factor for 64-bit accumulators of 16-bit operators: the
// mantissa is reduced to 16 bits, and the product is rounded once. Requires |x|
// < 2^47 and an exponent below 8.
inline int32_t Multiply(int64_t x, const Multiplier& factor) {
  const int64_t reduced = factor.mantissa < 0x7FFF0000
                              ? (int64_t{factor.mantissa} + (1 << 15)) >> 16
                              : 0x7FFF;
  const int shift = 15 - factor.exponent;
  const int64_t rounded = x * reduced + (int64_t{1} << (shift - 1));
  return Saturate<int32_t>(rounded >> shift);
}

// Represents mantissa / 2^31 * 2^-exponent, with a mantissa of at least 2^30.
struct Reciprocal {
  int32_t mantissa = 0;
  int exponent = 0;
};

// Returns 1 / x for an unsigned x >= 1 with `integer_bits` integer bits.
Reciprocal FixedPointReciprocal(uint32_t x, int integer_bits);

// Returns the largest x for which x * 2^left_shift fits a signed fixed-point
// number of `integer_bits`; the functions are flat beyond it. At most 2^31 - 1.
int32_t InputRadius(int integer_bits, int left_shift);

// The range of an output after an activation, inclusive at both ends.
template <typename T>
struct Range {
  T min;
  T max;

  T Clamp(T x) const { return x < min ? min : (x > max ? max : x); }
};

// The ends of a range of floats that an activation does not limit.
inline constexpr float kNoMin = std::numeric_limits<float>::lowest();
inline constexpr float kNoMax = std::numeric_limits<float>::max();

// Returns the range of an activation. Error: InvalidArgument for an activation
// that cannot be fused.
absl::StatusOr<Range<float>> FloatRange(
    tflite::ActivationFunctionType activation);

// The target of quantized arithmetic: the range of the output's values and its
// zero point.
struct QuantizedOutput {
  Range<int32_t> range = {};
  int32_t zero_point = 0;

  // Returns the element for a value relative to the zero point.
  int32_t At(int64_t value) const {
    const int64_t shifted = value + zero_point;
    if (shifted < range.min) return range.min;
    if (shifted > range.max) return range.max;
    return static_cast<int32_t>(shifted);
  }
  // Does the same for outputs of 8 and 16 bits. The sum could overflow, so that
  // the shifted range is used instead, which cannot.
  int32_t At(int32_t value) const {
    // There are no branches, since the side of a sum cannot be predicted.
    return std::min(std::max(value, range.min - zero_point),
                    range.max - zero_point) +
           zero_point;
  }
};

// Returns the target for an INT8, UINT8, INT16 or INT32 output without
// activation.
QuantizedOutput QuantizedOutputOf(const Tensor& output);

// Returns the target with an activation. Error: that of FloatRange.
absl::StatusOr<QuantizedOutput> QuantizedOutputOf(
    const Tensor& output, tflite::ActivationFunctionType activation);

// Checks operators whose arithmetic determines the range of its results. Error:
// InvalidArgument unless the output has this zero point and, within a
// thousandth, this scale.
absl::Status CheckOutputScale(OperatorContext& context, float scale,
                              int32_t zero_point);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_FIXED_POINT_H_
