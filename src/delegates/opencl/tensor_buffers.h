// SPDX-License-Identifier: Apache-2.0
// Buffers on the device that hold tensors of the graph, by handle
// (stowage/harness/delegate.h). Tensors inside a partition are in other buffers
// (device_plan.h).
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
  // The device must outlive this object.
  explicit TensorBuffers(const Device* device) : device_(device) {}

  // Creates a buffer of so many bytes, above 0, and returns its handle. Errors:
  // those of Device::NewBuffer.
  absl::StatusOr<int> New(size_t bytes);

  // Frees the buffer. Does nothing for an unknown handle.
  void Free(int handle) { buffers_.erase(handle); }

  // Return null and 0 for an unknown handle.
  cl_mem Get(int handle) const;
  size_t BytesOf(int handle) const;

  // Copy between a buffer and the memory of a tensor, and wait for the end.
  // Errors: NotFound for an unknown handle; InvalidArgument if the tensor has
  // another size; those of CheckCall.
  absl::Status CopyFrom(int handle, Tensor* tensor) const;
  absl::Status CopyTo(int handle, const Tensor& tensor) const;

  // Returns the bytes of all buffers.
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
