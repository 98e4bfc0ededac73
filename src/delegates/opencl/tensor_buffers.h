// SPDX-License-Identifier: Apache-2.0
// Buffers on the device that hold tensors of the graph, by handle
// (stowage/harness/delegate.h). Tensors inside a partition have others:
// device_plan.h.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_TENSOR_BUFFERS_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_TENSOR_BUFFERS_H_

#include <cstddef>
#include <map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/delegates/opencl/cl_objects.h"
#include "src/delegates/opencl/device.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::opencl {

class TensorBuffers {
 public:
  // The device must outlive it.
  explicit TensorBuffers(const Device* device) : device_(device) {}

  // The handle of a new buffer of so many bytes, above 0. Errors: those of
  // Device::NewBuffer.
  absl::StatusOr<int> New(size_t bytes);

  // Frees it; nothing for a handle that is not there.
  void Free(int handle) { buffers_.erase(handle); }

  // Null and 0 for a handle that is not there.
  cl_mem Get(int handle) const;
  size_t BytesOf(int handle) const;

  // Between a buffer and the memory of a tensor, waiting for the end. Errors:
  // NotFound for no such handle; InvalidArgument if the tensor has another
  // size; those of CheckCall.
  absl::Status CopyFrom(int handle, Tensor* tensor) const;
  absl::Status CopyTo(int handle, const Tensor& tensor) const;

  // Of all of them.
  size_t total_bytes() const;

 private:
  struct Buffer {
    OwnedBuffer buffer;
    size_t bytes = 0;
  };
  absl::Status Check(int handle, const Tensor& tensor) const;

  const Device* device_;
  std::map<int, Buffer> buffers_;
  int next_ = 0;
};

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_TENSOR_BUFFERS_H_
