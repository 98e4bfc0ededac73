// SPDX-License-Identifier: Apache-2.0
#include "src/harness/graph_run.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/harness/arena_memory.h"
#include "src/harness/buffered_tensors.h"
#include "src/harness/call_frames.h"
#include "src/harness/computed_shapes.h"
#include "src/harness/delegated_node.h"
#include "src/harness/memory.h"
#include "src/harness/running_graph.h"
#include "src/harness/stream_runner.h"
#include "src/harness/task_observers.h"
#include "stowage/error_payload.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/program_plan.h"
#include "stowage/programs/program.h"
#include "stowage/tflite/calls.h"

namespace stowage::harness {

absl::Status GraphRun::Run(bool keeps_buffers) {
  ForgetComputed(&graph_, &plan_);
  absl::Status status = absl::OkStatus();
  if (shared_.options.moves_arena) status = MoveArenas();
  if (status.ok()) status = plan_.order ? RunOnStreams() : RunInTurn();
  if (status.ok() && !keeps_buffers) {
    status = MakeReadable(graph_.spec().outputs, &graph_, &failed_delegate_);
  }
  if (!status.ok()) {
    // Observers are not called after an error. An observer may have made bytes
    // inaccessible, so all bytes are made accessible again here.
    MakeAccessible(arenas_.arena().data(), arenas_.arena().size());
    if (plan_.program != nullptr) MakeVariablesAccessible(*plan_.program);
  }
  return status;
}

void GraphRun::MakeVariablesAccessible(const ProgramPlan& program) const {
  for (size_t v = 0; v < program.resources.size(); ++v) {
    const size_t bytes = program.program.variables[v].size;
    if (bytes == 0) continue;
    MakeAccessible(shared_.resources.HeldMemory(program.resources[v]), bytes);
  }
}

absl::Status GraphRun::MoveArenas() {
  // The arena of a program moves only when its entry runs, not when another
  // function of the program runs.
  if (plan_.program != nullptr && plan_.function > 0) return absl::OkStatus();
  absl::Status status = arenas_.Move(plan_.alignment);
  if (status.ok()) status = arenas_.Bind(plan_, 0, &graph_.tensors());
  if (status.ok() && plan_.program != nullptr) {
    status = graph_.frames().BindAgain(*plan_.program);
  }
  return status.ok() ? status : AtPlace(graph_.Place(), status);
}

absl::Status GraphRun::RunInTurn() {
  absl::Status status = absl::OkStatus();
  for (size_t task = 0; task < graph_.tasks().size() && status.ok(); ++task) {
    if (is_cancelled_.exchange(false)) return CancelledAt(task);
    if (task == graph_.prepared()) status = PrepareMore();
    if (status.ok()) status = InvokeTask(task);
    // Cancellation is also checked after a delegate node, because a single
    // delegate node may take most of the time of a run.
    if (status.ok() && graph_.NodeOf(task).delegated != nullptr &&
        is_cancelled_.exchange(false)) {
      status = CancelledAt(task);
    }
  }
  return status;
}

absl::Status GraphRun::RunOnStreams() {
  return RunStreams(*plan_.order, [this](size_t task) {
    return is_cancelled_.exchange(false) ? CancelledAt(task) : InvokeTask(task);
  });
}

// Prepares further nodes and places their tensors. After an error, none of
// these tensors is in the graph.
absl::Status GraphRun::PrepareMore() {
  const size_t task = graph_.prepared();
  absl::Status status = graph_.PrepareMore();
  if (status.ok()) {
    status = PlaceComputed(task, shared_.options.preserve_all_tensors, &graph_,
                           &arenas_, &plan_);
  } else {
    BlameDelegate(graph_.prepared());
  }
  if (!status.ok()) ForgetComputed(&graph_, &plan_);
  return status;
}

absl::Status GraphRun::InvokeTask(size_t task) {
  // A folded task that was prepared before the run was also computed before the
  // run.
  if (graph_.IsFolded(task) && task < graph_.always_prepared()) {
    return absl::OkStatus();
  }
  if (graph_.buffers().any()) {
    absl::Status status = MakeInputsReadable(task, &graph_, &failed_delegate_);
    if (!status.ok()) return status;
    MarkOutputsWritten(task, &graph_);
  }
  absl::Status status = observers_.any() ? RunObserved(task) : RunTask(task);
  if (status.ok() && !shared_.options.preserve_all_tensors) {
    FreeLastRead(task, plan_, &graph_);
  }
  return status;
}

absl::Status GraphRun::RunObserved(size_t task) {
  Execution execution;
  absl::Status status = observers_.Before(task, &execution);
  if (status.ok() && CallsSubgraphs(graph_.SpecOf(task))) {
    Execution* const caller = graph_.frames().caller();
    graph_.frames().set_caller(&execution);
    status = RunTask(task);
    graph_.frames().set_caller(caller);
  } else if (status.ok()) {
    status = RunTask(task);
  }
  return status.ok() ? observers_.After(&execution) : status;
}

absl::Status GraphRun::RunTask(size_t task) {
  absl::Status status = graph_.Run(task);
  if (!status.ok()) BlameDelegate(task);
  return status;
}

// Records that the delegate has failed, if a delegate runs the task.
void GraphRun::BlameDelegate(size_t task) {
  const DelegatedNode* const node = graph_.NodeOf(task).delegated.get();
  if (node != nullptr) failed_delegate_ = node->delegate;
}

absl::Status GraphRun::CancelledAt(size_t task) const {
  return absl::CancelledError(absl::StrCat(graph_.Place(task), ": cancelled"));
}

}  // namespace stowage::harness
