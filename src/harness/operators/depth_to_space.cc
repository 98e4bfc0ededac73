// DEPTH_TO_SPACE: channels as blocks of pixels.
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/blocks.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/box_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::depth_to_space {
namespace {

class DepthToSpace : public BoxKernel {
 public:
  DepthToSpace() : BoxKernel(1) {}

 private:
  absl::Status Resize(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 4, 4));
    const auto options = OptionsOf<tflite::DepthToSpaceOptions>(context.spec());
    if (!options.ok()) return options.status();
    const int32_t block = (*options)->block_size();
    const Shape& from = context.input(0).shape;
    const absl::StatusOr<Shape> to = WideShape(from, block);
    if (!to.ok()) return to.status();
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, *to));
    copy_ = BoxCopy(AxesOfBlocks(from, *to, block));
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("DEPTH_TO_SPACE")
              .Computes("channels as blocks of pixels")
              .OfVersions(1, 2)
              .Creates<DepthToSpace>()};
}

}  // namespace stowage::harness::depth_to_space
