// SPDX-License-Identifier: Apache-2.0
// Allocates memory that counts against the memory limit of an interpreter.
#ifndef STOWAGE_SRC_HARNESS_MEMORY_H_
#define STOWAGE_SRC_HARNESS_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/harness/memory_budget.h"

namespace stowage::harness {

// The alignment of blocks that are not arenas. No element type and no vector
// register of a kernel needs a larger one.
constexpr size_t kBlockAlignment = 64;

// A block of zeroed and aligned memory. When the block is destroyed, its bytes
// are returned to the budget.
class MemoryBlock {
 public:
  // Creates a block of 0 bytes.
  MemoryBlock() = default;
  // Allocates a block. `alignment` must be a power of two, and the budget must
  // outlive the block. Error: ResourceExhausted above the limit, or if the
  // system has no more memory.
  static absl::StatusOr<MemoryBlock> Allocate(size_t bytes, size_t alignment,
                                              MemoryBudget* budget);
  ~MemoryBlock();
  MemoryBlock(MemoryBlock&& other) noexcept;
  MemoryBlock& operator=(MemoryBlock&& other) noexcept;

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  size_t charged_ = 0;  // including the bytes spent on alignment
  MemoryBudget* budget_ = nullptr;
};

// These functions have an effect only in builds with the address sanitizer.
// MakeInaccessible lets the sanitizer report any access to these bytes as an
// error, and MakeAccessible allows access again. The ends of the range are
// rounded to the granularity of the sanitizer.
void MakeInaccessible(const void* data, size_t bytes);
void MakeAccessible(const void* data, size_t bytes);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_MEMORY_H_
