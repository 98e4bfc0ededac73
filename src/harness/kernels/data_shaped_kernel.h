// SPDX-License-Identifier: Apache-2.0
// Operators whose outputs have shapes that follow from the values of inputs:
// PAD, SLICE, TILE... With constants these are known in Prepare; what is
// computed is known when it runs, and the outputs become dynamic.
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
  // `shaping`: the inputs whose values decide; those left out do not.
  explicit DataShapedKernel(std::vector<size_t> shaping)
      : shaping_(std::move(shaping)) {}

  // Counts, types and ranks: what is known without values.
  virtual absl::Status Check(OperatorContext& context) = 0;
  // Reads the values, sets the shapes of all outputs and works out the rest.
  virtual absl::Status Resize(OperatorContext& context) = 0;
  // Computes, with the shapes set.
  virtual absl::Status Run(OperatorContext& context) = 0;

 private:
  std::vector<size_t> shaping_;
  bool is_dynamic_ = false;
};

// The elements of an input of INT32 or INT64. Error: InvalidArgument for
// another type.
absl::StatusOr<std::vector<int64_t>> IntegersOf(const OperatorContext& context,
                                                size_t i);

// The only one. Error: likewise, and if there are more or none.
absl::StatusOr<int64_t> IntegerOf(const OperatorContext& context, size_t i);

// The elements as a shape. Error: likewise, and for dimensions below 0 or
// beyond 32 bits.
absl::StatusOr<Shape> ShapeOf(const OperatorContext& context, size_t i);

// Error: InvalidArgument unless the input has one element.
absl::Status CheckInputIsOneElement(const OperatorContext& context, size_t i);

// For operators that move elements and compute with none of them. Error:
// InvalidArgument unless the elements of input `i` have bytes of their own and
// all outputs are of the same type.
absl::Status CheckMovable(OperatorContext& context, size_t i);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_DATA_SHAPED_KERNEL_H_
