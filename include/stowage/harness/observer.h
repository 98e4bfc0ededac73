// SPDX-License-Identifier: Apache-2.0
// Defines hooks that are called before and after every operator that runs. Use
// them to write a profiler, a recorder or a check. The observers of this
// library are in recorder.h and checks.h.
//
//   class Timer : public ExecutionObserver {
//     absl::Status AfterOperator(const Execution& at) override { ... }
//   };
//   Timer timer;
//   options.observers = {&timer};
//
// Operators that Allocate runs to fold constants are not observed. On several
// streams (InterpreterOptions::streams), calls come from several threads, but
// one at a time, and other operators may run between the two calls for an
// operator.
#ifndef STOWAGE_HARNESS_OBSERVER_H_
#define STOWAGE_HARNESS_OBSERVER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// The state of a task, for runs in which several tasks run at the same time.
enum class TaskState : uint8_t { kWaiting, kRunning, kFinished };

// The current task of a run, and all memory of the run. Valid only during the
// call to which it is passed.
struct Execution {
  const SubgraphSpec* graph = nullptr;
  size_t subgraph = 0;  // the index of the subgraph
  // The operator that is about to run or has just run.
  const OperatorSpec* op = nullptr;
  // The task, as the position of its node in plan->graph.
  size_t node = 0;
  int id = 0;       // the id of the node in the execution plan (interpreter.h)
  size_t step = 0;  // the step of a transparent partition (delegate.h)
  // The number of the invocation of the subgraph, counted from 0.
  size_t invocation = 0;
  size_t run = 0;  // the number of the run, counting runs that failed
  // The operator that called this subgraph with arguments, or null. The caller
  // waits for this subgraph, so its Execution remains valid.
  const Execution* caller = nullptr;
  // The call in plan->program by which this subgraph runs, and the point of
  // this operator in the program. `point` is nullopt if there is no program,
  // and if the operator calls functions of the program, because the operators
  // of these functions have their own points.
  uint32_t program_call = 0;
  absl::optional<uint32_t> point;
  // The number of subgraphs that this operator has called so far in this run. A
  // WHILE calls its condition and its body alternately.
  size_t calls = 0;
  // The state of each task if tasks run on several streams. In BeforeOperator
  // and AfterOperator, the state of this task is kRunning. Empty if tasks run
  // one after another, because all earlier tasks are then finished and all
  // later tasks are waiting.
  absl::Span<const TaskState> states;
  // The name of the operator in messages, such as "net.tflite: subgraph 0,
  // operator 3 (ADD)" or "... delegate node 31 (xnnpack), step 2 (ADD)".
  std::string place;

  // The tensors of the graph, followed by the temporaries of operators.
  absl::Span<Tensor> tensors;
  absl::Span<const Lifetime> lifetimes;  // is indexed by tensor
  const MemoryPlan* plan = nullptr;
  // The non-persistent arena, including the guard bytes after the planned
  // bytes.
  absl::Span<uint8_t> arena;
  // The memory of each variable of plan->program.
  std::vector<absl::Span<uint8_t>> variables;

  // The tensors that the operator reads, and the tensors that it writes.
  // Outputs, temporaries and variables count as written.
  std::vector<size_t> reads;
  std::vector<size_t> writes;
  // The tensors of `writes` that have their content only in a buffer of a
  // delegate, and not in memory.
  std::vector<size_t> stale;

  // Returns the places of all callers and this place, such as "net.tflite:
  // subgraph 0, operator 2 (WHILE), call 5 > net.tflite: subgraph 2, operator 1
  // (ADD)".
  std::string Chain() const;

  // Returns whether the tensor may use memory in the arena at `task`. A tensor
  // may use its memory during its own lifetime and during the lifetimes of all
  // tensors that share its memory.
  //
  // On several streams, ignores `task` and returns the result for the current
  // moment. A graph input may use its memory from the start of the run, and any
  // other tensor from the start of the first operator that uses it. Unless the
  // tensor is never freed, it may use its memory until all operators that use
  // it have completed.
  bool IsLive(size_t tensor, size_t task) const;
};

// The base class of observers. Override one or both functions. An observer must
// outlive the interpreter that calls it.
class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  // These functions are called before and after each operator. If a call
  // returns an error, the run stops with this error.
  virtual absl::Status BeforeOperator(const Execution& /*execution*/) {
    return absl::OkStatus();
  }
  virtual absl::Status AfterOperator(const Execution& /*execution*/) {
    return absl::OkStatus();
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_OBSERVER_H_
