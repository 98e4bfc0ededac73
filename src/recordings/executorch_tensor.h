// SPDX-License-Identifier: Apache-2.0
// Reads the sizes and places of the tensors of ExecuTorch programs.
#ifndef STOWAGE_SRC_RECORDINGS_EXECUTORCH_TENSOR_H_
#define STOWAGE_SRC_RECORDINGS_EXECUTORCH_TENSOR_H_

#include <cstddef>
#include <cstdint>

#include "recordings_schema/executorch_generated.h"
#include "stowage/base/statusor.h"
#include "stowage/labels.h"

namespace stowage::recordings {

// A tensor that has a place in a planned buffer.
struct ExecutorchTensor {
  size_t value = 0;  // the index among the values of the method
  size_t bytes = 0;
  uint32_t memory_id = 0;
  uint64_t offset = 0;
  bool has_bound = false;    // the size is the upper bound of a dynamic shape
  bool has_content = false;  // the program has its content at the start
  TensorInfo info;
};

// Returns the tensor of a value. Requires that the tensor has a place. Errors:
// InvalidArgument if the size is not known or exceeds 64 bits; the message does
// not name the value.
StatusOr<ExecutorchTensor> ReadExecutorchTensor(
    size_t value, const executorch::Tensor& tensor);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_EXECUTORCH_TENSOR_H_
