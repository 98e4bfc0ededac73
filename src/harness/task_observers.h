// SPDX-License-Identifier: Apache-2.0
// Calls the observers of an interpreter before and after each task of a run.
#ifndef STOWAGE_SRC_HARNESS_TASK_OBSERVERS_H_
#define STOWAGE_SRC_HARNESS_TASK_OBSERVERS_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/arena_memory.h"
#include "src/harness/graph_states.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/observer.h"

namespace stowage::harness {

class TaskObservers {
 public:
  // Requires that all arguments outlive this object. `run` is the number of the
  // run, which is passed to the observers.
  TaskObservers(SharedState* shared, RunningGraph* graph,
                const ArenaMemory* arenas, const Allocated* allocated,
                size_t run);

  bool any() const { return !shared_.options.observers.empty(); }

  // Sets `*execution` to a description of the task, and calls BeforeOperator of
  // all observers. Errors: those of observers, with the operator in the
  // message.
  absl::Status Before(size_t task, Execution* execution);
  // Calls AfterOperator of all observers, in reverse order. Errors: those of
  // observers, with the operator in the message.
  absl::Status After(Execution* execution);

 private:
  Execution Describe(size_t task) const;

  SharedState& shared_;
  RunningGraph& graph_;
  const ArenaMemory& arenas_;
  const Allocated& allocated_;
  size_t run_;
  // The state of each task. Empty if the tasks do not run on streams.
  std::vector<TaskState> states_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_TASK_OBSERVERS_H_
