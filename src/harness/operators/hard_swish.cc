// SPDX-License-Identifier: Apache-2.0
// HARD_SWISH: x * relu6(x + 3) / 6.
//
// Quantised, in 16 bits: x, times a factor that runs from 0 at x = -3 to 1 at
// x = 3 and stays there. Source: A. Howard et al., "Searching for MobileNetV3"
// (2019), section 5.2, and the arithmetic of TensorFlow Lite's reference
// kernel.
#include <algorithm>
#include <limits>

#include "gemmlowp/fixedpoint/fixedpoint.h"
#include "src/harness/kernels/activation.h"
#include "src/harness/kernels/dispatch_type.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::hard_swish {
namespace {

int16_t Saturate16(int64_t x) {
  return static_cast<int16_t>(
      std::clamp<int64_t>(x, std::numeric_limits<int16_t>::min(),
                          std::numeric_limits<int16_t>::max()));
}

// The high half of 2ab, rounded to zero.
int16_t HighMul16(int32_t a, int32_t b) {
  return Saturate16(int64_t{a} * b / (1 << 15));
}

// A factor with a 16-bit mantissa.
struct Multiplier16 {
  explicit Multiplier16(double real) {
    const Multiplier factor = QuantizeMultiplier(real);
    mantissa = Saturate16((int64_t{factor.mantissa} + (1 << 15)) >> 16);
    exponent = factor.exponent;
  }

  int16_t TimesMantissa(int16_t x) const {
    return gemmlowp::SaturatingRoundingDoublingHighMul(x, mantissa);
  }

  int16_t mantissa;
  int exponent;
};

// x * factor, which is x / 3 in units of 2^-15, within -1 and 1. Of a shift to
// the left the last bit comes after the product: what saturates before it would
// saturate anyway.
int16_t Thirds(int16_t x, const Multiplier16& factor) {
  const int exponent = factor.exponent;
  if (exponent <= 0) {
    const int32_t product = factor.TimesMantissa(x);
    return Saturate16(gemmlowp::RoundingDivideByPOT(product, -exponent));
  }
  const int16_t shifted =
      Saturate16(int64_t{x} * (int64_t{1} << (exponent - 1)));
  return Saturate16(int64_t{2} * factor.TimesMantissa(shifted));
}

float HardSwish(float x) {
  const float above = x + 3 > 0 ? x + 3 : 0;
  return x * (above < 6 ? above : 6) / 6;
}

absl::StatusOr<Activation> Make(OperatorContext& context) {
  if (context.input(0).type == ElementType::kFloat32) {
    return RealActivation([](float x) { return HardSwish(x); });
  }
  const Quantization& in = context.input(0).quantization;
  const Quantization& out = context.output(0).quantization;
  STOWAGE_ASSIGN_OR_RETURN(const QuantizedOutput output,
                           QuantizedOutputOf(context.output(0)));
  const float fine_scale = 1.0F / 128.0F * in.scale();
  const Multiplier16 to_output(fine_scale / out.scale());
  const Multiplier16 to_thirds(fine_scale / (3.0F / 32768.0F));
  if (to_output.exponent > 0) {
    return RefuseModel(
        "its input has scale ", in.scale(), ", its output ", out.scale(),
        ": expected at most 128 times the output's for the input");
  }
  const int32_t input_zero = in.zero_point();
  return Activation{
      nullptr, [=](int32_t value) {
        const auto x = static_cast<int16_t>((value - input_zero) * 128);
        const int32_t factor = (Thirds(x, to_thirds) + (1 << 15)) >> 1;
        const int32_t y = HighMul16(factor, to_output.TimesMantissa(x));
        return output.At(gemmlowp::RoundingDivideByPOT(y, -to_output.exponent));
      }};
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("HARD_SWISH")
          .Computes("x * relu6(x + 3) / 6")
          .SharesMemoryOf(InPlace::kInput0)
          .Creates<ActivationKernel>(TypeList<float, int8_t, uint8_t>(), Make)};
}

}  // namespace stowage::harness::hard_swish
