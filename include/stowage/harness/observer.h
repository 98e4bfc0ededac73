// SPDX-License-Identifier: Apache-2.0
// Hooks around every operator that runs, to write a profiler, a recorder or a
// check. Those of this library are in recorder.h and checks.h.
//
//   class Timer : public ExecutionObserver {
//     absl::Status AfterOperator(const Execution& at) override { ... }
//   };
//   Timer timer;
//   options.observers = {&timer};
//
// Operators that Allocate runs to fold constants are not observed. On several
// streams (InterpreterOptions::streams) calls come from several threads, one at
// a time, and other operators may run between the two of one.
#ifndef STOWAGE_HARNESS_OBSERVER_H_
#define STOWAGE_HARNESS_OBSERVER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// How far a task is, of several that run at once.
enum class TaskState : uint8_t { kWaiting, kRunning, kFinished };

// Where a run is, and all of its memory. Valid during the call that it is
// handed to.
struct Execution {
  const SubgraphSpec* graph = nullptr;
  size_t subgraph = 0;               // its index
  const OperatorSpec* op = nullptr;  // about to run or just run
  size_t node = 0;                   // its position in plan->graph: the task
  int id = 0;             // of its node in the execution plan (interpreter.h)
  size_t step = 0;        // of a transparent partition (delegate.h)
  size_t invocation = 0;  // of the subgraph, from 0
  size_t run = 0;         // of the subgraph, those that failed among them
  // On several streams: of each task; in both calls this one is running. Empty
  // in a sequence, where earlier tasks have finished and later ones wait.
  absl::Span<const TaskState> states;
  // "net.tflite: subgraph 0, operator 3 (ADD)", or "... delegate node 31
  // (xnnpack), step 2 (ADD)"
  std::string place;

  // Tensors of the graph, then temporaries of operators.
  absl::Span<Tensor> tensors;
  absl::Span<const Lifetime> lifetimes;  // of the same
  const MemoryPlan* plan = nullptr;
  // The non-persistent arena, with the guard bytes after what is planned.
  absl::Span<uint8_t> arena;

  // Tensors that the operator reads; those that it writes: outputs, temporaries
  // and variables.
  std::vector<size_t> reads;
  std::vector<size_t> writes;
  // Those of `writes` that a buffer of a delegate holds, and memory does not.
  std::vector<size_t> stale;

  // Whether the plan gives the tensor memory in the arena that it may use at
  // `task`: its own lifetime, and that of all that share with it. On several
  // streams: now, from when the first of its users begins until all have
  // finished.
  bool IsLive(size_t tensor, size_t task) const;
};

class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  // An error ends the run with it.
  virtual absl::Status BeforeOperator(const Execution& /*execution*/) {
    return absl::OkStatus();
  }
  virtual absl::Status AfterOperator(const Execution& /*execution*/) {
    return absl::OkStatus();
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_OBSERVER_H_
