// SPDX-License-Identifier: Apache-2.0
// Defines the base class of kernels with output shapes that depend on the
// values of some inputs, as for PAD, SLICE and TILE. If these inputs are
// constants, the shapes are known in Prepare. If an operator computes these
// inputs, the shapes are known only in Invoke, and the outputs become dynamic.
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
  // `shaping` lists the inputs whose values determine shapes. Inputs in the
  // list that are absent from the model are ignored.
  explicit DataShapedKernel(std::vector<size_t> shaping)
      : shaping_(std::move(shaping)) {}

  // Checks counts, types, ranks and everything else that can be checked without
  // the values of the inputs.
  virtual absl::Status Check(OperatorContext& context) = 0;
  // Reads the values of the inputs that determine shapes, sets the shapes of
  // all outputs, and prepares everything else that depends on these shapes.
  virtual absl::Status Resize(OperatorContext& context) = 0;
  // Computes the outputs, whose shapes have already been set.
  virtual absl::Status Run(OperatorContext& context) = 0;

 private:
  std::vector<size_t> shaping_;
  bool is_dynamic_ = false;
};

// Returns the only element of an input of INT32 or INT64. Error:
// InvalidArgument if the input has another type, or if it does not have exactly
// one element.
absl::StatusOr<int64_t> IntegerOf(const OperatorContext& context, size_t i);

// Returns the elements of an input of INT32 or INT64 as a shape. Error:
// InvalidArgument if the input has another type, or if a dimension is negative
// or exceeds 32 bits.
absl::StatusOr<Shape> ShapeOf(const OperatorContext& context, size_t i);

// Checks that the input has exactly one element. Error: InvalidArgument.
absl::Status CheckInputIsOneElement(const OperatorContext& context, size_t i);

// Checks the types of an operator that moves elements without computing with
// them. Error: InvalidArgument unless the elements of input `i` occupy whole
// bytes and all outputs have the same type as input `i`.
absl::Status CheckMovable(OperatorContext& context, size_t i);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_DATA_SHAPED_KERNEL_H_
