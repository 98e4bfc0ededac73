// SPDX-License-Identifier: Apache-2.0
// The base of operators whose output shapes depend on the values of inputs:
// PAD, SLICE, TILE... If these inputs are constants the shapes are known in
// Prepare. If they are computed, the shapes are known only in Invoke, and the
// outputs become dynamic.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_DATA_SHAPED_KERNEL_H_
#define STOWAGE_SRC_HARNESS_KERNELS_DATA_SHAPED_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class DataShapedKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) final;
  absl::Status Invoke(OperatorContext& context) final;

 protected:
  // `shaping` lists the inputs whose values determine shapes; inputs that are
  // left out of the model do not count.
  explicit DataShapedKernel(std::vector<size_t> shaping)
      : shaping_(std::move(shaping)) {}

  // Checks counts, types and ranks: everything that is known without values.
  virtual absl::Status Check(OperatorContext& context) = 0;
  // Reads the values, sets the shapes of all outputs and prepares the rest.
  virtual absl::Status Resize(OperatorContext& context) = 0;
  // Computes the outputs, whose shapes are set.
  virtual absl::Status Run(OperatorContext& context) = 0;

 private:
  std::vector<size_t> shaping_;
  bool is_dynamic_ = false;
};

// Returns the elements of an input of INT32 or INT64. Error: InvalidArgument
// for another type.
absl::StatusOr<std::vector<int64_t>> IntegersOf(const OperatorContext& context,
                                                size_t i);

// Returns the only element. Error: likewise, and if there is not exactly one.
absl::StatusOr<int64_t> IntegerOf(const OperatorContext& context, size_t i);

// Returns the elements as a shape. Error: likewise, and for dimensions below 0
// or beyond 32 bits.
absl::StatusOr<Shape> ShapeOf(const OperatorContext& context, size_t i);

// Error: InvalidArgument unless the input has one element.
absl::Status CheckInputIsOneElement(const OperatorContext& context, size_t i);

// Checks operators that move elements without computing with them. Error:
// InvalidArgument unless the elements of input `i` occupy whole bytes and all
// outputs are of the same type.
absl::Status CheckMovable(OperatorContext& context, size_t i);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_DATA_SHAPED_KERNEL_H_
