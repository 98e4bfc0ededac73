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

// The alignment of blocks that are not arenas: the largest that an element or a
// vector register of a kernel needs.
constexpr size_t kBlockAlignment = 64;

// Zeroed and aligned bytes, which go back to the budget with the block.
class MemoryBlock {
 public:
  // No bytes.
  MemoryBlock() = default;
  // Error: ResourceExhausted above the limit, or if the system has no more.
  // `alignment` is a power of two; the budget must outlive the block.
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
  size_t charged_ = 0;  // with what alignment adds
  MemoryBudget* budget_ = nullptr;
};

// What the address sanitizer reports as an error when it is touched, in builds
// that have it; nothing in others. Edges are rounded to what it can tell apart.
void MakeInaccessible(const void* data, size_t bytes);
void MakeAccessible(const void* data, size_t bytes);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_MEMORY_H_
