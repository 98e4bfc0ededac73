// SPDX-License-Identifier: Apache-2.0
// Runs the tasks of an allocated graph once, either one after another or on
// several streams. graph_session.h repeats the run without a delegate that has
// failed.
#ifndef STOWAGE_SRC_HARNESS_GRAPH_RUN_H_
#define STOWAGE_SRC_HARNESS_GRAPH_RUN_H_

#include <atomic>
#include <cstddef>

#include "absl/status/status.h"
#include "src/harness/arena_memory.h"
#include "src/harness/graph_states.h"
#include "src/harness/running_graph.h"
#include "src/harness/task_observers.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/program_plan.h"

namespace stowage::harness {

class GraphRun {
 public:
  // Requires that all arguments outlive this object. `run` is the number of the
  // run, which is passed to observers. If `*is_cancelled` is true before a
  // task, the run stops there and sets `*is_cancelled` to false.
  GraphRun(SharedState* shared, RunningGraph* graph, ArenaMemory* arenas,
           Allocated* allocated, size_t run, std::atomic<bool>* is_cancelled)
      : shared_(*shared),
        graph_(*graph),
        arenas_(*arenas),
        plan_(allocated->plan),
        is_cancelled_(*is_cancelled),
        observers_(shared, graph, arenas, allocated, run) {}

  // Runs all tasks. Afterwards, copies the outputs of the graph that are only
  // in buffers of delegates to their memory, unless `keeps_buffers` is true.
  // Errors: Cancelled; those of kernels, observers and copies, with the name of
  // the operator or the tensor in the message.
  absl::Status Run(bool keeps_buffers);

  // Returns the delegate that failed in Run, or null if none failed.
  const Delegate* failed_delegate() const { return failed_delegate_; }

 private:
  void MakeVariablesAccessible(const ProgramPlan& program) const;
  absl::Status MoveArenas();
  absl::Status RunInTurn();
  absl::Status RunOnStreams();
  absl::Status PrepareMore();
  absl::Status InvokeTask(size_t task);
  absl::Status RunObserved(size_t task);
  absl::Status RunTask(size_t task);
  void BlameDelegate(size_t task);
  absl::Status CancelledAt(size_t task) const;

  SharedState& shared_;
  RunningGraph& graph_;
  ArenaMemory& arenas_;
  MemoryPlan& plan_;
  std::atomic<bool>& is_cancelled_;
  TaskObservers observers_;
  const Delegate* failed_delegate_ = nullptr;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_GRAPH_RUN_H_
