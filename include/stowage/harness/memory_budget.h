// SPDX-License-Identifier: Apache-2.0
// Applies the memory limit of an interpreter to memory that a delegate
// allocates outside of the arena (PartitionContext::memory_budget). Operators
// should use OperatorContext instead, which counts their memory automatically.
//
//   absl::StatusOr<MemoryBlock> memory = MemoryBlock::Allocate(
//       bytes, kBlockAlignment, &context.memory_budget());
//   if (!memory.ok()) return memory.status();
//   Load(memory->data());  // `memory` returns its bytes when it is destroyed
//
// For memory that cannot be a MemoryBlock, such as the memory of a device, call
// Reserve and Release.
#ifndef STOWAGE_HARNESS_MEMORY_BUDGET_H_
#define STOWAGE_HARNESS_MEMORY_BUDGET_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace stowage::harness {

// Counts bytes up to a limit. Not thread-safe.
class MemoryBudget {
 public:
  // A limit of 0 means the memory of the machine.
  explicit MemoryBudget(size_t limit);
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  size_t limit() const { return limit_; }
  size_t used() const { return used_; }
  // Reserves `bytes` if this does not exceed the limit. Returns whether the
  // bytes were reserved.
  bool Reserve(size_t bytes);
  // Returns reserved bytes to the budget.
  void Release(size_t bytes) { used_ -= bytes; }

 private:
  size_t limit_;
  size_t used_ = 0;
};

// The alignment of blocks that are not arenas, in bytes. It suffices for every
// element type and for every vector register that kernels use.
inline constexpr size_t kBlockAlignment = 64;

// A block of aligned memory, initially zeroed. The block counts against a
// budget until it is destroyed.
class MemoryBlock {
 public:
  // Creates a block of 0 bytes.
  MemoryBlock() = default;
  // Allocates a block. Requires that `alignment` is a power of two and that the
  // budget outlives the block. Error: ResourceExhausted if the block would
  // exceed the limit or the system has no more memory.
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
  size_t charged_ = 0;  // includes the bytes that are spent on alignment
  MemoryBudget* budget_ = nullptr;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_MEMORY_BUDGET_H_
