// SPDX-License-Identifier: Apache-2.0
// Arithmetic of quantized operators, with integers alone: a real factor as a
// 32-bit mantissa and a power of two, the multiplication by it, and the ranges
// of outputs. Results are bit for bit those of the reference kernels of
// TensorFlow Lite, which round as the gemmlowp library does.
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

// Represents the number mantissa * 2^(exponent - 31). The mantissa is 0, or its
// magnitude is in [2^30, 2^31).
struct Multiplier {
  int32_t mantissa = 0;
  int exponent = 0;
};

// Returns the multiplier that is nearest to `real`. Factors below 2^-32 and NaN
// become 0, and factors of 2^30 and more become the largest multiplier. A
// negative factor has the multiplier of the positive factor with the mantissa
// negated.
Multiplier QuantizeMultiplier(double real);

// Does the same as QuantizeMultiplier for a factor that is derived from the
// scales of a model. Error: InvalidArgument if `real` is not finite.
absl::StatusOr<Multiplier> MultiplierOfScales(double real);

// Returns the factor that converts numbers from the scale of one tensor to that
// of another: the first scale divided by the second. Both scales must be above
// 0.
Multiplier RescalingFactor(const Tensor& from, const Tensor& to);

// Sets the factors that convert sums of products of inputs and weights to
// elements of the output, one for each of factors.size() output channels. The
// weights have one scale, or one for each channel. The product of the scales of
// input and weights is rounded to a 32-bit float for UINT8, and with
// `has_float_products`, as in FULLY_CONNECTED, if the weights have one scale.
// Error: InvalidArgument if a factor is not finite.
absl::Status SetChannelFactors(const Tensor& input, const Tensor& weights,
                               const Tensor& output, bool has_float_products,
                               absl::Span<Multiplier> factors);

// Returns the factor divided by `divisor`, a positive number. The mantissa is
// rounded down. The exponent is adjusted so that the mantissa keeps as much
// precision as 32 bits can hold.
Multiplier DividedBy(const Multiplier& factor, int64_t divisor);

// Returns the value of T that is nearest to `x`. T must be an integer type of
// at most 32 bits.
template <typename T>
T Saturate(int64_t x) {
  return static_cast<T>(std::clamp<int64_t>(x, std::numeric_limits<T>::min(),
                                            std::numeric_limits<T>::max()));
}

// Returns x << left. Like unsigned arithmetic, the result wraps around, which
// happens if the scales of a model lead to numbers beyond 32 bits.
inline int32_t ShiftLeft(int32_t x, int left) {
  return static_cast<int32_t>(static_cast<uint32_t>(x) << left);
}

// Returns x / 2^bits, rounded to the nearest integer and halves away from 0.
// `bits` is from 0 to 31.
inline int32_t RoundingShiftRight(int32_t x, int bits) {
  // Neither this function nor Multiply has branches, since processors cannot
  // predict how numbers are rounded.
  const auto mask = static_cast<int32_t>((int64_t{1} << bits) - 1);
  const int32_t threshold = (mask >> 1) - (x >> 31);
  return (x >> bits) + static_cast<int32_t>((x & mask) > threshold);
}

// Returns x times the factor. The product is rounded twice: when it is divided
// by 2^31, and when it is shifted.
inline int32_t Multiply(int32_t x, const Multiplier& factor) {
  const int left = factor.exponent > 0 ? factor.exponent : 0;
  const int right = factor.exponent > 0 ? 0 : -factor.exponent;
  const int64_t product = int64_t{ShiftLeft(x, left)} * factor.mantissa;
  return RoundingShiftRight(static_cast<int32_t>((product + (1 << 30)) >> 31),
                            right);
}

// Returns x times the factor. It is for 16-bit operators, whose accumulators
// have 64 bits: the mantissa is reduced to 16 bits, and the product is rounded
// once. |x| must be below 2^47, and the exponent below 8.
inline int32_t Multiply(int64_t x, const Multiplier& factor) {
  const int64_t reduced = factor.mantissa < 0x7FFF0000
                              ? (int64_t{factor.mantissa} + (1 << 15)) >> 16
                              : 0x7FFF;
  const int shift = 15 - factor.exponent;
  const int64_t rounded = x * reduced + (int64_t{1} << (shift - 1));
  return Saturate<int32_t>(rounded >> shift);
}

// Represents the number mantissa / 2^31 * 2^-exponent. The mantissa is at least
// 2^30.
struct Reciprocal {
  int32_t mantissa = 0;
  int exponent = 0;
};

// Returns 1 / x. `x` is an unsigned fixed-point number with `integer_bits`
// integer bits, and must be at least 1.
Reciprocal FixedPointReciprocal(uint32_t x, int integer_bits);

// Returns the largest x for which x * 2^left_shift fits a signed fixed-point
// number with `integer_bits` integer bits, but at most 2^31 - 1. Beyond this x,
// the functions that use it are constant.
int32_t InputRadius(int integer_bits, int left_shift);

// Returns exp(-d), with 31 bits after the point, for the differences d from 0
// to 255 of 8-bit inputs of SOFTMAX in units of `scale`, each multiplied by
// `beta`. Error: InvalidArgument if the product of scale and beta is not above
// 2^-26.
using ExpTable = std::array<int32_t, 256>;
absl::StatusOr<ExpTable> MakeExpTable(float scale, float beta);

// The range of an output after an activation, inclusive at both ends.
template <typename T>
struct Range {
  T min;
  T max;

  T Clamp(T x) const { return x < min ? min : (x > max ? max : x); }
};

// The ends of a range of floats if the activation sets no limit.
inline constexpr float kNoMin = std::numeric_limits<float>::lowest();
inline constexpr float kNoMax = std::numeric_limits<float>::max();

// Returns the range to which an activation limits floats. Error:
// InvalidArgument for an activation that cannot be fused.
absl::StatusOr<Range<float>> FloatRange(FusedActivation activation);

// Describes where the results of quantized arithmetic go: the range of the
// output's elements and its zero point.
struct QuantizedOutput {
  Range<int32_t> range = {};
  int32_t zero_point = 0;

  // Returns the element of the output for a value that is relative to the zero
  // point.
  int32_t At(int64_t value) const {
    const int64_t shifted = value + zero_point;
    if (shifted < range.min) return range.min;
    if (shifted > range.max) return range.max;
    return static_cast<int32_t>(shifted);
  }
  // Does the same for outputs of 8 and 16 bits. It subtracts the zero point
  // from the range, which cannot overflow, because adding the zero point to the
  // value could overflow.
  int32_t At(int32_t value) const {
    // The code has no branches, since processors cannot predict to which side
    // of the range a sum lies.
    return std::min(std::max(value, range.min - zero_point),
                    range.max - zero_point) +
           zero_point;
  }
};

// Returns the target for an output without activation. The type of the output
// must be INT8, UINT8, INT16 or INT32.
QuantizedOutput QuantizedOutputOf(const Tensor& output);

// Returns the target for an output with an activation. Error: that of
// FloatRange.
absl::StatusOr<QuantizedOutput> QuantizedOutputOf(const Tensor& output,
                                                  FusedActivation activation);

// Checks the output of an operator whose arithmetic determines how its results
// are quantized. Error: InvalidArgument unless the output has this zero point
// and, to within a thousandth, this scale.
absl::Status CheckOutputScale(OperatorContext& context, float scale,
                              int32_t zero_point);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_FIXED_POINT_H_
