// SPDX-License-Identifier: Apache-2.0
// Holds the device memory of the tensors inside partitions. Partitions run one
// after another, and none needs the contents of this memory after it has run.
// All partitions of a delegate therefore share one list of buffers, in which
// buffer i is as large as the largest buffer i that any partition needs. For
// tensors that are passed between partitions use tensor_buffers.h.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_SHARED_MEMORY_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "src/delegates/opencl/cl_objects.h"
#include "src/delegates/opencl/device.h"

namespace stowage::harness::opencl {

class SharedMemory {
 public:
  // The device must outlive this object.
  explicit SharedMemory(const Device* device) : device_(device) {}

  // Reserve returns the number of a reservation of buffers with these sizes,
  // which must be above 0. Release removes that reservation. When the last
  // reservation is removed, all buffers are freed.
  int Reserve(std::vector<size_t> sizes);
  void Release(int reservation);

  // Creates the buffers that are missing, and replaces those that are too
  // small. If all partitions reserve their buffers before the first call, no
  // buffer is ever replaced. Errors: those of Device::NewBuffer.
  absl::Status Allocate();

  // buffer() returns buffer `i`. generation() returns a number that changes
  // whenever buffers are replaced; it is 0 until the first buffer is created.
  cl_mem buffer(size_t i) const { return buffers_[i].buffer.get(); }
  uint64_t generation() const { return generation_; }

  size_t total_bytes() const;

 private:
  struct Buffer {
    OwnedBuffer buffer;
    size_t bytes = 0;
  };

  const Device* device_;
  std::map<int, std::vector<size_t>> reservations_;
  int next_ = 0;
  std::vector<Buffer> buffers_;
  uint64_t generation_ = 0;
};

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_SHARED_MEMORY_H_
