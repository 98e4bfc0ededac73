// SPDX-License-Identifier: Apache-2.0
// Owns the two arenas of a subgraph, in which a memory plan places the tensors.
#ifndef STOWAGE_SRC_HARNESS_ARENA_MEMORY_H_
#define STOWAGE_SRC_HARNESS_ARENA_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <set>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/resources.h"
#include "src/harness/tensor_table.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/shared_arena.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class ArenaMemory {
 public:
  // The arena has at least `reserve_bytes` bytes. If `reserve_bytes` is not 0,
  // Free keeps the arena for the next plan. The arena is followed by bytes that
  // belong to no tensor: `guard_bytes` or TensorTable::spare_bytes, whichever
  // is larger. If `shared` is not null, it is used as the non-persistent arena.
  // Plans may place tensors in the memory of `resources`. `shared`, `budget`
  // and `resources` must outlive this object.
  ArenaMemory(size_t reserve_bytes, size_t guard_bytes, SharedArena* shared,
              MemoryBudget* budget, OwnedResources* resources)
      : reserve_bytes_(reserve_bytes),
        guard_bytes_(guard_bytes),
        shared_(shared),
        budget_(budget),
        resources_(resources) {}

  // Uses the non-persistent arena of `owner` instead of an own arena until the
  // next call of Free. Requires that `owner` exists until then, and that its
  // arena has as many bytes as the plans need.
  void Share(ArenaMemory* owner) {
    owner_ = owner;
    arena_ = MemoryBlock();
  }

  // Sets the data pointers of tensors to their places in the arenas, according
  // to the plan. If an arena grows, the tensors that are live just before
  // `task` runs keep their contents. Errors: those of OwnedResources::Hold;
  // ResourceExhausted if the memory limit is exceeded. After an error, no
  // tensor has changed.
  absl::Status Bind(const MemoryPlan& plan, size_t task, TensorTable* tensors);
  // Moves the contents of the arenas to different memory. Bind must be called
  // afterwards. The former memory is filled with a pattern, and is freed at the
  // next call of Move. Error: ResourceExhausted if the memory limit is
  // exceeded, in which case nothing has changed.
  absl::Status Move(size_t alignment);
  // Frees a shared arena that is too small for the plan, so that the old and
  // the new arena do not both count against the memory limit. Requires that no
  // tensor has memory in the shared arena.
  void MakeRoom(const MemoryPlan& plan, const TensorTable& tensors);
  // Sets the data pointers of all tensors in the non-persistent arena to null.
  static void Unbind(TensorTable* tensors);
  // Frees the arenas, except an arena that is shared or kept for the next plan,
  // and releases the variables that Bind has reserved. Tensors that were bound
  // have no memory afterwards.
  void Free(TensorTable* tensors);

  // Returns the non-persistent arena, including the guard bytes after it.
  absl::Span<uint8_t> arena() const { return {Arena().data(), Arena().size()}; }

 private:
  size_t GuardBytes(const TensorTable& tensors) const;
  absl::optional<size_t> ArenaBytes(const MemoryPlan& plan,
                                    const TensorTable& tensors) const;
  const MemoryBlock& Arena() const;
  MemoryBlock& Arena();

  size_t reserve_bytes_;
  size_t guard_bytes_;
  SharedArena* shared_;
  MemoryBudget* budget_;
  OwnedResources* resources_;
  std::set<int32_t> held_;        // the variables that this object holds
  ArenaMemory* owner_ = nullptr;  // null if this object owns the arena
  MemoryBlock arena_;
  MemoryBlock persistent_;
  // The memory of the arenas before the last Move.
  MemoryBlock former_arena_;
  MemoryBlock former_persistent_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_ARENA_MEMORY_H_
