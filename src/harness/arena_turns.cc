// SPDX-License-Identifier: Apache-2.0
// Passes a shared arena from the session of one subgraph to the session of
// another subgraph.
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/variant.h"
#include "src/harness/arena_memory.h"
#include "src/harness/call_frames.h"
#include "src/harness/custom_memory.h"
#include "src/harness/graph_session.h"
#include "src/harness/graph_states.h"
#include "stowage/error_payload.h"
#include "stowage/harness/shared_arena.h"

namespace stowage::harness {

GraphSession::~GraphSession() {
  SharedArena* const arena = shared_arena();
  if (arena != nullptr && arena->user_ == this) arena->user_ = nullptr;
}

// Returns the arena that this graph shares with other graphs, or null if
// operators call this graph, because a called graph uses the arena of its
// entry.
SharedArena* GraphSession::shared_arena() const {
  return own_frames_ == nullptr ? nullptr : shared_->options.shared_arena.get();
}

// Checks that neither this graph nor the graph that currently uses the shared
// arena is running.
absl::Status GraphSession::CheckMayTakeArena() const {
  const SharedArena* const arena = shared_arena();
  const absl::Status status = CheckNotRunning();
  return !status.ok() || arena == nullptr || arena->user_ == nullptr
             ? status
             : arena->user_->CheckNotRunning();
}

// Takes the shared arena away from this graph.
void GraphSession::Evict() {
  ArenaMemory::Unbind(&graph().tensors());
  absl::visit(
      [this](auto& state) {
        using State = std::decay_t<decltype(state)>;
        if constexpr (std::is_base_of_v<Allocated, State> &&
                      !std::is_same_v<State, Evicted>) {
          Evicted next;
          static_cast<Allocated&>(next) = std::move(state);
          next.is_exchanged = std::is_same_v<State, Exchanged>;
          state_ = std::move(next);
        }
      },
      state_);
}

// Gives the shared arena, if there is one, to this graph, and takes it away
// from the graph that used it before.
void GraphSession::EvictUser() {
  SharedArena* const arena = shared_arena();
  if (arena == nullptr || arena->user_ == this) return;
  if (arena->user_ != nullptr) arena->user_->Evict();
  arena->user_ = this;
}

absl::Status GraphSession::TakeArena() {
  absl::Status status = CheckMayTakeArena();
  if (!status.ok() || has_memory()) return status;
  if (!absl::holds_alternative<Evicted>(state_)) {
    return absl::FailedPreconditionError(absl::StrCat(
        graph().Place(), ": not allocated; expected a call of Allocate first"));
  }
  const BusyMark busy(&is_running_);
  return ReturnToArena();
}

// Binds the tensors of an evicted graph to the same places again. Tensors that
// depend only on constants are not in the arena, so they need not be computed
// again.
absl::Status GraphSession::ReturnToArena() {
  auto* const evicted = absl::get_if<Evicted>(&state_);
  absl::Status status = CheckCustomMemory(graph());
  if (!status.ok()) return status;
  EvictUser();
  arenas_.MakeRoom(evicted->plan, graph().tensors());
  status = arenas_.Bind(evicted->plan, 0, &graph().tensors());
  if (status.ok() && evicted->plan.program != nullptr) {
    status = own_frames_->BindAgain(*evicted->plan.program);
  }
  if (!status.ok()) return AtPlace(graph().Place(), status);
  Allocated next = std::move(*evicted);
  state_ = std::move(next);
  return status;
}

}  // namespace stowage::harness
