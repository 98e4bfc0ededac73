// Operators that copy one box of elements from input 0 to the output.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_BOX_KERNEL_H_
#define STOWAGE_SRC_HARNESS_KERNELS_BOX_KERNEL_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class BoxKernel : public DataShapedKernel {
 protected:
  // All inputs but the first decide on the shape: `inputs` is their number, the
  // first included.
  explicit BoxKernel(size_t inputs)
      : DataShapedKernel(AllButFirst(inputs)), inputs_(inputs) {}

  // For Resize to set.
  BoxCopy copy_;

 private:
  static std::vector<size_t> AllButFirst(size_t inputs) {
    std::vector<size_t> result;
    for (size_t i = 1; i < inputs; ++i) result.push_back(i);
    return result;
  }

  absl::Status Check(OperatorContext& context) final {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, inputs_, inputs_, 1));
    return CheckMovable(context, 0);
  }

  absl::Status Run(OperatorContext& context) final {
    const Tensor& input = context.input(0);
    copy_.Run(input.data, context.output(0).data, ElementBytes(input.type));
    return absl::OkStatus();
  }

  size_t inputs_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_BOX_KERNEL_H_
