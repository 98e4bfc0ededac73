// LOGICAL_AND and LOGICAL_OR. Any byte but 0 is true; what is written is 0
// or 1.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_LOGICAL_H_
#define STOWAGE_SRC_HARNESS_KERNELS_LOGICAL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "src/harness/kernels/binary_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

template <typename F>
class Logical : public BinaryKernel {
 public:
  absl::Status Invoke(OperatorContext& context) override {
    Compute<uint8_t, uint8_t>(context, [](uint8_t a, uint8_t b) {
      return static_cast<uint8_t>(F()(a != 0, b != 0));
    });
    return absl::OkStatus();
  }

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, {ElementType::kBool}));
    return CheckOutputType(context, 0, {ElementType::kBool});
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_LOGICAL_H_
