// ABS: x without its sign, elementwise. The smallest integer stays as it is.
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_arithmetic.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/unary_kernel.h"
#include "src/harness/kernels/wrapping.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::abs {
namespace {

int32_t MagnitudeOf(int32_t x) {
  return x >= 0 ? x
                : Wrapping(int32_t{0}, x, [](auto a, auto b) { return a - b; });
}

class Abs : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(
        PrepareUnary(context, {ElementType::kFloat32, ElementType::kInt32,
                               ElementType::kInt8, ElementType::kInt16}));
    const ElementType type = context.input(0).type;
    if (type == ElementType::kInt8 || type == ElementType::kInt16) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
      STOWAGE_RETURN_IF_ERROR(CheckOutputQuantized(context, 0));
    }
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        ComputeUnary<float>(context, [](float x) { return std::fabs(x); });
        return absl::OkStatus();
      case ElementType::kInt32:
        ComputeUnary<int32_t>(context, MagnitudeOf);
        return absl::OkStatus();
      case ElementType::kInt8:
        return Quantized<int8_t>(context);
      default:
        return Quantized<int16_t>(context);
    }
  }

 private:
  template <typename T>
  static absl::Status Quantized(OperatorContext& context) {
    const Tensor& output = context.output(0);
    const absl::StatusOr<Range<int32_t>> range =
        QuantizedRange(tflite::ActivationFunctionType::NONE, output);
    if (!range.ok()) return range.status();
    const Target target = {*range, output.quantization.zero_point()};
    const Quantization& from = context.input(0).quantization;
    const int32_t zero_point = from.zero_point();
    const bool is_rescaled = from.scale() != output.quantization.scale();
    const Multiplier factor = QuantizeMultiplier(
        double{from.scale()} / double{output.quantization.scale()});
    ComputeUnary<T>(context, [=](T x) {
      const int32_t magnitude = MagnitudeOf(x - zero_point);
      return static_cast<T>(
          target.Of(is_rescaled ? Multiply(magnitude, factor) : magnitude));
    });
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("ABS")
              .Computes("x without its sign, elementwise")
              .OfVersions(1, 5)
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<Abs>()};
}

}  // namespace stowage::harness::abs
