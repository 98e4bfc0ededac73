// SPDX-License-Identifier: Apache-2.0
// QUANTIZE: real numbers to quantised ones, or those to a scale or type of
// their own.
#include <cmath>
#include <limits>

#include "src/harness/kernels/dispatch_type.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::quantize {
namespace {

using Outputs = TypeList<int8_t, uint8_t, int16_t, int32_t>;
using Inputs = TypeList<float, int8_t, uint8_t, int16_t, int32_t>;

template <typename T>
QuantizedOutput AllOf(int32_t zero_point) {
  return {{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()},
          zero_point};
}

class QuantizeKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, Inputs()));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, Outputs()));
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    const Tensor& input = context.input(0);
    if (input.type != ElementType::kFloat32) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
      factor_ =
          QuantizeMultiplier(double{input.quantization.scale()} /
                             double{context.output(0).quantization.scale()});
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    return DispatchType(Outputs(), output.type, [&](auto out) {
      return DispatchType(Inputs(), input.type, [&](auto in) {
        Quantize(input, input.as<decltype(in)>(), output,
                 output.as<decltype(out)>());
      });
    });
  }

 private:
  template <typename Out>
  void Quantize(const Tensor& input, const float* from, const Tensor& output,
                Out* to) const {
    const auto result = AllOf<Out>(output.quantization.zero_point());
    const float scale = output.quantization.scale();
    // Far beyond what any type holds, and the same for NaN.
    constexpr float kFar = 1e12F;
    ForEachElement(from, to, input.elements(), [=](float x) {
      const float steps = std::round(x / scale);
      const float within =
          steps < kFar ? (steps > -kFar ? steps : -kFar) : kFar;
      return static_cast<Out>(result.At(static_cast<int64_t>(within)));
    });
  }

  template <typename In, typename Out>
  void Quantize(const Tensor& input, const In* from, const Tensor& output,
                Out* to) const {
    const auto result = AllOf<Out>(output.quantization.zero_point());
    const auto all = AllOf<int32_t>(0);
    const int64_t input_zero = input.quantization.zero_point();
    const Multiplier factor = factor_;
    ForEachElement(from, to, input.elements(), [=](In x) {
      const int32_t steps = all.At(x - input_zero);
      return static_cast<Out>(result.At(Multiply(steps, factor)));
    });
  }

  Multiplier factor_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<QuantizeKernel>(
              "QUANTIZE",
              "real numbers to quantised ones, or those to a scale "
              "or type of their own")
              .OfVersions(1, 3)
              .SharesMemoryOf(InPlace::kInput0)};
}

}  // namespace stowage::harness::quantize
