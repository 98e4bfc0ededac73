// SPLIT and SPLIT_V: a tensor cut into slices along one axis.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_SPLIT_KERNEL_H_
#define STOWAGE_SRC_HARNESS_KERNELS_SPLIT_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {

class SplitKernel : public DataShapedKernel {
 protected:
  // The inputs that hold the tensor and the axis, and those whose values decide
  // on the shapes.
  SplitKernel(size_t input, size_t axis, std::vector<size_t> shaping)
      : DataShapedKernel(std::move(shaping)), input_(input), axis_(axis) {}

  // The slices' dimensions along the axis, which has `size` elements in all;
  // as many as there are outputs.
  virtual absl::StatusOr<std::vector<int64_t>> SlicesOf(
      OperatorContext& context, int64_t size) = 0;

 private:
  absl::Status Resize(OperatorContext& context) final;
  absl::Status Run(OperatorContext& context) final;

  size_t input_;
  size_t axis_;
  std::vector<BoxCopy> copies_;  // one for each output
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_SPLIT_KERNEL_H_
