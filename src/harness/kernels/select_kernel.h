// SELECT and SELECT_V2: an element of input 1 where input 0, the condition, is
// true, and one of input 2 elsewhere.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_SELECT_KERNEL_H_
#define STOWAGE_SRC_HARNESS_KERNELS_SELECT_KERNEL_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/strided_loop.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class SelectKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) final;
  absl::Status Invoke(OperatorContext& context) final;

 protected:
  // The condition's shape as it is broadcast to the inputs'. Error:
  // InvalidArgument if these three shapes do not fit.
  virtual absl::StatusOr<Shape> ConditionShape(const Shape& condition,
                                               const Shape& a,
                                               const Shape& b) const = 0;

 private:
  StridedLoop<4> loop_;  // of the output, the condition and the inputs
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_SELECT_KERNEL_H_
