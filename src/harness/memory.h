// SPDX-License-Identifier: Apache-2.0
// Memory that counts against the limit of an interpreter.
#ifndef STOWAGE_SRC_HARNESS_MEMORY_H_
#define STOWAGE_SRC_HARNESS_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/harness/memory_budget.h"

namespace stowage::harness {

// The alignment of blocks that are not arenas: the largest alignment of an
// element or a vector register of a kernel.
constexpr size_t kBlockAlignment = 64;

// Zeroed and aligned bytes, which are returned to the budget with the block.
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
  size_t charged_ = 0;  // with the bytes for alignment
  MemoryBudget* budget_ = nullptr;
};

// In builds with the address sanitizer, make it report any access to these
// bytes as an error, or allow it again; do nothing in other builds. The ends
// are rounded to the granularity of the sanitizer.
void MakeInaccessible(const void* data, size_t bytes);
void MakeAccessible(const void* data, size_t bytes);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_MEMORY_H_
