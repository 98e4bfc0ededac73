// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/opencl/tensor_buffers.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/delegates/opencl/cl_objects.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::opencl {

absl::StatusOr<int> TensorBuffers::New(size_t bytes) {
  Buffer buffer;
  STOWAGE_ASSIGN_OR_RETURN(buffer.buffer,
                           device_->NewBuffer(CL_MEM_READ_WRITE, bytes));
  buffer.bytes = bytes;
  buffers_[next_] = std::move(buffer);
  return next_++;
}

cl_mem TensorBuffers::Get(int handle) const {
  const auto found = buffers_.find(handle);
  return found == buffers_.end() ? nullptr : found->second.buffer.get();
}

size_t TensorBuffers::BytesOf(int handle) const {
  const auto found = buffers_.find(handle);
  return found == buffers_.end() ? 0 : found->second.bytes;
}

absl::Status TensorBuffers::Check(int handle, const Tensor& tensor) const {
  const auto found = buffers_.find(handle);
  if (found == buffers_.end()) {
    return absl::NotFoundError(absl::StrCat("handle ", handle,
                                            ": no such buffer; expected ",
                                            "one that was not freed"));
  }
  if (found->second.bytes == tensor.bytes) return absl::OkStatus();
  return RefuseModel("handle ", handle, ": its buffer has ",
                     found->second.bytes, " bytes; expected ", tensor.bytes,
                     ", as the tensor has");
}

absl::Status TensorBuffers::CopyFrom(int handle, Tensor* tensor) const {
  STOWAGE_RETURN_IF_ERROR(Check(handle, *tensor));
  return CheckCall(
      "clEnqueueReadBuffer",
      clEnqueueReadBuffer(device_->queue(), Get(handle), CL_TRUE, 0,
                          tensor->bytes, tensor->data, 0, nullptr, nullptr));
}

absl::Status TensorBuffers::CopyTo(int handle, const Tensor& tensor) const {
  STOWAGE_RETURN_IF_ERROR(Check(handle, tensor));
  return CheckCall(
      "clEnqueueWriteBuffer",
      clEnqueueWriteBuffer(device_->queue(), Get(handle), CL_TRUE, 0,
                           tensor.bytes, tensor.data, 0, nullptr, nullptr));
}

size_t TensorBuffers::total_bytes() const {
  size_t total = 0;
  for (const auto& [handle, buffer] : buffers_) total += buffer.bytes;
  return total;
}

}  // namespace stowage::harness::opencl
