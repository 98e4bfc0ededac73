// PAD and PADV2: a tensor with elements of one value around it.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_PAD_KERNEL_H_
#define STOWAGE_SRC_HARNESS_KERNELS_PAD_KERNEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

struct DimensionPadding {
  int64_t before = 0;
  int64_t after = 0;
};

// Input 1, of shape [dimensions of input 0, 2]: elements before and after each
// dimension. Error: InvalidArgument for another type or shape, and for numbers
// below 0 or beyond 32 bits.
absl::StatusOr<std::vector<DimensionPadding>> PaddingsOf(
    const OperatorContext& context);

// `shape` with the paddings. Error: InvalidArgument if a dimension is beyond 32
// bits.
absl::StatusOr<Shape> PaddedShape(
    const Shape& shape, const std::vector<DimensionPadding>& paddings);

class PadKernel : public DataShapedKernel {
 protected:
  // An element of the output, in as many bytes as it has.
  using Element = std::array<uint8_t, 16>;

  PadKernel() : DataShapedKernel({1}) {}

  virtual Element PaddingOf(OperatorContext& context) const = 0;

 private:
  absl::Status Resize(OperatorContext& context) final;
  absl::Status Run(OperatorContext& context) final;

  BoxCopy copy_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_PAD_KERNEL_H_
