// SPDX-License-Identifier: Apache-2.0
// Hooks around every operator that runs, for writing a profiler, a recorder or
// a check. The observers of this library are in recorder.h and checks.h.
//
//   class Timer : public ExecutionObserver {
//     absl::Status AfterOperator(const Execution& at) override { ... }
//   };
//   Timer timer;
//   options.observers = {&timer};
//
// Operators that Allocate runs to fold constants are not observed. On several
// streams (InterpreterOptions::streams) calls come from several threads, but
// one at a time, and other operators may run between the two calls of one
// operator.
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

// The progress of a task, if several run at once.
enum class TaskState : uint8_t { kWaiting, kRunning, kFinished };

// The position of a run, with all of its memory. Valid during the call to which
// it is passed.
struct Execution {
  const SubgraphSpec* graph = nullptr;
  size_t subgraph = 0;               // its index
  const OperatorSpec* op = nullptr;  // about to run or just run
  size_t node = 0;                   // its position in plan->graph: the task
  int id = 0;       // id of its node in the execution plan (interpreter.h)
  size_t step = 0;  // in a transparent partition (delegate.h)
  size_t invocation = 0;  // number of the invocation of the subgraph, from 0
  size_t run = 0;         // number of the run, including runs that failed
  // On several streams: the state of each task; in both calls this one is
  // running. Empty for a sequence, where earlier tasks have finished and later
  // ones wait.
  absl::Span<const TaskState> states;
  // "net.tflite: subgraph 0, operator 3 (ADD)", or "... delegate node 31
  // (xnnpack), step 2 (ADD)"
  std::string place;

  // The tensors of the graph, followed by the temporaries of operators.
  absl::Span<Tensor> tensors;
  absl::Span<const Lifetime> lifetimes;  // by tensor
  const MemoryPlan* plan = nullptr;
  // The non-persistent arena, including the guard bytes after the planned
  // bytes.
  absl::Span<uint8_t> arena;

  // Tensors that the operator reads, and tensors that it writes: outputs,
  // temporaries and variables.
  std::vector<size_t> reads;
  std::vector<size_t> writes;
  // Those of `writes` whose content is in a buffer of a delegate and not in
  // memory.
  std::vector<size_t> stale;

  // Returns whether the plan gives the tensor memory in the arena that it may
  // use at `task`: during its own lifetime and that of all tensors that share
  // with it. On several streams, returns whether it may use the memory now,
  // which is from the beginning of the first of its users until all have
  // finished.
  bool IsLive(size_t tensor, size_t task) const;
};

class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  // If a call returns an error, the run ends with it.
  virtual absl::Status BeforeOperator(const Execution& /*execution*/) {
    return absl::OkStatus();
  }
  virtual absl::Status AfterOperator(const Execution& /*execution*/) {
    return absl::OkStatus();
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_OBSERVER_H_
