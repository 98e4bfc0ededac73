// SPDX-License-Identifier: Apache-2.0
#include "src/harness/arena_memory.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/memory.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/tensor.h"
#include "stowage/tensor_size.h"

namespace stowage::harness {
namespace {

// A block to take the place of one that is too small; no bytes if it is not.
absl::StatusOr<MemoryBlock> Grown(const MemoryBlock& block, size_t bytes,
                                  size_t alignment, MemoryBudget* budget) {
  if (block.size() >= bytes) return MemoryBlock();
  return MemoryBlock::Allocate(bytes, alignment, budget);
}

bool IsLiveBefore(size_t task, const Lifetime& lifetime, bool is_persistent) {
  return lifetime.first && *lifetime.first < task &&
         (is_persistent || !lifetime.last || *lifetime.last >= task);
}

}  // namespace

absl::Status ArenaMemory::Bind(const MemoryPlan& plan, size_t task,
                               absl::Span<Tensor> tensors) {
  const absl::optional<size_t> arena_bytes =
      CheckedAdd(plan.arena_bytes, guard_bytes_);
  if (!arena_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "guard bytes: ", guard_bytes_, " after an arena of ", plan.arena_bytes,
        " bytes overflow 64 bits; expected fewer"));
  }
  absl::StatusOr<MemoryBlock> arena =
      Grown(arena_, *arena_bytes, plan.alignment, budget_);
  if (!arena.ok()) return arena.status();
  absl::StatusOr<MemoryBlock> persistent =
      Grown(persistent_, plan.persistent_bytes, plan.alignment, budget_);
  if (!persistent.ok()) return persistent.status();
  // From here on these are the old blocks, if there are new ones.
  if (arena->data() != nullptr) std::swap(*arena, arena_);
  if (persistent->data() != nullptr) std::swap(*persistent, persistent_);
  for (size_t t = 0; t < tensors.size(); ++t) {
    Tensor& tensor = tensors[t];
    const bool is_persistent = tensor.storage == Storage::kPersistent;
    if (!is_persistent && tensor.storage != Storage::kArena) continue;
    const size_t root = plan.lifetimes[t].root;
    const absl::optional<size_t>& offset = plan.offsets[root];
    if (!offset) continue;
    const MemoryBlock& block = is_persistent ? persistent_ : arena_;
    const MemoryBlock& old = is_persistent ? *persistent : *arena;
    tensor.data = block.data() + *offset;
    if (old.data() != nullptr && root == t &&
        IsLiveBefore(task, plan.lifetimes[t], is_persistent)) {
      std::memcpy(tensor.data, old.data() + *offset, tensor.bytes);
    }
  }
  return absl::OkStatus();
}

void ArenaMemory::Free() {
  arena_ = MemoryBlock();
  persistent_ = MemoryBlock();
}

}  // namespace stowage::harness
