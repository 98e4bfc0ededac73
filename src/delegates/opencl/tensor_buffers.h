// SPDX-License-Identifier: Apache-2.0
// Holds device buffers for tensors of the graph, each with a handle
// (stowage/harness/delegate.h). For tensors inside a partition use
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
  // The device must outlive this object.
  explicit TensorBuffers(const Device* device) : device_(device) {}

  // Creates a buffer of `bytes` bytes, which must be more than 0, and returns
  // its handle. Errors: those of Device::NewBuffer.
  absl::StatusOr<int> New(size_t bytes);

  // Frees the buffer with this handle, if there is one.
  void Free(int handle) { buffers_.erase(handle); }

  // Return the buffer with this handle and its size, or null and 0 if no buffer
  // has this handle.
  cl_mem Get(int handle) const;
  size_t BytesOf(int handle) const;

  // CopyFrom copies a buffer to the memory of a tensor, and CopyTo copies in
  // the other direction. Both wait until the copy is complete. Errors: NotFound
  // if no buffer has this handle; InvalidArgument if the tensor and the buffer
  // differ in size; those of CheckCall.
  absl::Status CopyFrom(int handle, Tensor* tensor) const;
  absl::Status CopyTo(int handle, const Tensor& tensor) const;

  // Returns the sum of the sizes of all buffers.
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
