// MAXIMUM and MINIMUM. Quantised numbers are compared as they are: their
// operators give both inputs and the output one scale.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_EXTREMUM_H_
#define STOWAGE_SRC_HARNESS_KERNELS_EXTREMUM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "src/harness/kernels/binary_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

// IsBefore(a, b): whether a is more extreme than b, as std::greater for
// MAXIMUM.
template <typename IsBefore>
class Extremum : public BinaryKernel {
 public:
  absl::Status Invoke(OperatorContext& context) override {
    switch (context.input(0).type) {
      case ElementType::kFloat32:
        return Plain<float>(context);
      case ElementType::kInt8:
        return Plain<int8_t>(context);
      case ElementType::kUint8:
        return Plain<uint8_t>(context);
      case ElementType::kInt16:
        return Plain<int16_t>(context);
      case ElementType::kInt32:
        return Plain<int32_t>(context);
      default:
        return Plain<int64_t>(context);
    }
  }

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckInputType(
        context, 0,
        {ElementType::kFloat32, ElementType::kInt8, ElementType::kUint8,
         ElementType::kInt16, ElementType::kInt32, ElementType::kInt64}));
    return CheckOutputType(context, 0, {context.input(0).type});
  }

  template <typename T>
  absl::Status Plain(OperatorContext& context) const {
    Compute<T, T>(context, [](T a, T b) { return IsBefore()(a, b) ? a : b; });
    return absl::OkStatus();
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_EXTREMUM_H_
