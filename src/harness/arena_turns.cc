// SPDX-License-Identifier: Apache-2.0
// Lets the sessions of subgraphs take turns in a shared arena.
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/variant.h"
#include "src/harness/allocate_graph.h"
#include "src/harness/arena_memory.h"
#include "src/harness/call_frames.h"
#include "src/harness/custom_memory.h"
#include "src/harness/graph_session.h"
#include "src/harness/graph_states.h"
#include "stowage/harness/shared_arena.h"

namespace stowage::harness {

GraphSession::~GraphSession() {
  SharedArena* const arena = shared_arena();
  if (arena != nullptr && arena->user_ == this) arena->user_ = nullptr;
}

// Returns the arena that the graph shares with others; null for one that
// operators call, which lies in the arena of its entry.
SharedArena* GraphSession::shared_arena() const {
  return own_frames_ == nullptr ? nullptr : shared_->options.shared_arena.get();
}

// Takes the shared arena away from the graph.
absl::Status GraphSession::Evict() {
  if (absl::Status status = CheckNotRunning(); !status.ok()) return status;
  arenas_.Unbind(&graph().tensors());
  absl::visit(
      [this](auto& state) {
        using State = std::decay_t<decltype(state)>;
        if constexpr (std::is_base_of_v<Allocated, State>) {
          Evicted next;
          static_cast<Allocated&>(next) = std::move(state);
          state_ = std::move(next);
        }
      },
      state_);
  return absl::OkStatus();
}

// Makes the graph the only one with memory in the shared arena, if there is
// one.
absl::Status GraphSession::EvictUser() {
  SharedArena* const arena = shared_arena();
  if (arena == nullptr || arena->user_ == this) return absl::OkStatus();
  if (arena->user_ != nullptr) {
    if (absl::Status s = arena->user_->Evict(); !s.ok()) return s;
  }
  arena->user_ = this;
  return absl::OkStatus();
}

absl::Status GraphSession::TakeArena() {
  absl::Status status = CheckNotRunning();
  if (!status.ok() || has_memory()) return status;
  auto* const evicted = absl::get_if<Evicted>(&state_);
  if (evicted == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        graph().Place(), ": not allocated; expected Allocate first"));
  }
  const BusyMark busy(&is_running_);
  status = CheckCustomMemory(graph());
  if (status.ok()) status = EvictUser();
  if (status.ok()) status = BindAgain(evicted->plan, &graph(), &arenas_);
  if (status.ok() && evicted->plan.program != nullptr) {
    status = own_frames_->BindAgain(*evicted->plan.program);
  }
  if (!status.ok()) return status;
  Allocated next = std::move(*evicted);
  state_ = std::move(next);
  return status;
}

}  // namespace stowage::harness
