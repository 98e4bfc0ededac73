// SPDX-License-Identifier: Apache-2.0
// Runs a model under a memory plan.
//
//   auto model = Model::Read("net.tflite");
//   auto interpreter = Interpreter::Create(**model);
//   Subgraph& net = (*interpreter)->primary();
//   net.Allocate();
//   std::copy(pixels.begin(), pixels.end(), net.input(0).as<float>());
//   net.Invoke();
//   absl::Span<const float> scores = net.output(0).span<float>();
//
// Every function that can fail returns a status; the example leaves them out.
// To find out whether a plan is safe to run under, see checks.h; for the use of
// the memory, memory_report.h.
#ifndef STOWAGE_HARNESS_INTERPRETER_H_
#define STOWAGE_HARNESS_INTERPRETER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/planner.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// In bytes: enough for the widest registers and every element type.
inline constexpr size_t kMinTensorAlignment = 16;

struct InterpreterOptions {
  // Places the tensors of the non-persistent arena: a strategy of the registry,
  // or empty for the one with the smallest plan, the first by name among
  // equals. "arena_best_fit" is that of the CPU planner.
  std::string strategy;
  // Limits of all searches for one plan, as in SolveOptions: a time, or nodes,
  // with which the plan is the same on every machine. With neither, 20'000
  // nodes, and under Sharing::kGroups what is tried in one second.
  absl::optional<absl::Duration> time_limit;
  absl::optional<uint64_t> node_budget;
  // Shared objects are laid out one after the other.
  PlanKind kind = PlanKind::kOffsets;
  // Replaces the strategy by your planner. Its plan is used without
  // verification, so that the checks can find out what is wrong with it; only
  // the alignment of its offsets is required.
  std::function<absl::StatusOr<OffsetsAssignment>(const ArenaRecords&)> planner;
  // In bytes: a power of two, at least kMinTensorAlignment.
  size_t tensor_alignment = 64;
  // If true, nothing shares memory: every tensor can be read after Invoke.
  bool preserve_all_tensors = false;
  // Returns whether an operator may share memory in place, if its registration
  // allows it. Empty: every one may. Used to search for unsafe sharing.
  std::function<bool(size_t subgraph, size_t node)> in_place;
  // Says which operators run without their arithmetic.
  ShadowMode shadow = ShadowMode::kNone;
  // Shapes in place of those that the model declares, by subgraph and tensor:
  // of graph inputs, and of what operators without a kernel write.
  std::map<std::pair<size_t, size_t>, Shape> shapes;
  // Under kPlain nothing shares memory in place; temporaries of operators are
  // placed nevertheless.
  LifetimeRules lifetimes = LifetimeRules::kCpu;
  // Without a value, that of DefaultIoLifetime.
  absl::optional<IoLifetime> io_lifetime;
  // Under kCpu. kGroups needs offsets and a single stream; what a planner of
  // the caller's is given has places then, which it may keep or not.
  Sharing sharing = Sharing::kFixed;
  // The maximum bytes that arenas, operators, variables, and delegates that ask
  // for it (PartitionContext::memory_budget) may take together; 0 is the memory
  // of the machine.
  size_t memory_limit = 0;
  // The number of threads that run the operators of a subgraph at once, from 1
  // to 64, scheduled by OrderOnStreams (tflite/streams.h). 1 runs the operators
  // one after the other. More than 1 requires shapes that are known before a
  // run, no delegates, and a strategy for partial orders.
  size_t streams = 1;
  // The number of bytes after the arena that belong to no tensor.
  size_t guard_bytes = 0;
  // If true, the arenas move to other memory before every invocation, so that a
  // kernel that keeps pointers is detected.
  bool moves_arena = false;
  // Not owned. They nest: they are called in this order before an operator, and
  // in the reverse order after it.
  std::vector<ExecutionObserver*> observers;
  // Applied in this order when a subgraph is first prepared, after the
  // delegates of the resolver.
  std::vector<DelegateRequest> delegates;
  // If true, a delegate that cannot be applied is left out. If a delegate fails
  // in Invoke, all are removed and the invocation is repeated without them,
  // with inputs and variables as they were; for this every invocation first
  // copies inputs and variables. Subgraph::delegates() says what happened.
  bool delegate_fallback = false;
  // If true, preserve_all_tensors makes every node a separate partition, so
  // that all tensors exist.
  bool splits_partitions = true;
};

// Counts how often tensors were copied between memory and the buffers of a
// delegate.
struct BufferCopies {
  size_t from_buffers = 0;
  size_t to_buffers = 0;
};

// A partition as it was applied.
struct AppliedPartition {
  int node = 0;  // the id of the delegate node
  std::vector<int>
      nodes;  // the ids of those it replaces, in order of execution
  std::vector<size_t> inputs;   // tensors, ascending
  std::vector<size_t> outputs;  // likewise
  size_t steps = 0;             // tasks of a transparent one; 0 if opaque
};

// A delegate that was applied, or was to be.
struct AppliedDelegate {
  std::string name;
  std::vector<AppliedPartition> partitions;
  // The bytes in the arena that its partitions asked for, each while it runs.
  size_t workspace_bytes = 0;
  // The memory outside the arena, as reported by the delegate and its kernels.
  std::vector<DelegateMemory> memory;
  BufferCopies copies;
  // The reason why it is not applied or was removed; OK if it is applied.
  absl::Status status;
};

// A subgraph of a model under a plan. Not thread-safe, except for Cancel.
class Subgraph {
 public:
  Subgraph() = default;
  virtual ~Subgraph() = default;
  Subgraph(const Subgraph&) = delete;
  Subgraph& operator=(const Subgraph&) = delete;

  virtual const SubgraphSpec& spec() const = 0;

  // Tensors that the caller fills and reads, in the graph's order. Requires
  // that `i` is below the number in spec().
  size_t input_count() const { return spec().inputs.size(); }
  size_t output_count() const { return spec().outputs.size(); }
  virtual Tensor& input(size_t i) = 0;
  const Tensor& output(size_t i) const { return tensor(spec().outputs[i]); }
  // Returns any tensor. After Invoke its bytes are intact only with
  // preserve_all_tensors.
  virtual const Tensor& tensor(size_t index) const = 0;

  // Changes the shape of an input; Allocate must follow. Errors:
  // InvalidArgument if the input does not exist, the rank differs from the
  // model's, or a dimension differs from one that the signature fixes;
  // FailedPrecondition while the graph is running.
  virtual absl::Status ResizeInput(size_t i, const Shape& shape) = 0;

  // Runs the parts of the graph that the delegate claims by the delegate, after
  // those that were applied before; each sees what the previous ones left. The
  // graph is prepared first and allocated afterwards; the contents of inputs
  // are lost. Ownership is shared: the delegate lives at least as long as it is
  // applied. On errors the graph is as it was, with earlier delegates still
  // applied: FailedPrecondition if the graph is running, if the delegate is
  // applied already, or, for a static delegate, if a shape depends on data;
  // InvalidArgument for null, or for claims that are not nodes of the plan;
  // those of the delegate, naming it. If shapes depend on data, all nodes are
  // prepared again after an error. If an earlier delegate fails in this, it is
  // removed, and the graph is allocated without it; if an operator or the plan
  // fails, Allocate must follow. The message then has both errors.
  //
  // When an input is resized, Allocate applies static delegates again, in their
  // order. One that fails is removed and the others stay; the graph is
  // allocated, and Allocate returns the error. If their memory exceeds the
  // limit, the last ones are removed. If the graph cannot be allocated without
  // them either, all stay for the next Allocate.
  virtual absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate,
                                     const ApplyOptions& options) = 0;
  absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate) {
    return ApplyDelegate(std::move(delegate), ApplyOptions());
  }
  // Returns to the operators of the model: the plan and the results are the
  // same as if no delegate had been applied. The graph is allocated afterwards
  // if it was before. Errors: FailedPrecondition while the graph is running;
  // those of Allocate.
  virtual absl::Status RemoveDelegates() = 0;
  // Returns the delegates in the order in which they were given: those that are
  // applied and, with delegate_fallback or after a resize, also those that are
  // not any more, with the reason.
  virtual std::vector<AppliedDelegate> delegates() const = 0;
  // Returns node ids in order of execution. Ids below spec().operators.size()
  // are operators; delegate nodes come after them.
  virtual absl::Span<const int> execution_plan() const = 0;

  // Assigns a buffer of a delegate that holds the content of an input or output
  // of the graph (see Delegate). The interpreter owns the buffer from then on.
  // Errors: InvalidArgument for a negative handle or if there is no such
  // tensor; FailedPrecondition if the delegate is not applied or the tensor has
  // a buffer of another.
  virtual absl::Status SetBufferHandle(size_t tensor, const Delegate* delegate,
                                       int handle) = 0;
  // If `allow` is true, outputs that a delegate holds in buffers stay there,
  // and EnsureReadable copies them. False at first.
  virtual void AllowBufferHandleOutput(bool allow) = 0;
  // Makes a tensor's bytes readable after Invoke. Errors: FailedPrecondition
  // for a tensor inside a delegate node, without memory, or whose memory the
  // plan may have reused (never so with preserve_all_tensors), and while the
  // graph is running; that of the copy.
  virtual absl::Status EnsureReadable(size_t tensor) = 0;

  // Makes the tensor use memory provided by the caller from the next Allocate
  // on. The tensor leaves the arena, and the interpreter does not reset it if
  // it is a variable. The memory must outlive the interpreter, or be replaced.
  // If an allocated tensor already had memory provided by the caller, Allocate
  // only checks, and nothing is lost. With `check_alignment` the memory must be
  // aligned to 64. Errors: InvalidArgument, naming the tensor, for null or
  // misaligned memory, or for a tensor that is a constant or has no bytes.
  // Allocate detects memory that is too small, including the spare bytes that
  // delegates ask for.
  virtual absl::Status SetCustomAllocation(size_t tensor,
                                           absl::Span<uint8_t> memory,
                                           bool check_alignment) = 0;
  absl::Status SetCustomAllocation(size_t tensor, absl::Span<uint8_t> memory) {
    return SetCustomAllocation(tensor, memory, true);
  }

  // Prepares the operators and finds the lifetimes of tensors; plan() then has
  // both, but no offsets. Allocate must follow before a run. Errors:
  // InvalidArgument, naming the operator, for operators that cannot run;
  // ResourceExhausted if operator data exceeds the memory limit.
  virtual absl::Status Prepare() = 0;

  // Prepares, plans and allocates the memory, computes everything that depends
  // on constants alone, and resets variables. The contents of inputs are lost.
  // Errors: InvalidArgument, naming the operator, for operators that cannot
  // run; ResourceExhausted above the memory limit; those of the planner.
  virtual absl::Status Allocate() = 0;

  // Runs all operators. Errors: FailedPrecondition before Allocate; Cancelled;
  // those of operators and observers, naming the operator.
  virtual absl::Status Invoke() = 0;

  // Stops the current run before its next operator or, if there is none, the
  // next run before its first operator. Thread-safe.
  virtual void Cancel() = 0;

  // Resets variables to zero, or to their zero point.
  virtual void ResetVariables() = 0;

  // Returns the plan under which it runs. Valid after Allocate.
  virtual const MemoryPlan& plan() const = 0;
  // Returns the bytes that operators asked for, to keep from Prepare to Invoke.
  virtual size_t operator_data_bytes() const = 0;
};

// A model under plans, one for each subgraph.
class Interpreter {
 public:
  // Creates an interpreter. The model and the options' observers must outlive
  // it; the resolver is copied. Error: InvalidArgument, listing every operator
  // that the resolver does not have in the version that the model asks for,
  // unless shadows replace them.
  static absl::StatusOr<std::unique_ptr<Interpreter>> Create(
      const Model& model, const InterpreterOptions& options = {});
  static absl::StatusOr<std::unique_ptr<Interpreter>> Create(
      const Model& model, const OperatorResolver& resolver,
      const InterpreterOptions& options = {});

  Interpreter() = default;
  virtual ~Interpreter() = default;
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  virtual const Model& model() const = 0;

  // Returns the first subgraph, the only one of most models.
  Subgraph& primary() { return subgraph(0); }
  // Returns one of model().subgraphs(). They share only resources.
  virtual Subgraph& subgraph(size_t index) = 0;
  // Returns the subgraph of a signature. Error: NotFound, listing the
  // signatures.
  absl::StatusOr<Subgraph*> FindSignature(absl::string_view key);

  // Returns the shadowed operators of the subgraphs that have been allocated,
  // by subgraph and node. Operators after a shape that is computed are included
  // once they have run.
  virtual std::vector<ShadowedOperator> ShadowedOperators() const = 0;

  // Calls Subgraph::ApplyDelegate for every subgraph. If it fails for one, the
  // delegate is removed from all.
  virtual absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate) = 0;
  // Calls Subgraph::RemoveDelegates for every subgraph.
  virtual absl::Status RemoveDelegates() = 0;

  // Resets the variables of all subgraphs to their initial state and forgets
  // resources. Subgraphs that are called once are called again.
  virtual void Reset() = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_INTERPRETER_H_
