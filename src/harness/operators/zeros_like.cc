// ZEROS_LIKE: zeros of the input's type and shape.
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::zeros_like {
namespace {

class ZerosLike : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    return context.ResizeOutput(0, context.input(0).shape);
  }

  absl::Status Invoke(OperatorContext& context) override {
    Tensor& output = context.output(0);
    if (output.bytes > 0) std::memset(output.data, 0, output.bytes);
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("ZEROS_LIKE")
              .Computes("zeros of the input's type and shape")
              .SharesMemoryOf(InPlace::kInput0)
              .Creates<ZerosLike>()};
}

}  // namespace stowage::harness::zeros_like
