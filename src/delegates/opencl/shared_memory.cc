// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/opencl/shared_memory.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "src/delegates/opencl/cl_objects.h"
#include "stowage/harness/kernel_tools.h"

namespace stowage::harness::opencl {

int SharedMemory::Reserve(std::vector<size_t> sizes) {
  reservations_[next_] = std::move(sizes);
  return next_++;
}

void SharedMemory::Release(int reservation) {
  reservations_.erase(reservation);
  if (reservations_.empty()) buffers_.clear();
}

absl::Status SharedMemory::Allocate() {
  std::vector<size_t> sizes;
  for (const auto& [reservation, wanted] : reservations_) {
    sizes.resize(std::max(sizes.size(), wanted.size()), 0);
    for (size_t i = 0; i < wanted.size(); ++i) {
      sizes[i] = std::max(sizes[i], wanted[i]);
    }
  }
  buffers_.resize(std::max(buffers_.size(), sizes.size()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (buffers_[i].bytes >= sizes[i]) continue;
    // The old buffer is freed before the new one is created, because the device
    // may not have room for both.
    buffers_[i] = Buffer();
    ++generation_;
    STOWAGE_ASSIGN_OR_RETURN(buffers_[i].buffer,
                             device_->NewBuffer(CL_MEM_READ_WRITE, sizes[i]));
    buffers_[i].bytes = sizes[i];
  }
  return absl::OkStatus();
}

size_t SharedMemory::total_bytes() const {
  size_t total = 0;
  for (const Buffer& buffer : buffers_) total += buffer.bytes;
  return total;
}

}  // namespace stowage::harness::opencl
