// BROADCAST_TO: the input broadcast to the shape in input 1.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/box_kernel.h"
#include "src/harness/kernels/broadcast.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::broadcast_to {
namespace {

class BroadcastTo : public BoxKernel {
 public:
  BroadcastTo() : BoxKernel(2) {}

 private:
  absl::Status Resize(OperatorContext& context) override {
    const absl::StatusOr<Shape> shape = ShapeOf(context, 1);
    if (!shape.ok()) return shape.status();
    const Shape& from = context.input(0).shape;
    const absl::StatusOr<Shape> both = BroadcastShape(from, *shape);
    if (!both.ok()) return both.status();
    if (*both != *shape) {
      return absl::InvalidArgumentError(
          absl::StrCat("the new shape is ", ShapeText(*shape),
                       ": expected one that ", ShapeText(from), " repeats to"));
    }
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, *shape));
    const std::vector<int64_t> from_strides =
        BroadcastStrides(from, shape->size());
    const std::vector<int64_t> to_strides = Strides(*shape);
    std::vector<BoxCopy::Axis> axes;
    for (size_t d = 0; d < shape->size(); ++d) {
      axes.push_back({(*shape)[d], from_strides[d], to_strides[d]});
    }
    copy_ = BoxCopy(axes);
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("BROADCAST_TO")
              .Computes("the input broadcast to the shape in input 1")
              .OfVersions(1, 3)
              .Creates<BroadcastTo>()};
}

}  // namespace stowage::harness::broadcast_to
