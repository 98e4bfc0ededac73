// HARD_SWISH: x * relu6(x + 3) / 6.
//
// Quantised, in 16 bits: x, times a factor that runs from 0 at x = -3 to 1 at
// x = 3 and stays there. Source: A. Howard et al., "Searching for MobileNetV3"
// (2019), section 5.2, and the arithmetic of TensorFlow Lite's reference
// kernel.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/unary.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::hard_swish {
namespace {

int32_t Saturate16(int64_t x) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(x, std::numeric_limits<int16_t>::min(),
                          std::numeric_limits<int16_t>::max()));
}

// The high half of 2ab of 16-bit numbers, rounded to nearest, halves up.
int32_t RoundingHighMul16(int32_t a, int32_t b) {
  const int32_t product = a * b;
  const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return Saturate16((int64_t{product} + nudge) / (1 << 15));
}

// The same, rounded to zero.
int32_t HighMul16(int32_t a, int32_t b) {
  return Saturate16(int64_t{a} * b / (1 << 15));
}

// A factor with a 16-bit mantissa.
Multiplier Multiplier16(double real) {
  Multiplier result = QuantizeMultiplier(real);
  const int64_t rounded = (int64_t{result.mantissa} + (1 << 15)) >> 16;
  result.mantissa = Saturate16(rounded);
  return result;
}

class HardSwish : public UnaryKernel {
 protected:
  absl::Status CheckType(const OperatorContext& context) const override {
    return CheckInputType(
        context, 0,
        {ElementType::kFloat32, ElementType::kInt8, ElementType::kUint8});
  }

  absl::Status PrepareQuantized(OperatorContext& context) override {
    const Quantization& in = context.input(0).quantization;
    const Quantization& out = context.output(0).quantization;
    const absl::StatusOr<QuantizedOutput> output =
        QuantizedOutputOf(context.output(0));
    if (!output.ok()) return output.status();
    output_ = *output;
    input_zero_ = in.zero_point();
    const float fine_scale = 1.0F / 128.0F * in.scale();
    to_output_ = Multiplier16(fine_scale / out.scale());
    to_thirds_ = Multiplier16(fine_scale / (3.0F / 32768.0F));
    if (to_output_.exponent > 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "its input has scale ", in.scale(), ", its output ", out.scale(),
          ": expected at most 128 times the output's for the input"));
    }
    return absl::OkStatus();
  }

  int32_t Quantized(int32_t value) const override {
    const int32_t x = (value - input_zero_) * 128;
    const int32_t scaled = RoundingHighMul16(x, to_output_.mantissa);
    const int32_t factor = (Thirds(x) + (1 << 15)) >> 1;
    return output_.At(
        RoundingShift(HighMul16(factor, scaled), -to_output_.exponent));
  }

  void Real(const float* in, float* out, int64_t count) const override {
    ForEachElement(in, out, count, [](float x) {
      const float above = x + 3 > 0 ? x + 3 : 0;
      return x * (above < 6 ? above : 6) / 6;
    });
  }

 private:
  // x / 3 in units of 2^-15, within -1 and 1. Of a shift to the left the last
  // bit comes after the product: what saturates before it would saturate
  // anyway.
  int32_t Thirds(int32_t x) const {
    const int exponent = to_thirds_.exponent;
    if (exponent <= 0) {
      return RoundingShift(RoundingHighMul16(x, to_thirds_.mantissa),
                           -exponent);
    }
    const int32_t shifted =
        Saturate16(int64_t{x} * (int64_t{1} << (exponent - 1)));
    return Saturate16(int64_t{2} *
                      RoundingHighMul16(shifted, to_thirds_.mantissa));
  }

  int32_t input_zero_ = 0;
  Multiplier to_output_;
  Multiplier to_thirds_;
  QuantizedOutput output_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("HARD_SWISH")
              .Computes("x * relu6(x + 3) / 6")
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<HardSwish>()};
}

}  // namespace stowage::harness::hard_swish
