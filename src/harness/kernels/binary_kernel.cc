#include "src/harness/kernels/binary_kernel.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/broadcast.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

absl::Status BinaryKernel::Prepare(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 1, {a.type}));
  STOWAGE_RETURN_IF_ERROR(Check(context));
  const absl::StatusOr<Shape> shape = BroadcastShape(a.shape, b.shape);
  if (!shape.ok()) return shape.status();
  STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, *shape));
  loop_ = BroadcastLoop<2>(*shape, {&a.shape, &b.shape});
  return absl::OkStatus();
}

}  // namespace stowage::harness
