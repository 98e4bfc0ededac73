// SPDX-License-Identifier: Apache-2.0
// Device memory of the tensors inside partitions. Partitions run one after the
// other and leave nothing behind, so that all those of a delegate share one
// list of buffers: buffer i is as large as the largest that one of them needs
// there. For tensors between partitions see tensor_buffers.h.
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
  // The device must outlive it.
  explicit SharedMemory(const Device* device) : device_(device) {}

  // Asks for buffers of these sizes, above 0, until Release of the number that
  // it returns. When nobody asks for any, all are freed.
  int Reserve(std::vector<size_t> sizes);
  void Release(int reservation);

  // Creates what is missing or too small: once for all partitions, if these
  // have reserved before. Errors: those of Device::NewBuffer.
  absl::Status Allocate();

  // Buffer `i`, which is replaced where the generation changes. At first that
  // is 0, and there are none.
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
