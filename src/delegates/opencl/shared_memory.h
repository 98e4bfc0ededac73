// SPDX-License-Identifier: Apache-2.0
// Holds the device memory of the tensors inside partitions. Partitions run one
// after the other, and keep nothing in this memory when they are done. All
// partitions of a delegate therefore share one list of buffers. Buffer i is as
// large as the largest buffer i that any partition needs. Tensors between
// partitions are in tensor_buffers.h.
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

  // Reserves buffers of these sizes, which must be above 0. The reservation
  // ends when Release is called with the returned number. When no reservation
  // remains, all buffers are freed.
  int Reserve(std::vector<size_t> sizes);
  void Release(int reservation);

  // Creates the buffers that are missing, and replaces those that are too
  // small. If all partitions reserve their buffers first, this happens only
  // once. Errors: those of Device::NewBuffer.
  absl::Status Allocate();

  // Return buffer `i`, and the generation of the buffers. The generation
  // changes whenever buffers are replaced. It is 0 at first, when there are no
  // buffers.
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
