// FILL: a tensor of the shape in input 0, all of whose elements are that of
// input 1.
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/fill_elements.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::fill {
namespace {

class Fill : public DataShapedKernel {
 public:
  Fill() : DataShapedKernel({0}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 1));
    const Tensor& value = context.input(1);
    if (value.bytes == ElementBytes(value.type)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(InputPlace(context, 1), ": its shape is ",
                     ShapeText(value.shape), ": expected one element"));
  }

  absl::Status Resize(OperatorContext& context) override {
    const absl::StatusOr<Shape> shape = ShapeOf(context, 0);
    if (!shape.ok()) return shape.status();
    return context.ResizeOutput(0, *shape);
  }

  absl::Status Run(OperatorContext& context) override {
    FillElements(context.output(0), context.input(1).data);
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("FILL")
              .Computes("a tensor of the shape in input 0, all of whose "
                        "elements are that of input 1")
              .OfVersions(1, 4)
              .Creates<Fill>()};
}

}  // namespace stowage::harness::fill
