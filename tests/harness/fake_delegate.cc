// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/fake_delegate.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/fake_kernel.h"

namespace stowage::harness {

bool FakeLog::IsClean() const {
  return kernels_created == kernels_destroyed &&
         freed.size() == buffers_created &&
         std::all_of(freed.begin(), freed.end(),
                     [](const auto& handle) { return handle.second == 1; });
}

DeviceMemory::DeviceMemory(size_t bytes) : size_(bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  pages_ = (bytes / page + 1) * page;
  void* const mapped = mmap(nullptr, pages_, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
  if (mapped == MAP_FAILED) std::abort();
  data_ = static_cast<uint8_t*>(mapped);
}

DeviceMemory::~DeviceMemory() { munmap(data_, pages_); }

uint8_t* DeviceMemory::Open() {
  if (mprotect(data_, pages_, PROT_READ | PROT_WRITE) != 0) std::abort();
  return data_;
}

void DeviceMemory::Close() {
  if (mprotect(data_, pages_, PROT_NONE) != 0) std::abort();
}

FakeDelegate::FakeDelegate(FakeSpec spec, std::shared_ptr<FakeLog> log)
    : spec_(std::move(spec)),
      log_(log == nullptr ? std::make_shared<FakeLog>() : std::move(log)) {}

FakeDelegate::~FakeDelegate() { ++log_->delegates_destroyed; }

DelegateInfo FakeDelegate::info() const {
  if (spec_.in_info) spec_.in_info();
  return spec_.info;
}

absl::Status FakeDelegate::Prepare(const DelegateGraph& graph) {
  ++log_->graphs_prepared;
  return spec_.prepare ? spec_.prepare(graph) : absl::OkStatus();
}

bool FakeDelegate::CanRun(const DelegateGraph& graph, int node) {
  ++log_->asked[node];
  if (spec_.can_run && !spec_.can_run(node)) return false;
  if (static_cast<size_t>(node) >= graph.spec().operators.size()) return false;
  return !spec_.claims || std::find(spec_.claims->begin(), spec_.claims->end(),
                                    node) != spec_.claims->end();
}

absl::StatusOr<std::vector<int>> FakeDelegate::ClaimNodes(
    const DelegateGraph& graph) {
  return spec_.claim ? spec_.claim(graph) : Delegate::ClaimNodes(graph);
}

absl::StatusOr<std::unique_ptr<DelegateKernel>> FakeDelegate::CreateKernel(
    const DelegateGraph& graph, const DelegatePartition& partition) {
  const absl::Status status =
      spec_.create ? spec_.create(partition) : absl::OkStatus();
  if (!status.ok()) return status;
  if (spec_.creates_null) return nullptr;
  return std::make_unique<FakeKernel>(this, graph, partition);
}

absl::Status FakeDelegate::CopyFromBuffer(int handle, Tensor* tensor) {
  if (spec_.copy_from) {
    absl::Status status = spec_.copy_from(handle);
    if (!status.ok()) return status;
  }
  DeviceMemory* const device = buffer(handle);
  if (device == nullptr || device->size() < tensor->bytes) {
    return absl::InternalError(absl::StrCat("buffer ", handle, ": too small"));
  }
  ++log_->copies_from;
  if (tensor->bytes > 0) {
    std::memcpy(tensor->data, device->Open(), tensor->bytes);
  }
  device->Close();
  return absl::OkStatus();
}

absl::Status FakeDelegate::CopyToBuffer(int handle, const Tensor& tensor) {
  if (spec_.copy_to) {
    absl::Status status = spec_.copy_to(handle);
    if (!status.ok()) return status;
  }
  DeviceMemory* const device = buffer(handle);
  if (device == nullptr || device->size() < tensor.bytes) {
    return absl::InternalError(absl::StrCat("buffer ", handle, ": too small"));
  }
  ++log_->copies_to;
  if (tensor.bytes > 0) std::memcpy(device->Open(), tensor.data, tensor.bytes);
  device->Close();
  return absl::OkStatus();
}

void FakeDelegate::FreeBuffer(int handle) {
  ++log_->freed[handle];
  buffers_.erase(handle);
  if (spec_.free_buffer) spec_.free_buffer(handle);
}

std::vector<DelegateMemory> FakeDelegate::Memory() const {
  if (spec_.memory) spec_.memory();
  size_t bytes = 0;
  for (const auto& [handle, device] : buffers_) bytes += device->size();
  if (bytes == 0) return {};
  return {{"buffers", bytes}};
}

int FakeDelegate::CreateBuffer(size_t bytes) {
  const auto handle = static_cast<int>(log_->buffers_created++);
  buffers_[handle] = std::make_unique<DeviceMemory>(bytes);
  return handle;
}

DeviceMemory* FakeDelegate::buffer(int handle) {
  const auto found = buffers_.find(handle);
  return found == buffers_.end() ? nullptr : found->second.get();
}

}  // namespace stowage::harness
