// SPDX-License-Identifier: Apache-2.0
#include "src/harness/memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/tensor_size.h"

#if defined(__SANITIZE_ADDRESS__)
#define STOWAGE_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STOWAGE_HAS_ASAN 1
#endif
#endif
#ifdef STOWAGE_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace stowage::harness {
namespace {

// Returns the memory limit of the control group of this process, which may be
// below the memory of the machine if the process runs in a container. Returns
// SIZE_MAX if there is no limit.
size_t GroupBytes() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  size_t bytes = 0;
  return file >> bytes ? bytes : SIZE_MAX;
}

size_t MachineBytes() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page = sysconf(_SC_PAGESIZE);
  const size_t physical = pages > 0 && page > 0 ? static_cast<size_t>(pages) *
                                                      static_cast<size_t>(page)
                                                : SIZE_MAX;
  return std::min(physical, GroupBytes());
}

}  // namespace

MemoryBudget::MemoryBudget(size_t limit)
    : limit_(limit == 0 ? MachineBytes() : limit) {}

bool MemoryBudget::Reserve(size_t bytes) {
  if (bytes > limit_ - used_) return false;
  used_ += bytes;
  return true;
}

absl::StatusOr<MemoryBlock> MemoryBlock::Allocate(size_t bytes,
                                                  size_t alignment,
                                                  MemoryBudget* budget) {
  MemoryBlock block;
  if (bytes == 0) return block;
  const absl::optional<size_t> rounded = CheckedAlignUp(bytes, alignment);
  if (!rounded || !budget->Reserve(*rounded)) {
    return absl::ResourceExhaustedError(
        absl::StrCat(bytes, " bytes on top of ", budget->used(),
                     " in use; expected at most ", budget->limit(),
                     " together, the memory limit"));
  }
  void* data = std::aligned_alloc(alignment, *rounded);
  if (data == nullptr) {
    budget->Release(*rounded);
    return absl::ResourceExhaustedError(absl::StrCat(
        bytes, " bytes of memory; expected at most what the system has left"));
  }
  std::memset(data, 0, *rounded);
  block.data_ = static_cast<uint8_t*>(data);
  block.size_ = bytes;
  block.charged_ = *rounded;
  block.budget_ = budget;
  return block;
}

MemoryBlock::~MemoryBlock() {
  if (data_ == nullptr) return;
  MakeAccessible(data_, size_);
  budget_->Release(charged_);
  std::free(data_);
}

MemoryBlock::MemoryBlock(MemoryBlock&& other) noexcept {
  *this = std::move(other);
}

MemoryBlock& MemoryBlock::operator=(MemoryBlock&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(charged_, other.charged_);
  std::swap(budget_, other.budget_);
  return *this;
}

#ifdef STOWAGE_HAS_ASAN
void MakeInaccessible(const void* data, size_t bytes) {
  ASAN_POISON_MEMORY_REGION(data, bytes);
}
void MakeAccessible(const void* data, size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(data, bytes);
}
#else
void MakeInaccessible(const void* /*data*/, size_t /*bytes*/) {}
void MakeAccessible(const void* /*data*/, size_t /*bytes*/) {}
#endif

}  // namespace stowage::harness
