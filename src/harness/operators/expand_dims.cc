// EXPAND_DIMS: the same elements with one more dimension, of 1, at the axis in
// input 1.
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/unmodified.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::expand_dims {
namespace {

class ExpandDims : public DataShapedKernel {
 public:
  ExpandDims() : DataShapedKernel({1}) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 1));
    return CheckMovable(context, 0);
  }

  absl::Status Resize(OperatorContext& context) override {
    const absl::StatusOr<int64_t> wanted = IntegerOf(context, 1);
    if (!wanted.ok()) return wanted.status();
    Shape shape = context.input(0).shape;
    const absl::StatusOr<int> axis =
        ResolveAxis(*wanted, context.input(0).rank() + 1);
    if (!axis.ok()) return axis.status();
    shape.insert(shape.begin() + *axis, 1);
    return context.ResizeOutput(0, shape);
  }

  absl::Status Run(OperatorContext& context) override {
    CopyUnmodified(context);
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("EXPAND_DIMS")
              .Computes("the same elements with one more dimension, of 1, at "
                        "the axis in input 1")
              .SharesMemoryOf(InPlace::kUnmodified | InPlace::kInput0)
              .Creates<ExpandDims>()};
}

}  // namespace stowage::harness::expand_dims
