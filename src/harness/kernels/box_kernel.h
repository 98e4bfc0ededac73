// SPDX-License-Identifier: Apache-2.0
// Operators that copy one box of elements from input 0 to the output: a
// function that sets the output's shape and returns the copy.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_BOX_KERNEL_H_
#define STOWAGE_SRC_HARNESS_KERNELS_BOX_KERNEL_H_

#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness {

using PlaceBox = absl::StatusOr<BoxCopy> (*)(OperatorContext& context);

class BoxKernel : public DataShapedKernel {
 public:
  // All inputs but the first decide on the shape: `inputs` is their number, the
  // first included.
  BoxKernel(size_t inputs, PlaceBox place)
      : DataShapedKernel(AllButFirst(inputs)), inputs_(inputs), place_(place) {}

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

  absl::Status Resize(OperatorContext& context) final {
    STOWAGE_ASSIGN_OR_RETURN(copy_, place_(context));
    return absl::OkStatus();
  }

  absl::Status Run(OperatorContext& context) final {
    const Tensor& input = context.input(0);
    copy_.Run(input.data, context.output(0).data, ElementBytes(input.type));
    return absl::OkStatus();
  }

  size_t inputs_;
  PlaceBox place_;
  BoxCopy copy_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_BOX_KERNEL_H_
