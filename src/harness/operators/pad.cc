// PAD: a tensor with zeros around it; where it is quantised, with zero points.
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/pad_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::pad {
namespace {

class Pad : public PadKernel {
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    if (!context.output(0).quantization.is_quantized()) {
      return absl::OkStatus();
    }
    return CheckOutputQuantized(context, 0);
  }

  Element PaddingOf(OperatorContext& context) const override {
    const Tensor& output = context.output(0);
    Element element = {};
    if (output.type == ElementType::kInt8 ||
        output.type == ElementType::kUint8 ||
        output.type == ElementType::kInt16) {
      // Little-endian: the low bytes are those of the narrower type.
      const int32_t zero_point = output.quantization.zero_point();
      std::memcpy(element.data(), &zero_point, sizeof(zero_point));
    }
    return element;
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("PAD")
              .Computes("a tensor with zeros around it; where it is quantised, "
                        "with zero points")
              .OfVersions(1, 4)
              .Creates<Pad>()};
}

}  // namespace stowage::harness::pad
