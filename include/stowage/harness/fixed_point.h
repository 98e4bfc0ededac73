// SPDX-License-Identifier: Apache-2.0
// Implements the integer-only arithmetic of quantized operators. A real factor
// is represented as a 32-bit mantissa and a power of two. Integers are
// multiplied by such a factor, and the products are limited to the range of the
// output. Use this header if results must equal those of TensorFlow Lite's
// reference kernels bit for bit; these kernels round like the gemmlowp library.
// Kernels that compute with floats need only FloatRange.
//
//   Multiplier factor = RescalingFactor(input, output);
//   QuantizedOutput target = QuantizedOutputOf(output);
//   to[i] = target.At(Multiply(from[i] - input_zero_point, factor));
//
// Source: B. Jacob et al., "Quantization and Training of Neural Networks for
// Efficient Integer-Arithmetic-Only Inference" (2018), section 2.2.
#ifndef STOWAGE_HARNESS_FIXED_POINT_H_
#define STOWAGE_HARNESS_FIXED_POINT_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/operator_options.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// The number mantissa * 2^(exponent - 31). The mantissa is 0, or its magnitude
// is in [2^30, 2^31).
struct Multiplier {
  int32_t mantissa = 0;
  int exponent = 0;
};

// Returns the multiplier that is closest to `real`. Magnitudes below 2^-32 and
// NaN become 0, and magnitudes of at least 2^30 become the largest multiplier.
// The mantissa has the sign of `real`.
Multiplier QuantizeMultiplier(double real);

// Returns QuantizeMultiplier(real) if `real` is finite. Use this function if
// `real` is computed from the scales of a model, which may be any numbers.
// Error: InvalidArgument if `real` is not finite.
absl::StatusOr<Multiplier> MultiplierOfScales(double real);

// Returns the factor that converts numbers from the scale of `from` to the
// scale of `to`, which is the first scale divided by the second. Requires that
// both scales are above 0.
Multiplier RescalingFactor(const Tensor& from, const Tensor& to);

// Computes one factor for each output channel. The factor converts a sum of
// products of inputs and weights to an element of the output. It is the scale
// of the input times the scale of the weights, divided by the scale of the
// output. The weights have either one scale, or one for each channel.
//
// The product of the scales of the input and the weights is rounded to a 32-bit
// float in two cases, as in TensorFlow Lite: if the input is UINT8, and if
// `has_float_products` is true (FULLY_CONNECTED) and the weights have one
// scale. Error: InvalidArgument if a factor is not finite.
absl::Status SetChannelFactors(const Tensor& input, const Tensor& weights,
                               const Tensor& output, bool has_float_products,
                               absl::Span<Multiplier> factors);

// Returns the factor divided by `divisor`, which must be positive. Use it to
// compute the mean of `divisor` elements, which is their sum times the result.
// The mantissa is rounded toward 0, and the exponent is lowered so that the
// mantissa loses at most one bit. It loses more bits if `divisor` is above 2^32
// or the exponent would fall below -31. The magnitude of the mantissa may be
// below 2^30.
Multiplier DividedBy(const Multiplier& factor, int64_t divisor);

// Returns the value of T that is closest to `x`. T must be an integer type of
// at most 32 bits.
template <typename T>
T Saturate(int64_t x) {
  return static_cast<T>(std::clamp<int64_t>(x, std::numeric_limits<T>::min(),
                                            std::numeric_limits<T>::max()));
}

// Returns x * 2^left modulo 2^32. The scales of a model may lead to numbers
// beyond 32 bits, for which shifting a signed number would be undefined.
inline int32_t ShiftLeft(int32_t x, int left) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << left);
}

// Returns x / 2^bits, rounded to the nearest integer, with ties away from 0.
// Requires `bits` in [0, 31].
inline int32_t RoundingShiftRight(int32_t x, int bits) {
  // This function and Multiply avoid branches, because processors cannot
  // predict in which direction a number is rounded.
  const auto mask = static_cast<int32_t>((int64_t{1} << bits) - 1);
  const int32_t threshold = (mask >> 1) - (x >> 31);
  return (x >> bits) + static_cast<int32_t>((x & mask) > threshold);
}

// Returns x times the factor. As in gemmlowp, the product is rounded twice:
// when it is divided by 2^31, and when it is shifted to the right.
inline int32_t Multiply(int32_t x, const Multiplier& factor) {
  const int left = factor.exponent > 0 ? factor.exponent : 0;
  const int right = factor.exponent > 0 ? 0 : -factor.exponent;
  const int64_t product = int64_t{ShiftLeft(x, left)} * factor.mantissa;
  return RoundingShiftRight(static_cast<int32_t>((product + (1 << 30)) >> 31),
                            right);
}

// Returns x times the factor. Use it for 16-bit operators, which have 64-bit
// accumulators. The mantissa is first rounded to 16 bits, so the product fits
// in 64 bits, and the product is rounded once. Requires |x| < 2^47 and an
// exponent below 8.
inline int32_t Multiply(int64_t x, const Multiplier& factor) {
  const int64_t reduced = factor.mantissa < 0x7FFF0000
                              ? (int64_t{factor.mantissa} + (1 << 15)) >> 16
                              : 0x7FFF;
  const int shift = 15 - factor.exponent;
  const int64_t rounded = x * reduced + (int64_t{1} << (shift - 1));
  return Saturate<int32_t>(rounded >> shift);
}

// The number mantissa * 2^-(exponent + 31). The mantissa is at least 2^30.
struct Reciprocal {
  int32_t mantissa = 0;
  int exponent = 0;
};

// Returns the reciprocal of the fixed-point number x / 2^(31 - integer_bits).
// Requires that this number is at least 1.
Reciprocal FixedPointReciprocal(uint32_t x, int integer_bits);

// Returns the largest x up to 2^31 - 1 for which x * 2^left_shift is at most
// 2^integer_bits - 1, where the product is a signed fixed-point number with
// `integer_bits` integer bits. Functions that saturate, such as exp of a
// negative number, are treated as constant beyond this x.
int32_t InputRadius(int integer_bits, int left_shift);

// The table of an 8-bit SOFTMAX. Entry d is exp(-d * scale * beta) as a
// fixed-point number with 31 fractional bits, where d is the largest input
// minus another input. Error: InvalidArgument unless scale * beta is above
// 2^-26.
using ExpTable = std::array<int32_t, 256>;
absl::StatusOr<ExpTable> MakeExpTable(float scale, float beta);

// The range of an output after its activation. Both ends are inclusive.
template <typename T>
struct Range {
  T min;
  T max;

  T Clamp(T x) const { return x < min ? min : (x > max ? max : x); }
};

// The ends of a FloatRange where the activation sets no limit: the smallest and
// the largest float.
inline constexpr float kNoMin = std::numeric_limits<float>::lowest();
inline constexpr float kNoMax = std::numeric_limits<float>::max();

// Returns the range to which an activation limits floats. Error:
// InvalidArgument for an activation that does not limit numbers to a range,
// such as TANH.
absl::StatusOr<Range<float>> FloatRange(FusedActivation activation);

// Converts results of quantized arithmetic to elements of the output, by adding
// the zero point of the output and limiting the sum to the range of the output.
struct QuantizedOutput {
  Range<int32_t> range = {};
  int32_t zero_point = 0;

  // Returns the element of the output for `value`, which is relative to the
  // zero point.
  int32_t At(int64_t value) const {
    const int64_t shifted = value + zero_point;
    if (shifted < range.min) return range.min;
    if (shifted > range.max) return range.max;
    return static_cast<int32_t>(shifted);
  }
  // Returns the element of an 8-bit or 16-bit output for `value`, which is
  // relative to the zero point. The value is limited before the zero point is
  // added, because their sum could overflow 32 bits.
  int32_t At(int32_t value) const {
    // Avoid a branch, because processors cannot predict whether the value is
    // outside of the range.
    return std::min(std::max(value, range.min - zero_point),
                    range.max - zero_point) +
           zero_point;
  }
};

// Returns the conversion to an output without an activation. Its range is that
// of the type, which must be INT8, UINT8, INT16 or INT32.
QuantizedOutput QuantizedOutputOf(const Tensor& output);

// Returns the conversion to an output with an activation. Errors: those of
// FloatRange.
absl::StatusOr<QuantizedOutput> QuantizedOutputOf(const Tensor& output,
                                                  FusedActivation activation);

// Checks the quantization of an output, for operators such as LOGISTIC that
// support only one scale and one zero point. Error: InvalidArgument unless the
// output has the zero point `zero_point`, and a scale that differs from `scale`
// by at most a thousandth of `scale`.
absl::Status CheckOutputScale(OperatorContext& context, float scale,
                              int32_t zero_point);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_FIXED_POINT_H_
