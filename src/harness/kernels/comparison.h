// EQUAL, LESS and their like: two inputs compared elementwise, as BOOL.
// Quantised numbers are compared by what they stand for, with 8 bits after the
// point.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_COMPARISON_H_
#define STOWAGE_SRC_HARNESS_KERNELS_COMPARISON_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/binary_kernel.h"
#include "src/harness/kernels/fixed_point.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// What a quantised number stands for, in 256ths.
class Rescaled {
 public:
  explicit Rescaled(const Tensor& tensor)
      : zero_point_(tensor.quantization.zero_point()),
        factor_(QuantizeMultiplier(double{tensor.quantization.scale()})) {}

  int32_t operator()(int32_t value) const {
    return Multiply((value - zero_point_) * 256, factor_);
  }

 private:
  int32_t zero_point_;
  Multiplier factor_;
};

// Compare(a, b): as std::less for LESS. `kHasOrder`: BOOL has none and is
// refused.
template <typename Compare, bool kHasOrder>
class Comparison : public BinaryKernel {
 public:
  absl::Status Invoke(OperatorContext& context) override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return Plain<float>(context);
      case ElementType::kInt32:
        return Plain<int32_t>(context);
      case ElementType::kInt64:
        return Plain<int64_t>(context);
      case ElementType::kInt16:
        return Plain<int16_t>(context);
      case ElementType::kInt8:
        return Quantized<int8_t>(context);
      case ElementType::kUint8:
        return Quantized<uint8_t>(context);
      default:
        // Any byte but 0 is true.
        Compute<uint8_t, uint8_t>(context, [](uint8_t a, uint8_t b) {
          return static_cast<uint8_t>(Compare()(a != 0, b != 0));
        });
        return absl::OkStatus();
    }
  }

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, 0,
        {ElementType::kFloat32, ElementType::kInt32, ElementType::kInt64,
         ElementType::kInt16, ElementType::kInt8, ElementType::kUint8,
         kHasOrder ? ElementType::kInt32 : ElementType::kBool}));
    STOWAGE_RETURN_IF_ERROR(CheckOutputType(context, 0, {ElementType::kBool}));
    const ElementType type = context.input(0).type;
    if (type == ElementType::kInt8 || type == ElementType::kUint8) {
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 0));
      STOWAGE_RETURN_IF_ERROR(CheckInputQuantized(context, 1));
    }
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status Plain(OperatorContext& context) const {
    Compute<T, uint8_t>(context, [](T a, T b) {
      return static_cast<uint8_t>(Compare()(a, b));
    });
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status Quantized(OperatorContext& context) const {
    const Rescaled first(context.input(0));
    const Rescaled second(context.input(1));
    Compute<T, uint8_t>(context, [first, second](T a, T b) {
      return static_cast<uint8_t>(Compare()(first(a), second(b)));
    });
    return absl::OkStatus();
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_COMPARISON_H_
