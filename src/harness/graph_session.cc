// SPDX-License-Identifier: Apache-2.0
#include "src/harness/graph_session.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "absl/types/variant.h"
#include "src/harness/allocate_graph.h"
#include "src/harness/buffered_tensors.h"
#include "src/harness/build_program.h"
#include "src/harness/custom_memory.h"
#include "src/harness/delegated_graph.h"
#include "src/harness/graph_run.h"
#include "src/harness/graph_states.h"
#include "src/harness/placement.h"
#include "src/harness/plan_graph.h"
#include "src/harness/running_graph.h"
#include "src/harness/saved_state.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Checks that the model permits this shape of the tensor.
absl::Status CheckInputShape(const TensorSpec& tensor, const Shape& shape) {
  const Shape& fixed = tensor.signature;
  bool fits = shape.size() == tensor.shape.size();
  for (size_t d = 0; fits && d < fixed.size(); ++d) {
    fits = fixed[d] == -1 || fixed[d] == shape[d];
  }
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("resized to ", ShapeText(shape), "; expected ",
                     ShapeText(fixed.empty() ? tensor.shape : fixed),
                     fixed.empty() ? " or as many dimensions" : ""));
  }
  return TensorBytes(tensor.type, shape).status();
}

}  // namespace

GraphSession::GraphSession(SharedState* shared, size_t index)
    : shared_(shared),
      own_frames_(std::make_unique<CallFrames>(shared, &own_cancellation_)),
      delegated_(shared, index, own_frames_.get()),
      arenas_(shared->options.arena_reserve, shared->options.guard_bytes,
              shared->options.shared_arena.get(), &shared->budget,
              &shared->resources) {}

GraphSession::GraphSession(SharedState* shared, size_t index,
                           CallFrames* frames, std::atomic<bool>* is_cancelled)
    : shared_(shared),
      delegated_(shared, index, frames),
      arenas_(/*reserve_bytes=*/0, shared->options.guard_bytes,
              /*shared=*/nullptr, &shared->budget, &shared->resources),
      is_cancelled_(is_cancelled) {}

bool GraphSession::has_memory() const {
  return absl::holds_alternative<Allocated>(state_) ||
         absl::holds_alternative<Exchanged>(state_);
}

absl::Status GraphSession::CheckNotRunning() const {
  if (!is_running_) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      graph().Place(), ": it is running; expected a call between invocations"));
}

absl::Status GraphSession::CheckCallFor(size_t tensor) const {
  absl::Status status = CheckNotRunning();
  if (!status.ok() || tensor < spec().tensors.size()) return status;
  return absl::InvalidArgumentError(absl::StrCat(
      graph().Place(), ": tensor ", tensor, ": no such tensor; expected an ",
      "index below ", spec().tensors.size()));
}

// Records that the nodes have to be prepared again. Tensors keep their memory
// until then.
void GraphSession::Outdate() {
  Unplanned next = {absl::visit(
      [](auto& state) -> MemoryPlan { return std::move(state.plan); }, state_)};
  state_ = std::move(next);
  graph().Outdate();
}

// Discards the plan and frees the arenas.
void GraphSession::ForgetMemory() {
  state_ = Unplanned();
  carried_.clear();
  arenas_.Free(&graph().tensors());
}

absl::Status GraphSession::ResizeInput(size_t i, const Shape& shape) {
  if (absl::Status status = CheckNotRunning(); !status.ok()) return status;
  const absl::Status status =
      i < spec().inputs.size()
          ? CheckInputShape(spec().tensors[spec().inputs[i]], shape)
          : absl::InvalidArgumentError(
                absl::StrCat("no such input; expected an index below ",
                             spec().inputs.size()));
  if (!status.ok()) {
    return AtPlace(absl::StrCat(graph().Place(), ", input ", i), status);
  }
  if (!absl::holds_alternative<Unplanned>(state_) &&
      tensor(spec().inputs[i]).shape == shape) {
    return absl::OkStatus();
  }
  graph().tensors().SetInputShape(i, shape);
  Outdate();
  return absl::OkStatus();
}

absl::Status GraphSession::SetBufferHandle(size_t tensor,
                                           const Delegate* delegate,
                                           int handle) {
  absl::Status status = CheckCallFor(tensor);
  if (!status.ok()) return status;
  const DelegatedGraph::Applied* const owner = delegated_.Find(delegate);
  return graph().AtTensor(
      tensor,
      owner == nullptr
          ? absl::FailedPreconditionError(
                "a buffer of a delegate that is not applied; expected "
                "one that is")
          : graph().buffers().Set(tensor, owner->delegate.get(), handle));
}

absl::Status GraphSession::EnsureReadable(size_t tensor) {
  absl::Status status = CheckCallFor(tensor);
  return status.ok() ? MakeAnyReadable(tensor, shared_->options, &graph())
                     : status;
}

absl::Status GraphSession::SetCustomAllocation(size_t tensor,
                                               absl::Span<uint8_t> memory,
                                               bool check_alignment) {
  absl::Status status = CheckCallFor(tensor);
  if (status.ok()) {
    status = CheckCustomPlace(graph(), tensor, memory, check_alignment);
  }
  if (!status.ok()) return status;
  auto* const evicted = absl::get_if<Evicted>(&state_);
  if ((!has_memory() && evicted == nullptr) ||
      graph().tensors()[tensor].storage != Storage::kCustom) {
    Outdate();
  } else if (auto* const allocated = absl::get_if<Allocated>(&state_)) {
    Exchanged next = {std::move(*allocated)};
    state_ = std::move(next);
  } else if (evicted != nullptr) {
    evicted->is_exchanged = true;
  }
  graph().tensors().SetCustom(tensor, memory);
  return absl::OkStatus();
}

absl::Status GraphSession::Prepare() {
  if (absl::Status status = CheckNotRunning(); !status.ok()) return status;
  const BusyMark busy(&is_running_);
  return PrepareAll();
}

// Prepares and plans the graph. If a delegate is rejected, returns the error of
// that delegate, even if the graph is then planned without it.
absl::Status GraphSession::PrepareAll() {
  ForgetMemory();
  if (own_frames_ != nullptr && !delegated_.StaysPrepared()) {
    own_frames_->Outdate();
  }
  absl::Status status = delegated_.Prepare();
  if (!graph().is_prepared()) return status;
  absl::Status planned = PlanAll();
  return planned.ok() ? status : planned;
}

// Plans when the tensors of the graph are live. If possible, also plans the
// tensors of all subgraphs that the graph calls, as one program. Requires that
// the graph is prepared.
absl::StatusOr<Planned> GraphSession::MakePlan() {
  absl::StatusOr<Planned> planned = PlanGraph(graph(), shared_->options);
  if (!planned.ok() || own_frames_ == nullptr) return planned;
  planned->plan.program = BuildProgram(graph(), planned->plan,
                                       shared_->resources, shared_->options);
  return planned;
}

// Plans the graph. Requires that the graph is prepared.
absl::Status GraphSession::PlanAll() {
  absl::StatusOr<Planned> planned = MakePlan();
  if (!planned.ok()) return planned.status();
  state_ = *std::move(planned);
  return absl::OkStatus();
}

absl::Status GraphSession::Allocate() {
  if (absl::Status status = CheckMayTakeArena(); !status.ok()) return status;
  const BusyMark busy(&is_running_);
  return AllocateAll();
}

// Allocates the graph according to the plan. After an error, the state is
// unchanged.
absl::Status GraphSession::AllocatePlanned(Planned* planned) {
  if (own_frames_ != nullptr) {
    graph().tensors().RaiseSpareBytes(own_frames_->spare_bytes());
  }
  absl::Status status = PlaceGraph(*shared_, graph(), &planned->plan);
  if (!status.ok()) return status;
  EvictUser();
  carried_.clear();
  arenas_.MakeRoom(planned->plan, graph().tensors());
  absl::StatusOr<Allocated> allocated =
      AllocateGraph(planned, &graph(), &arenas_);
  if (!allocated.ok()) return allocated.status();
  status = AllocateFrames(allocated->plan);
  if (!status.ok()) {
    planned->plan = std::move(allocated->plan);
    return status;
  }
  state_ = *std::move(allocated);
  return absl::OkStatus();
}

// Gives memory to the subgraphs that share the arena of this graph.
absl::Status GraphSession::AllocateFrames(const MemoryPlan& plan) {
  if (plan.program == nullptr || own_frames_ == nullptr) {
    return absl::OkStatus();
  }
  return own_frames_->Allocate(plan.program, &arenas_);
}

// Plans and allocates the graph. Requires that the graph is prepared. After an
// error, the state is unchanged, but tensors may be bound to different places
// in the arenas.
absl::Status GraphSession::AllocateAnew() {
  absl::StatusOr<Planned> planned = MakePlan();
  return planned.ok() ? AllocatePlanned(&*planned) : planned.status();
}

absl::Status GraphSession::AllocateAll() {
  // If the caller has only replaced memory that it provides, checking the new
  // memory is enough.
  if (auto* const exchanged = absl::get_if<Exchanged>(&state_)) {
    absl::Status status = CheckCustomMemory(graph());
    if (!status.ok()) return status;
    Allocated next = std::move(*exchanged);
    state_ = std::move(next);
    return status;
  }
  const auto* const evicted = absl::get_if<Evicted>(&state_);
  if (evicted != nullptr && evicted->is_exchanged) return ReturnToArena();
  DelegatedGraph::Delegates before = delegated_.SaveDelegates();
  absl::Status status = PrepareAll();
  if (absl::holds_alternative<Planned>(state_)) {
    const absl::Status allocated = AllocateWithFewer();
    // `status` is the error of a delegate that could not be applied again. It
    // is returned even if the graph can run without that delegate.
    if (has_memory()) {
      status.Update(allocated);
    } else {
      status = allocated;
    }
  }
  // If the graph cannot be allocated even without the removed delegates, these
  // delegates were not at fault. They are restored, and the next allocation
  // applies them again.
  if (!has_memory() && delegated_.RestoreDelegates(std::move(before))) {
    Outdate();
  }
  return status;
}

// Allocates the graph according to its plan. While this fails, removes one
// delegate and tries again. The removed delegate is the one whose kernel failed
// or, if memory was exhausted, the one that was applied last.
absl::Status GraphSession::AllocateWithFewer() {
  absl::Status failed = absl::OkStatus();
  absl::Status status = AllocatePlanned(absl::get_if<Planned>(&state_));
  while (!status.ok()) {
    const absl::optional<absl::Status> rejected =
        delegated_.RejectToBlame(status);
    if (!rejected) break;
    failed.Update(*rejected);
    arenas_.Free(&graph().tensors());
    status = delegated_.ApplyAgain();
    if (!graph().is_prepared()) {
      Outdate();
      return status;
    }
    failed.Update(status);
    graph().FreeReplaced();
    status = PlanAll();
    if (status.ok()) {
      status = AllocatePlanned(absl::get_if<Planned>(&state_));
    }
  }
  failed.Update(status);
  return failed;
}

absl::Status GraphSession::ApplyDelegate(std::shared_ptr<Delegate> delegate,
                                         const ApplyOptions& options) {
  if (delegate == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        graph().Place(), ": a delegate that is null; expected one to apply"));
  }
  absl::Status status = CheckMayTakeArena();
  if (status.ok()) status = delegated_.CheckNotApplied(*delegate);
  if (!status.ok()) return status;
  const BusyMark busy(&is_running_);
  if (absl::holds_alternative<Unplanned>(state_)) status = PrepareAll();
  if (absl::holds_alternative<Evicted>(state_)) status = ReturnToArena();
  if (!status.ok()) return status;
  const RunningGraph::Snapshot before = graph().TakeSnapshot();
  const size_t count = delegated_.count();
  status = delegated_.Apply(std::move(delegate), options);
  if (status.ok()) {
    status = AllocateAnew();
    if (status.ok()) {
      graph().FreeReplaced();
      return status;
    }
    status = AtPlace(absl::StrCat("delegate ", delegated_.last_name()), status);
    status = AndThen(status, delegated_.UndoLast(before));
  }
  absl::Status restored = absl::OkStatus();
  if (graph().is_prepared()) restored = RestorePlan(before, count);
  if (!graph().is_prepared() || !restored.ok()) ForgetMemory();
  return AndThen(status, restored);
}

// Restores the plan from before a delegate was refused; the memory of that plan
// still exists. `count` is the number of delegates before the refused delegate
// was applied. If there are now fewer delegates, because others were rejected
// as well, plans the memory again.
absl::Status GraphSession::RestorePlan(const RunningGraph::Snapshot& before,
                                       size_t count) {
  const bool was_prepared = graph().WasPreparedSince(before);
  const bool has_fewer = delegated_.count() < count;
  if (has_fewer) graph().FreeReplaced();
  if (!has_memory()) {
    return has_fewer || was_prepared ? PlanAll() : absl::OkStatus();
  }
  if (has_fewer) return AllocateAnew();
  if (was_prepared) {
    // Operators that were prepared again have temporaries with different
    // numbers, so the plan must be made again. The new plan places all tensors
    // at the same offsets.
    absl::StatusOr<Planned> planned = MakePlan();
    if (!planned.ok()) return planned.status();
    const absl::Status placed = PlaceFirst(shared_->options, &planned->plan);
    if (!placed.ok()) return AtPlace(graph().Place(), placed);
    absl::visit([&](auto& state) { state.plan = std::move(planned->plan); },
                state_);
  }
  const absl::Status bound = BindAgain(plan(), &graph(), &arenas_);
  return bound.ok() ? AllocateFrames(plan()) : bound;
}

absl::Status GraphSession::RemoveDelegates() {
  if (absl::Status status = CheckMayTakeArena(); !status.ok()) return status;
  const BusyMark busy(&is_running_);
  const bool had_memory =
      has_memory() || absl::holds_alternative<Evicted>(state_);
  if (own_frames_ != nullptr) {
    absl::Status status = own_frames_->RemoveDelegates();
    if (!status.ok()) return status;
  }
  if (!delegated_.RemoveAll()) return absl::OkStatus();
  Outdate();
  return had_memory ? AllocateAll() : absl::OkStatus();
}

absl::Status GraphSession::RemoveLastDelegate() {
  const BusyMark busy(&is_running_);
  delegated_.RemoveLast();
  Outdate();
  return AllocateAll();
}

void GraphSession::ResetVariables() {
  ClearVariables(&graph());
  kept_variables_.clear();
  carried_.clear();
  if (own_frames_ != nullptr) own_frames_->ResetVariables();
}

absl::Status GraphSession::Invoke() {
  if (absl::Status status = CheckNotRunning(); !status.ok()) return status;
  if (!absl::holds_alternative<Allocated>(state_)) {
    return absl::FailedPreconditionError(absl::StrCat(
        graph().Place(), ": invoked without memory; expected ",
        absl::holds_alternative<Evicted>(state_)
            ? "TakeArena first, since the shared arena was taken away"
            : "Allocate first"));
  }
  const BusyMark busy(&is_running_);
  GiveCarried();
  const Delegate* failed = nullptr;
  return shared_->options.delegate_fallback && delegated_.count() > 0
             ? InvokeWithFallback()
             : RunOnce(&failed);
}

// Runs the graph once. Requires the state Allocated. Sets `*failed` to the
// delegate that failed, or to null if none failed.
absl::Status GraphSession::RunOnce(const Delegate** failed) {
  auto* const allocated = absl::get_if<Allocated>(&state_);
  GraphRun run(shared_, &graph(), &arenas_, allocated, ++run_, is_cancelled_);
  absl::Status status = run.Run(allows_buffer_output_);
  if (status.ok()) status = KeepCarried();
  if (status.ok()) ++allocated->invocation;
  *failed = run.failed_delegate();
  return status;
}

// Runs an invocation. If a delegate fails, repeats the invocation without
// delegates.
absl::Status GraphSession::InvokeWithFallback() {
  // The inputs and variables must be readable to be saved, but the contents of
  // some may be only in the buffer of a delegate.
  absl::Status status = MakeReadable(StateTensors(spec()), &graph());
  if (!status.ok()) return status;
  const SavedState saved(*shared_, graph());
  const absl::StatusOr<FrameVariables> variables =
      graph().frames().SaveVariables();
  if (!variables.ok()) return variables.status();
  const size_t invocation = absl::get_if<Allocated>(&state_)->invocation;
  const Delegate* culprit = nullptr;
  status = RunOnce(&culprit);
  if (status.ok() || culprit == nullptr) return status;
  delegated_.RejectAll(culprit, status);
  Outdate();
  status = AllocateAll();
  if (status.ok()) status = saved.Restore(shared_, &graph());
  if (!status.ok()) return status;
  graph().frames().RestoreVariables(*variables);
  absl::get_if<Allocated>(&state_)->invocation = invocation;
  BindArguments();
  return RunOnce(&culprit);
}

size_t GraphSession::operator_data_bytes() const {
  size_t bytes = 0;
  for (const Node& node : graph().nodes()) {
    for (const MemoryBlock& block : node.data) bytes += block.size();
  }
  return bytes;
}

void GraphSession::AddShadowed(std::vector<ShadowedOperator>* all) const {
  for (size_t task = 0; task < graph().prepared(); ++task) {
    const Node& node = graph().NodeOf(task);
    if (node.shadow == nullptr) continue;
    all->push_back({graph().index(), graph().tasks()[task].node,
                    node.spec->TypeText(), node.why_shadowed});
  }
  if (own_frames_ != nullptr) own_frames_->AddShadowed(all);
}

}  // namespace stowage::harness
