// SPDX-License-Identifier: Apache-2.0
// LOGISTIC and TANH: the same arithmetic with other numbers.
#include <algorithm>
#include <cmath>

#include "gemmlowp/fixedpoint/fixedpoint.h"
#include "src/harness/kernels/activation.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/sigmoid16.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::sigmoid {
namespace {

constexpr int kIntegerBits = 4;
using Input = gemmlowp::FixedPoint<int32_t, kIntegerBits>;
using Output = gemmlowp::FixedPoint<int32_t, 0>;

struct Function {
  float (*real)(float);
  Output (*fixed)(Input);
  // An INT8 output is that, with so many bits after the point, from this zero
  // point on.
  int output_bits;
  int32_t output_zero_point;
  int16_t (Sigmoid16::*fixed16)(int16_t x) const;
};

// TensorFlow Lite rounds the real function, once, for UINT8.
absl::StatusOr<Activation> MakeOfUint8(OperatorContext& context,
                                       float (*real)(float)) {
  STOWAGE_ASSIGN_OR_RETURN(const QuantizedOutput output,
                           QuantizedOutputOf(context.output(0)));
  const float scale = context.input(0).quantization.scale();
  const int32_t input_zero = context.input(0).quantization.zero_point();
  const float inverse_scale = 1.0F / context.output(0).quantization.scale();
  return Activation{
      nullptr, [=](int32_t value) {
        const float x = scale * static_cast<float>(value - input_zero);
        const float steps = std::round(real(x) * inverse_scale);
        // 0 times infinity, the inverse of the least scales, becomes 0.
        constexpr float kFar = 1e9F;
        return output.At(std::isnan(steps) ? 0
                                           : static_cast<int64_t>(std::clamp(
                                                 steps, -kFar, kFar)));
      }};
}

absl::StatusOr<Activation> MakeOfInt16(OperatorContext& context,
                                       const Function& function) {
  const Quantization& in = context.input(0).quantization;
  if (in.zero_point() != 0) {
    return RefuseModel(InputPlace(context, 0), ": its zero point is ",
                       in.zero_point(), ": expected 0");
  }
  STOWAGE_RETURN_IF_ERROR(CheckOutputScale(context, 1.0F / 32768, 0));
  return Activation{nullptr,
                    [table = Sigmoid16(in.scale()),
                     fixed16 = function.fixed16](int32_t value) -> int32_t {
                      return (table.*fixed16)(static_cast<int16_t>(value));
                    }};
}

absl::StatusOr<Activation> MakeOfInt8(OperatorContext& context,
                                      const Function& function) {
  STOWAGE_RETURN_IF_ERROR(
      CheckOutputScale(context, std::ldexp(1.0F, -function.output_bits),
                       function.output_zero_point));
  const Quantization& in = context.input(0).quantization;
  const double real_factor = std::ldexp(in.scale(), 31 - kIntegerBits);
  int exponent = 0;
  std::frexp(real_factor, &exponent);
  const int32_t radius = InputRadius(kIntegerBits, exponent);
  const Multiplier factor = QuantizeMultiplier(real_factor);
  const int32_t input_zero = in.zero_point();
  return Activation{
      nullptr, [=](int32_t value) {
        const int32_t x = value - input_zero;
        if (x <= -radius) return -128;
        if (x >= radius) return 127;
        const Output y = function.fixed(Input::FromRaw(Multiply(x, factor)));
        return std::clamp(
            gemmlowp::RoundingDivideByPOT(y.raw(), 31 - function.output_bits) +
                function.output_zero_point,
            -128, 127);
      }};
}

OperatorRegistration Row(std::string name, std::string what,
                         const Function& function) {
  const auto make =
      [function](OperatorContext& context) -> absl::StatusOr<Activation> {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return RealActivation(function.real);
      case ElementType::kUint8:
        return MakeOfUint8(context, function.real);
      case ElementType::kInt16:
        return MakeOfInt16(context, function);
      default:
        return MakeOfInt8(context, function);
    }
  };
  return OperatorRegistration(std::move(name))
      .Computes(std::move(what))
      .OfVersions(1, 3)
      .SharesMemoryOf(InPlace::kInput0)
      .Creates<ActivationKernel>(FloatAndQuantizedTypes(), make);
}

float Tanh(float x) { return std::tanh(x); }

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Row("LOGISTIC", "1 / (1 + exp(-x))",
          {RealLogistic, gemmlowp::logistic, 8, -128, &Sigmoid16::Logistic}),
      Row("TANH", "the hyperbolic tangent",
          {Tanh, gemmlowp::tanh, 7, 0, &Sigmoid16::Tanh})};
}

}  // namespace stowage::harness::sigmoid
