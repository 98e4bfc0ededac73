// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/numeric/bits.h"
#include "gemmlowp/fixedpoint/fixedpoint.h"
#include "src/harness/kernels/dispatch_type.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {
namespace {

using tflite::ActivationFunctionType;

absl::Status UnknownActivation(ActivationFunctionType activation) {
  return RefuseModel("its fused activation is number ",
                     static_cast<int>(activation),
                     ": expected NONE, RELU, RELU_N1_TO_1 or RELU6");
}

// The quantised value of a real one, wherever it is.
int32_t Quantize(float real, const Quantization& quantization) {
  const double value = std::round(double{real} / double{quantization.scale()}) +
                       quantization.zero_point();
  return static_cast<int32_t>(
      std::clamp(value, double{std::numeric_limits<int32_t>::min()},
                 double{std::numeric_limits<int32_t>::max()}));
}

}  // namespace

Multiplier QuantizeMultiplier(double real) {
  Multiplier result;
  if (real == 0.0 || std::isnan(real)) return result;
  const double fraction = std::frexp(std::abs(real), &result.exponent);
  if (!std::isfinite(real) || result.exponent > 30) {
    constexpr int32_t kLargest = std::numeric_limits<int32_t>::max();
    return {real < 0 ? -kLargest : kLargest, 30};
  }
  auto mantissa =
      static_cast<int64_t>(std::round(fraction * (int64_t{1} << 31)));
  if (mantissa == int64_t{1} << 31) {
    mantissa /= 2;
    ++result.exponent;
  }
  if (result.exponent < -31) return Multiplier();
  result.mantissa = static_cast<int32_t>(real < 0 ? -mantissa : mantissa);
  return result;
}

absl::StatusOr<Multiplier> MultiplierOfScales(double real) {
  if (!std::isfinite(real)) {
    return RefuseModel("its scales give a factor of ", real,
                       ": expected a finite one");
  }
  return QuantizeMultiplier(real);
}

Reciprocal FixedPointReciprocal(uint32_t x, int integer_bits) {
  // x = 2^(integer_bits - zeros) * (1 + fraction).
  const int zeros = absl::countl_zero(x);
  const auto fraction = static_cast<int32_t>((x << zeros) - (1U << 31));
  const auto inverse = gemmlowp::one_over_one_plus_x_for_x_in_0_1(
      gemmlowp::FixedPoint<int32_t, 0>::FromRaw(fraction));
  return {inverse.raw(), integer_bits - zeros};
}

int32_t InputRadius(int integer_bits, int left_shift) {
  const double largest =
      std::ldexp((1 << integer_bits) - 1, 31 - integer_bits - left_shift);
  return static_cast<int32_t>(std::min<double>(
      std::floor(largest), std::numeric_limits<int32_t>::max()));
}

absl::StatusOr<Range<float>> FloatRange(ActivationFunctionType activation) {
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  constexpr float kHighest = std::numeric_limits<float>::max();
  switch (activation) {
    case ActivationFunctionType::NONE:
      return Range<float>{kLowest, kHighest};
    case ActivationFunctionType::RELU:
      return Range<float>{0, kHighest};
    case ActivationFunctionType::RELU_N1_TO_1:
      return Range<float>{-1, 1};
    case ActivationFunctionType::RELU6:
      return Range<float>{0, 6};
    default:
      return UnknownActivation(activation);
  }
}

absl::StatusOr<Range<int32_t>> QuantizedRange(ActivationFunctionType activation,
                                              const Tensor& output) {
  Range<int32_t> range = {};
  STOWAGE_RETURN_IF_ERROR(
      DispatchType(QuantizedTypes(), output.type, [&](auto zero) {
        using Limits = std::numeric_limits<decltype(zero)>;
        range = {Limits::min(), Limits::max()};
      }));
  const Quantization& q = output.quantization;
  switch (activation) {
    case ActivationFunctionType::NONE:
      break;
    case ActivationFunctionType::RELU:
      range.min = std::max(range.min, Quantize(0, q));
      break;
    case ActivationFunctionType::RELU_N1_TO_1:
      range.min = std::max(range.min, Quantize(-1, q));
      range.max = std::min(range.max, Quantize(1, q));
      break;
    case ActivationFunctionType::RELU6:
      range.min = std::max(range.min, Quantize(0, q));
      range.max = std::min(range.max, Quantize(6, q));
      break;
    default:
      return UnknownActivation(activation);
  }
  return range;
}

}  // namespace stowage::harness
