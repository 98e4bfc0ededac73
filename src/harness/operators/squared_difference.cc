// SQUARED_DIFFERENCE: (a - b)^2, elementwise, with broadcasting. Integers wrap
// around.
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/binary_kernel.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/quantized_arithmetic.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/wrapping.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::squared_difference {
namespace {

class SquaredDifference : public BinaryKernel {
 public:
  absl::Status Invoke(OperatorContext& context) override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return Plain<float>(context);
      case ElementType::kInt32:
        return Plain<int32_t>(context);
      case ElementType::kInt8:
        return Quantized<int8_t>(context);
      default:
        return Quantized<int16_t>(context);
    }
  }

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 0,
                       {ElementType::kFloat32, ElementType::kInt32,
                        ElementType::kInt8, ElementType::kInt16}));
    const ElementType type = context.input(0).type;
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {type}));
    const bool is_quantized =
        type == ElementType::kInt8 || type == ElementType::kInt16;
    return is_quantized ? CheckQuantizedPair(context) : absl::OkStatus();
  }

  template <typename T>
  absl::Status Plain(OperatorContext& context) const {
    Compute<T, T>(context, [](T a, T b) {
      return Wrapping(a, b, [](auto x, auto y) { return (x - y) * (x - y); });
    });
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status Quantized(OperatorContext& context) const {
    const Tensor& output = context.output(0);
    const absl::StatusOr<Range<int32_t>> range =
        QuantizedRange(tflite::ActivationFunctionType::NONE, output);
    if (!range.ok()) return range.status();
    const QuantizedSquaredDifference f(context.input(0), context.input(1),
                                       output, *range);
    Compute<T, T>(context, [f](T a, T b) { return static_cast<T>(f(a, b)); });
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("SQUARED_DIFFERENCE")
              .Computes("(a - b)^2, elementwise, with broadcasting")
              .OfVersions(1, 2)
              .SharesMemoryOf(InPlace::kInput0 | InPlace::kInput1)
              .Creates<SquaredDifference>()};
}

}  // namespace stowage::harness::squared_difference
