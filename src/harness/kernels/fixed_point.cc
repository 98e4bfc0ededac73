// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/fixed_point.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/numeric/bits.h"
#include "gemmlowp/fixedpoint/fixedpoint.h"
#include "stowage/harness/dispatch_type.h"
#include "stowage/harness/kernel_tools.h"

namespace stowage::harness {
namespace {

// Returns the quantized value of a real number, which may be outside the range
// of the output.
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

Multiplier RescalingFactor(const Tensor& from, const Tensor& to) {
  return QuantizeMultiplier(double{from.quantization.scale()} /
                            double{to.quantization.scale()});
}

absl::Status SetChannelFactors(const Tensor& input, const Tensor& weights,
                               const Tensor& output, bool has_float_products,
                               absl::Span<Multiplier> factors) {
  const float input_scale = input.quantization.scale();
  const float output_scale = output.quantization.scale();
  const std::vector<float>& scales = weights.quantization.scales;
  const bool is_per_tensor = scales.size() == 1;
  const bool has_float_product = input.type == ElementType::kUint8 ||
                                 (has_float_products && is_per_tensor);
  for (size_t c = 0; c < factors.size(); ++c) {
    const float scale = scales[is_per_tensor ? 0 : c];
    const double product = has_float_product ? double{input_scale * scale}
                                             : double{input_scale} * scale;
    const double factor = product / double{output_scale};
    if (!std::isfinite(factor)) {
      return RefuseModel("scales of input, weights and output are ",
                         input_scale, ", ", scale, " and ", output_scale,
                         "; expected smaller ones");
    }
    factors[c] = QuantizeMultiplier(factor);
  }
  return absl::OkStatus();
}

Multiplier DividedBy(const Multiplier& factor, int64_t divisor) {
  int shift = 0;
  while (divisor >> shift > 1) ++shift;
  shift = std::min({shift, 32, 31 + factor.exponent});
  return {Saturate<int32_t>((int64_t{factor.mantissa} << shift) / divisor),
          factor.exponent - shift};
}

absl::StatusOr<Multiplier> MultiplierOfScales(double real) {
  if (!std::isfinite(real)) {
    return RefuseModel("its scales give a factor of ", real,
                       "; expected a finite one");
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

absl::StatusOr<ExpTable> MakeExpTable(float scale, float beta) {
  // The differences from the largest input are converted to the fixed-point
  // format Q5, which has 5 integer bits.
  constexpr int kIntegerBits = 5;
  const double factor =
      std::min(std::ldexp(double{beta} * double{scale}, 31 - kIntegerBits),
               2147483647.0);
  if (!(factor > 1.0)) {
    return RefuseModel("its beta is ", beta, " and its input's scale ", scale,
                       "; expected a product above 2^-26");
  }
  const Multiplier multiplier = QuantizeMultiplier(factor);
  int exponent = 0;
  std::frexp(factor, &exponent);
  // Entries for differences above this radius stay 0, because their exponential
  // is negligible.
  const int32_t radius = InputRadius(kIntegerBits, exponent);
  ExpTable table = {};
  for (int32_t d = 0; d <= std::min(radius, 255); ++d) {
    const auto x = gemmlowp::FixedPoint<int32_t, kIntegerBits>::FromRaw(
        Multiply(-d, multiplier));
    table[static_cast<size_t>(d)] = gemmlowp::exp_on_negative_values(x).raw();
  }
  return table;
}

absl::StatusOr<Range<float>> FloatRange(FusedActivation activation) {
  switch (activation) {
    case FusedActivation::kNone:
      return Range<float>{kNoMin, kNoMax};
    case FusedActivation::kRelu:
      return Range<float>{0, kNoMax};
    case FusedActivation::kReluN1To1:
      return Range<float>{-1, 1};
    case FusedActivation::kRelu6:
      return Range<float>{0, 6};
    default:
      return RefuseModel("its fused activation is number ",
                         static_cast<int>(activation),
                         "; expected NONE, RELU, RELU_N1_TO_1 or RELU6");
  }
}

QuantizedOutput QuantizedOutputOf(const Tensor& output) {
  QuantizedOutput result;
  result.zero_point = output.quantization.zero_point();
  [[maybe_unused]] const absl::Status status =
      DispatchType(TypeList<int8_t, uint8_t, int16_t, int32_t>(), output.type,
                   [&](auto zero) {
                     using Limits = std::numeric_limits<decltype(zero)>;
                     result.range = {Limits::min(), Limits::max()};
                   });
  assert(status.ok());
  return result;
}

absl::StatusOr<QuantizedOutput> QuantizedOutputOf(const Tensor& output,
                                                  FusedActivation activation) {
  STOWAGE_ASSIGN_OR_RETURN(const Range<float> real, FloatRange(activation));
  QuantizedOutput result = QuantizedOutputOf(output);
  const Quantization& q = output.quantization;
  Range<int32_t>& range = result.range;
  if (real.min != kNoMin) {
    range.min = std::max(range.min, Quantize(real.min, q));
  }
  if (real.max != kNoMax) {
    range.max = std::min(range.max, Quantize(real.max, q));
  }
  return result;
}

absl::Status CheckOutputScale(OperatorContext& context, float scale,
                              int32_t zero_point) {
  STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
  const Quantization& q = context.output(0).quantization;
  if (std::abs(q.scale() - scale) <= scale / 1000 &&
      q.zero_point() == zero_point) {
    return absl::OkStatus();
  }
  return RefuseModel(OutputPlace(context, 0), ": its scale is ", q.scale(),
                     " and its zero point ", q.zero_point(), "; expected 1/",
                     std::round(1 / scale), " and ", zero_point);
}

}  // namespace stowage::harness
