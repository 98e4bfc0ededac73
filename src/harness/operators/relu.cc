// SPDX-License-Identifier: Apache-2.0
// RELU and its kin: what lies outside a range becomes its end. LEAKY_RELU: x
// above 0, alpha x below.
#include <cmath>
#include <limits>

#include "src/harness/kernels/activation.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::relu {
namespace {

// The end of a range may be infinity.
absl::StatusOr<Activation> MakeRelu(OperatorContext& context,
                                    Range<float> range) {
  if (context.input(0).type == ElementType::kFloat32) {
    return RealActivation([=](float x) { return range.Clamp(x); });
  }
  const Quantization& in = context.input(0).quantization;
  const Quantization& out = context.output(0).quantization;
  STOWAGE_ASSIGN_OR_RETURN(QuantizedOutput output,
                           QuantizedOutputOf(context.output(0)));
  const Range<double> all = {static_cast<double>(output.range.min),
                             static_cast<double>(output.range.max)};
  const auto nearest = [&](float real) {
    const float steps = std::round(real / out.scale());
    return static_cast<int32_t>(all.Clamp(double{steps} + out.zero_point()));
  };
  output.range = {nearest(range.min), nearest(range.max)};
  const Multiplier factor = QuantizeMultiplier(in.scale() / out.scale());
  const int32_t input_zero = in.zero_point();
  return Activation{nullptr, [=](int32_t value) {
                      return output.At(Multiply(value - input_zero, factor));
                    }};
}

absl::StatusOr<Activation> MakeLeakyRelu(OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const auto* const options,
                           OptionsOf<tflite::LeakyReluOptions>(context.spec()));
  const float alpha = options->alpha();
  if (context.input(0).type == ElementType::kFloat32) {
    return RealActivation([=](float x) { return x > 0 ? x : x * alpha; });
  }
  const Quantization& in = context.input(0).quantization;
  const float out_scale = context.output(0).quantization.scale();
  STOWAGE_ASSIGN_OR_RETURN(const QuantizedOutput output,
                           QuantizedOutputOf(context.output(0)));
  const Multiplier above = QuantizeMultiplier(in.scale() / out_scale);
  const Multiplier below = QuantizeMultiplier(in.scale() * alpha / out_scale);
  const int32_t input_zero = in.zero_point();
  return Activation{nullptr, [=](int32_t value) {
                      const int32_t x = value - input_zero;
                      return output.At(Multiply(x, x >= 0 ? above : below));
                    }};
}

OperatorRegistration Row(std::string name, std::string what,
                         int32_t max_version, Range<float> range) {
  const auto make = [range](OperatorContext& context) {
    return MakeRelu(context, range);
  };
  return OperatorRegistration(std::move(name))
      .Computes(std::move(what))
      .OfVersions(1, max_version)
      .SharesMemoryOf(InPlace::kInput0)
      .Creates<ActivationKernel>(FloatAndQuantizedTypes(), make);
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return {
      Row("RELU", "max(x, 0)", 3, {0, kInfinity}),
      Row("RELU_0_TO_1", "x, within 0 and 1", 2, {0, 1}),
      Row("RELU_N1_TO_1", "x, within -1 and 1", 2, {-1, 1}),
      Row("RELU6", "x, within 0 and 6", 3, {0, 6}),
      OperatorRegistration("LEAKY_RELU")
          .Computes("x above 0, alpha x below")
          .OfVersions(1, 2)
          .SharesMemoryOf(InPlace::kInput0)
          .Creates<ActivationKernel>(FloatAndQuantizedTypes(), MakeLeakyRelu)};
}

}  // namespace stowage::harness::relu
