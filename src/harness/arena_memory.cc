// SPDX-License-Identifier: Apache-2.0
#include "src/harness/arena_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/harness/resources.h"
#include "src/harness/tensor_table.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/shared_arena.h"
#include "stowage/harness/tensor.h"
#include "stowage/tensor_size.h"

namespace stowage::harness {
namespace {

// The pattern with which ArenaMemory::Move fills the former memory of the
// arenas. A kernel that has kept a pointer into that memory then reads this
// pattern instead of its data.
constexpr int kLeftBehind = 0x5B;

// Returns a new block if `block` is too small or not aligned, or a block of 0
// bytes if `block` can be kept. A block can be unaligned if it was allocated
// for a plan of another interpreter with a smaller alignment. The size of the
// new block is `block.size()` or `bytes`, whichever is larger.
absl::StatusOr<MemoryBlock> Grown(const MemoryBlock& block, size_t bytes,
                                  size_t alignment, MemoryBudget* budget) {
  if (block.size() >= bytes &&
      reinterpret_cast<uintptr_t>(block.data()) % alignment == 0) {
    return MemoryBlock();
  }
  return MemoryBlock::Allocate(std::max(block.size(), bytes), alignment,
                               budget);
}

bool IsLiveBefore(size_t task, const Lifetime& lifetime, bool is_persistent) {
  return lifetime.first && *lifetime.first < task &&
         (is_persistent || !lifetime.last || *lifetime.last >= task);
}

// Reserves memory for each variable of the program in `plan`, so that the
// variable stays at one address. Does nothing if `plan` is for a function other
// than the entry of the program.
absl::Status HoldVariables(const MemoryPlan& plan, size_t spare_bytes,
                           OwnedResources* resources, std::set<int32_t>* held) {
  if (plan.program == nullptr || plan.function > 0) return absl::OkStatus();
  const ProgramPlan& program = *plan.program;
  for (size_t v = 0; v < program.resources.size(); ++v) {
    const size_t bytes = program.program.variables[v].size;
    const int32_t number = program.resources[v];
    if (bytes == 0 || held->count(number) > 0) continue;
    absl::Status status = resources->Hold(number, bytes, spare_bytes);
    if (!status.ok()) return status;
    held->insert(number);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ArenaMemory::Bind(const MemoryPlan& plan, size_t task,
                               TensorTable* tensors) {
  const size_t spare_bytes = tensors->spare_bytes();
  const absl::optional<size_t> arena_bytes = ArenaBytes(plan, *tensors);
  const absl::optional<size_t> persistent_bytes = CheckedAdd(
      plan.persistent_bytes, plan.persistent_bytes == 0 ? 0 : spare_bytes);
  if (!arena_bytes || !persistent_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "guard bytes: ", GuardBytes(*tensors), " after an arena of ",
        plan.arena_bytes, " bytes overflow 64 bits; expected fewer"));
  }
  absl::Status held = HoldVariables(plan, spare_bytes, resources_, &held_);
  if (!held.ok()) return held;
  MemoryBlock& own = Arena();
  absl::StatusOr<MemoryBlock> arena =
      Grown(own, *arena_bytes, plan.alignment, budget_);
  if (!arena.ok()) return arena.status();
  absl::StatusOr<MemoryBlock> persistent =
      Grown(persistent_, *persistent_bytes, plan.alignment, budget_);
  if (!persistent.ok()) return persistent.status();
  // A block without data means that the present block is large enough. After
  // the swaps, `arena` and `persistent` own the blocks that were replaced.
  if (arena->data() != nullptr) std::swap(*arena, own);
  if (persistent->data() != nullptr) std::swap(*persistent, persistent_);
  for (size_t t = 0; t < tensors->size(); ++t) {
    Tensor& tensor = (*tensors)[t];
    const bool is_persistent = tensor.storage == Storage::kPersistent;
    if (!is_persistent && tensor.storage != Storage::kArena) continue;
    const auto in_variable = plan.resources.find(t);
    if (in_variable != plan.resources.end()) {
      tensor.data = resources_->HeldMemory(in_variable->second);
      continue;
    }
    const size_t root = plan.lifetimes[t].root;
    const absl::optional<size_t>& offset = plan.offsets[root];
    if (!offset) {
      // The tensor has no memory in the arenas: it is inside a partition of a
      // delegate, or it has not been placed yet.
      tensor.data = nullptr;
      continue;
    }
    const MemoryBlock& block = is_persistent ? persistent_ : own;
    const MemoryBlock& old = is_persistent ? *persistent : *arena;
    tensor.data = block.data() + *offset;
    // Only inputs have contents before the first task runs.
    const bool is_filled_input = task == 0 &&
                                 absl::c_linear_search(plan.graph.inputs, t) &&
                                 *offset + tensor.bytes <= old.size();
    if (old.data() != nullptr && root == t &&
        (is_filled_input ||
         IsLiveBefore(task, plan.lifetimes[t], is_persistent))) {
      std::memcpy(tensor.data, old.data() + *offset, tensor.bytes);
    }
  }
  return absl::OkStatus();
}

absl::Status ArenaMemory::Move(size_t alignment) {
  absl::StatusOr<MemoryBlock> arena =
      MemoryBlock::Allocate(Arena().size(), alignment, budget_);
  if (!arena.ok()) return arena.status();
  absl::StatusOr<MemoryBlock> persistent =
      MemoryBlock::Allocate(persistent_.size(), alignment, budget_);
  if (!persistent.ok()) return persistent.status();
  const auto move = [](MemoryBlock* to, MemoryBlock* from,
                       MemoryBlock* former) {
    if (from->size() > 0) {
      std::memcpy(to->data(), from->data(), from->size());
      std::memset(from->data(), kLeftBehind, from->size());
    }
    *former = std::move(*from);
    *from = std::move(*to);
  };
  move(&*arena, &Arena(),
       shared_ != nullptr ? &shared_->former_ : &former_arena_);
  move(&*persistent, &persistent_, &former_persistent_);
  return absl::OkStatus();
}

size_t ArenaMemory::GuardBytes(const TensorTable& tensors) const {
  return std::max(guard_bytes_, tensors.spare_bytes());
}

// Returns the size of the arena that the plan needs, including the guard bytes
// after the arena, or nullopt if the sum overflows.
absl::optional<size_t> ArenaMemory::ArenaBytes(
    const MemoryPlan& plan, const TensorTable& tensors) const {
  if (owner_ != nullptr) return Arena().size();
  return CheckedAdd(std::max(plan.arena_bytes, reserve_bytes_),
                    GuardBytes(tensors));
}

void ArenaMemory::MakeRoom(const MemoryPlan& plan, const TensorTable& tensors) {
  if (shared_ == nullptr || owner_ != nullptr) return;
  const absl::optional<size_t> bytes = ArenaBytes(plan, tensors);
  if (bytes && *bytes > Arena().size()) Arena() = MemoryBlock();
}

const MemoryBlock& ArenaMemory::Arena() const {
  if (owner_ != nullptr) return owner_->Arena();
  return shared_ != nullptr ? shared_->block_ : arena_;
}

MemoryBlock& ArenaMemory::Arena() {
  if (owner_ != nullptr) return owner_->Arena();
  return shared_ != nullptr ? shared_->block_ : arena_;
}

void ArenaMemory::Unbind(TensorTable* tensors) {
  for (Tensor& tensor : tensors->all()) {
    if (tensor.storage == Storage::kArena) tensor.data = nullptr;
  }
}

void ArenaMemory::Free(TensorTable* tensors) {
  for (Tensor& tensor : tensors->all()) {
    if (tensor.storage == Storage::kArena ||
        tensor.storage == Storage::kPersistent) {
      tensor.data = nullptr;
    }
  }
  for (const int32_t number : held_) resources_->Release(number);
  held_.clear();
  owner_ = nullptr;
  if (reserve_bytes_ == 0) arena_ = MemoryBlock();
  persistent_ = MemoryBlock();
  former_arena_ = MemoryBlock();
  former_persistent_ = MemoryBlock();
}

}  // namespace stowage::harness
