// SPDX-License-Identifier: Apache-2.0
// The arenas of a subgraph: the bytes that a plan divides.
#ifndef STOWAGE_SRC_HARNESS_ARENA_MEMORY_H_
#define STOWAGE_SRC_HARNESS_ARENA_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "src/harness/memory.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class ArenaMemory {
 public:
  // `guard_bytes`, or the spare bytes if these are more, follow the arena and
  // belong to no tensor. The budget must outlive this.
  ArenaMemory(size_t guard_bytes, MemoryBudget* budget)
      : guard_bytes_(guard_bytes), budget_(budget) {}

  // Gives tensors their bytes of the plan. Those that are live when `task` is
  // about to run keep their content if an arena grows. Error: ResourceExhausted
  // above the memory limit; then nothing has changed.
  absl::Status Bind(const MemoryPlan& plan, size_t task,
                    absl::Span<Tensor> tensors);
  // Moves the arenas to other memory with the same content. The previous memory
  // holds a pattern until the next call. Bind must follow. Error:
  // ResourceExhausted above the memory limit; then nothing has changed.
  absl::Status Move(size_t alignment);
  // Frees the arenas. Bound tensors have no memory then.
  void Free();
  // Sets the bytes after both arenas that can be read, from the next Bind on.
  void set_spare_bytes(size_t bytes) { spare_bytes_ = bytes; }

  // Returns the non-persistent arena, including guard bytes.
  absl::Span<uint8_t> arena() const { return {arena_.data(), arena_.size()}; }

 private:
  size_t guard_bytes_;
  MemoryBudget* budget_;
  size_t spare_bytes_ = 0;
  MemoryBlock arena_;
  MemoryBlock persistent_;
  // The previous memory, before the arenas moved.
  MemoryBlock former_arena_;
  MemoryBlock former_persistent_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_ARENA_MEMORY_H_
