// SPDX-License-Identifier: Apache-2.0
// Defines hooks that are called before and after every operator that runs. A
// profiler, a recorder or a check can be written with these hooks. The
// observers of this library are in recorder.h and checks.h.
//
//   class Timer : public ExecutionObserver {
//     absl::Status AfterOperator(const Execution& at) override { ... }
//   };
//   Timer timer;
//   options.observers = {&timer};
//
// Operators that Allocate runs to fold constants are not observed. On several
// streams (InterpreterOptions::streams), calls come from several threads, but
// one at a time, and other operators may run between the two calls of one
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

// Says how far a task has come if several tasks run at once.
enum class TaskState : uint8_t { kWaiting, kRunning, kFinished };

// Describes the task that a run has reached, and all memory of the run. The
// object is valid only during the call to which it is passed.
struct Execution {
  const SubgraphSpec* graph = nullptr;
  size_t subgraph = 0;  // the index of the subgraph
  // The operator that is about to run or has just run.
  const OperatorSpec* op = nullptr;
  // The task: the position of the node in plan->graph.
  size_t node = 0;
  int id = 0;       // the id of the node in the execution plan (interpreter.h)
  size_t step = 0;  // the step of a transparent partition (delegate.h)
  // The number of the invocation of the subgraph, from 0.
  size_t invocation = 0;
  size_t run = 0;  // the number of the run, counting runs that failed
  // The operator that has called this subgraph with arguments, or null. The
  // caller waits for this subgraph, and its Execution stays valid.
  const Execution* caller = nullptr;
  // The call in plan->program by which this subgraph runs, and the point of
  // this operator in the program. `point` has no value if there is no program.
  // It also has no value if the operator calls functions of the program, since
  // the operators of these functions have points of their own.
  uint32_t program_call = 0;
  absl::optional<uint32_t> point;
  // The number of subgraphs that this operator has called in this run so far. A
  // WHILE calls its condition and its body alternately.
  size_t calls = 0;
  // The state of each task, if tasks run on several streams. In BeforeOperator
  // and AfterOperator, the state of this task is kRunning. The list is empty if
  // tasks run one after the other; earlier tasks have then finished, and later
  // tasks wait.
  absl::Span<const TaskState> states;
  // The text that names the operator in messages, such as "net.tflite: subgraph
  // 0, operator 3 (ADD)" or "... delegate node 31 (xnnpack), step 2 (ADD)".
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

  // Returns this place together with the places of all callers: "net.tflite:
  // subgraph 0, operator 2 (WHILE), call 5 > net.tflite: subgraph 2, operator 1
  // (ADD)".
  std::string Chain() const;

  // Returns whether the tensor may use memory in the arena at `task`. A tensor
  // may use its memory during its own lifetime and during the lifetimes of all
  // tensors that share its memory. On several streams, `task` is ignored, and
  // the result is for the present moment. A graph input may then use its memory
  // from the start, and any other tensor as soon as one operator that uses the
  // tensor has begun. The use ends when all operators that use the tensor have
  // finished, unless the tensor is never freed.
  bool IsLive(size_t tensor, size_t task) const;
};

// The base class of observers. To observe operators, override one or both
// functions. An observer must outlive the interpreter that calls it.
class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  // These functions are called before and after each operator. If a call
  // returns an error, the run ends with this error.
  virtual absl::Status BeforeOperator(const Execution& /*execution*/) {
    return absl::OkStatus();
  }
  virtual absl::Status AfterOperator(const Execution& /*execution*/) {
    return absl::OkStatus();
  }
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_OBSERVER_H_
