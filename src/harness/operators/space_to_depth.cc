// SPACE_TO_DEPTH: blocks of pixels as channels.
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/blocks.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/box_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::space_to_depth {
namespace {

class SpaceToDepth : public BoxKernel {
 public:
  SpaceToDepth() : BoxKernel(1) {}

 private:
  absl::Status Resize(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 4, 4));
    const auto options = OptionsOf<tflite::SpaceToDepthOptions>(context.spec());
    if (!options.ok()) return options.status();
    const int32_t block = (*options)->block_size();
    const Shape& from = context.input(0).shape;
    const absl::StatusOr<Shape> to = DeepShape(from, block);
    if (!to.ok()) return to.status();
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, *to));
    std::vector<BoxCopy::Axis> axes = AxesOfBlocks(*to, from, block);
    for (BoxCopy::Axis& axis : axes) std::swap(axis.from, axis.to);
    copy_ = BoxCopy(axes);
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("SPACE_TO_DEPTH")
              .Computes("blocks of pixels as channels")
              .OfVersions(1, 2)
              .Creates<SpaceToDepth>()};
}

}  // namespace stowage::harness::space_to_depth
