// QUANTIZE: real numbers to quantised ones, or those to a scale or type of
// their own.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/elementwise.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_output.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::quantize {
namespace {

class QuantizeKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, 0,
        {ElementType::kFloat32, ElementType::kInt8, ElementType::kUint8,
         ElementType::kInt16, ElementType::kInt32}));
    STOWAGE_RETURN_IF_ERROR(
        CheckOutputType(context, 0,
                        {ElementType::kInt8, ElementType::kUint8,
                         ElementType::kInt16, ElementType::kInt32}));
    STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    const Tensor& input = context.input(0);
    const Quantization& out = context.output(0).quantization;
    scale_ = out.scale();
    zero_point_ = out.zero_point();
    if (input.type != ElementType::kFloat32) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
      const Quantization& in = input.quantization;
      input_zero_ = in.zero_point();
      factor_ = QuantizeMultiplier(double{in.scale()} / double{out.scale()});
    }
    return context.ResizeOutput(0, input.shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    switch (output.type) {
      case ElementType::kInt8:
        To<int8_t>(input, output);
        break;
      case ElementType::kUint8:
        To<uint8_t>(input, output);
        break;
      case ElementType::kInt16:
        To<int16_t>(input, output);
        break;
      default:
        To<int32_t>(input, output);
    }
    return absl::OkStatus();
  }

 private:
  template <typename Out>
  void To(const Tensor& input, Tensor& output) const {
    switch (input.type) {
      case ElementType::kFloat32:
        return FromReal(input, output.as<Out>());
      case ElementType::kInt8:
        return FromQuantized(input, input.as<int8_t>(), output.as<Out>());
      case ElementType::kUint8:
        return FromQuantized(input, input.as<uint8_t>(), output.as<Out>());
      case ElementType::kInt16:
        return FromQuantized(input, input.as<int16_t>(), output.as<Out>());
      default:
        return FromQuantized(input, input.as<int32_t>(), output.as<Out>());
    }
  }

  template <typename Out>
  static QuantizedOutput ResultOf(int32_t zero_point) {
    return {{std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max()},
            zero_point};
  }

  template <typename Out>
  void FromReal(const Tensor& input, Out* output) const {
    const QuantizedOutput result = ResultOf<Out>(zero_point_);
    const float scale = scale_;
    // Far beyond what any type holds, and the same for what is no number.
    constexpr float kFar = 1e12F;
    ForEachElement(input.as<float>(), output, input.elements(), [=](float x) {
      const float steps = std::round(x / scale);
      const float within =
          steps < kFar ? (steps > -kFar ? steps : -kFar) : kFar;
      return static_cast<Out>(result.At(static_cast<int64_t>(within)));
    });
  }

  template <typename In, typename Out>
  void FromQuantized(const Tensor& tensor, const In* input, Out* output) const {
    const QuantizedOutput result = ResultOf<Out>(zero_point_);
    const QuantizedOutput all = ResultOf<int32_t>(0);
    const int64_t input_zero = input_zero_;
    const Multiplier factor = factor_;
    ForEachElement(input, output, tensor.elements(), [=](In x) {
      const int32_t steps = all.At(x - input_zero);
      return static_cast<Out>(result.At(Multiply(steps, factor)));
    });
  }

  float scale_ = 1;
  int32_t zero_point_ = 0;
  int32_t input_zero_ = 0;
  Multiplier factor_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("QUANTIZE")
              .Computes("real numbers to quantised ones, or those to a scale "
                        "or type of their own")
              .OfVersions(1, 3)
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<QuantizeKernel>()};
}

}  // namespace stowage::harness::quantize
