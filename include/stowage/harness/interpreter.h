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
// Every function that can fail returns a status, left out above. To find out
// whether a plan is safe to run under, see checks.h; for what the memory is
// used for, memory_report.h.
#ifndef STOWAGE_HARNESS_INTERPRETER_H_
#define STOWAGE_HARNESS_INTERPRETER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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

// Bytes: enough for the widest registers and every element type.
inline constexpr size_t kMinTensorAlignment = 16;

struct InterpreterOptions {
  // Places the tensors of the non-persistent arena: a strategy of the
  // registry, or empty for the one with the smallest plan, the first by name
  // among equals. "arena_best_fit" is the CPU planner's own.
  std::string strategy;
  // Shared objects are laid out one after the other.
  PlanKind kind = PlanKind::kOffsets;
  // A planner of your own in place of a strategy. Its plan is taken as it is,
  // so that the checks can find out what is wrong with it; all that is asked is
  // that its offsets are aligned.
  std::function<absl::StatusOr<OffsetsAssignment>(const ArenaRecords&)> planner;
  // Bytes: a power of two, kMinTensorAlignment at least.
  size_t tensor_alignment = 64;
  // Nothing shares memory: every tensor can be read after Invoke.
  bool preserve_all_tensors = false;
  // Whether an operator may share memory in place, if its registration lets
  // it; none: every one may. Used to search for unsafe sharing.
  std::function<bool(size_t subgraph, size_t node)> in_place;
  // Which operators run without their arithmetic.
  ShadowMode shadow = ShadowMode::kNone;
  // Under kPlain nothing shares memory in place; temporaries of operators are
  // placed all the same.
  LifetimeRules lifetimes = LifetimeRules::kCpu;
  IoLifetime io_lifetime = IoLifetime::kKeep;
  // Under kCpu. kGroups needs offsets and a single stream; what a planner of
  // the caller's is given has places then, which it may keep or not.
  Sharing sharing = Sharing::kFixed;
  // Bytes that arenas, operators, variables, and delegates that ask
  // (PartitionContext::memory_budget) may take together; 0 is what the machine
  // has.
  size_t memory_limit = 0;
  // Threads that run the operators of a subgraph at once, scheduled by
  // OrderOnStreams (tflite/streams.h): 1 to 64; 1 runs them one after the
  // other. More need shapes that are known before a run, no delegates, and a
  // strategy for partial orders.
  size_t streams = 1;
  // Bytes after the arena that no tensor has.
  size_t guard_bytes = 0;
  // Gives the arenas other bytes before every invocation, so that a kernel that
  // keeps pointers shows.
  bool moves_arena = false;
  // Not owned. They nest: called in this order before an operator, in the
  // reverse after it.
  std::vector<ExecutionObserver*> observers;
  // Applied in this order when a subgraph is first prepared, after those of the
  // resolver.
  std::vector<DelegateRequest> delegates;
  // A delegate that cannot be applied is left out, and one that fails in Invoke
  // is removed with all others and the invocation done without them, with
  // inputs and variables as they were. Subgraph::delegates() tells. To be able
  // to, every invocation first copies inputs and variables.
  bool delegate_fallback = false;
  // With preserve_all_tensors a delegate gets every node as a partition of its
  // own, so that all tensors exist; unless this is false.
  bool splits_partitions = true;
};

// How often tensors were copied between memory and the buffers of a delegate.
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
  size_t steps = 0;             // tasks of a transparent one; 0: it is opaque
};

// A delegate that was applied, or was to be.
struct AppliedDelegate {
  std::string name;
  std::vector<AppliedPartition> partitions;
  // Bytes in the arena that its partitions asked for, each while it runs.
  size_t workspace_bytes = 0;
  // Beside the arena: what the delegate and its kernels tell.
  std::vector<DelegateMemory> memory;
  BufferCopies copies;
  // Why it is not applied, or was removed; OK: it is applied.
  absl::Status status;
};

// A subgraph of a model under a plan. Not thread-safe, but for Cancel.
class Subgraph {
 public:
  Subgraph() = default;
  virtual ~Subgraph() = default;
  Subgraph(const Subgraph&) = delete;
  Subgraph& operator=(const Subgraph&) = delete;

  virtual const SubgraphSpec& spec() const = 0;

  // Tensors that the caller fills and reads, in the graph's order. Of `i`
  // beyond the last there is none: see spec().
  size_t input_count() const { return spec().inputs.size(); }
  size_t output_count() const { return spec().outputs.size(); }
  virtual Tensor& input(size_t i) = 0;
  const Tensor& output(size_t i) const { return tensor(spec().outputs[i]); }
  // Any tensor. Its bytes are its own after Invoke only with
  // preserve_all_tensors.
  virtual const Tensor& tensor(size_t index) const = 0;

  // Gives an input another shape; Allocate must follow. Error: InvalidArgument
  // if the input does not exist, the rank differs from the model's, or a
  // dimension differs from one that the signature fixes; FailedPrecondition
  // while the graph is running.
  virtual absl::Status ResizeInput(size_t i, const Shape& shape) = 0;

  // Runs the parts of the graph that the delegate claims by it: after those
  // that were applied before, each of which sees what is left. The graph is
  // prepared first and allocated afterwards; what inputs held is lost. Shared
  // ownership: the delegate lives at least as long as it is applied. On errors
  // the graph is as it was, earlier delegates still applied: FailedPrecondition
  // if the graph is running, if the delegate is applied already, or, for one of
  // the static kind, if a shape depends on data; InvalidArgument for null, or
  // claims that are not nodes of the plan; those of the delegate, naming it.
  // Where shapes depend on data, all nodes are prepared again after an error.
  // An earlier delegate that fails then is removed, and the graph is allocated
  // without it; if an operator or the plan fails, Allocate must follow. The
  // message has both errors.
  //
  // When an input is resized, Allocate applies delegates of the static kind
  // anew, in their order. One that fails then is removed, the others stay; the
  // graph is allocated, and Allocate returns the error. Where their memory is
  // above the limit, the last ones are removed. Where the graph cannot be
  // allocated without them either, all stay for the next Allocate.
  virtual absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate,
                                     const ApplyOptions& options) = 0;
  absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate) {
    return ApplyDelegate(std::move(delegate), ApplyOptions());
  }
  // Back to the operators of the model: the same plan and results as if no
  // delegate had been applied. Allocated afterwards if it was before. Errors:
  // FailedPrecondition while the graph is running; those of Allocate.
  virtual absl::Status RemoveDelegates() = 0;
  // In the order in which they were given: those that are applied; and, with
  // delegate_fallback or after a resize, those that are not any more, with the
  // reason.
  virtual std::vector<AppliedDelegate> delegates() const = 0;
  // Node ids in order of execution. Ids below spec().operators.size() are
  // operators; delegate nodes come after them.
  virtual absl::Span<const int> execution_plan() const = 0;

  // A buffer of a delegate that holds what an input or output of the graph
  // holds: see Delegate. It is the interpreter's from now on. Errors:
  // InvalidArgument for a negative handle or no such tensor;
  // FailedPrecondition if the delegate is not applied or the tensor has a
  // buffer of another.
  virtual absl::Status SetBufferHandle(size_t tensor, const Delegate* delegate,
                                       int handle) = 0;
  // Leaves outputs that a delegate holds in buffers there: EnsureReadable
  // copies them. False at first.
  virtual void AllowBufferHandleOutput(bool allow) = 0;
  // Makes a tensor's bytes readable after Invoke. Errors: FailedPrecondition
  // for a tensor inside a delegate node, without memory, or whose memory the
  // plan may have given to another (which is none with preserve_all_tensors),
  // and while the graph is running; that of the copy.
  virtual absl::Status EnsureReadable(size_t tensor) = 0;

  // The tensor uses the caller's memory from the next Allocate on, and is not
  // in the arena any more; variables are not reset by the interpreter. The
  // memory must outlive the interpreter, or be replaced. Where a tensor had
  // memory of the caller's before, and was allocated, Allocate only checks, and
  // nothing is lost. `check_alignment`: it must be aligned to 64. Errors:
  // InvalidArgument, naming the tensor, for null or misaligned memory, or a
  // tensor that is a constant or has no bytes; Allocate finds memory that is
  // too small, with the spare bytes that delegates ask for.
  virtual absl::Status SetCustomAllocation(size_t tensor,
                                           absl::Span<uint8_t> memory,
                                           bool check_alignment) = 0;
  absl::Status SetCustomAllocation(size_t tensor, absl::Span<uint8_t> memory) {
    return SetCustomAllocation(tensor, memory, true);
  }

  // Prepares the operators and finds the lifetimes of tensors: plan() has both
  // then, and no offsets. Allocate must follow before a run. Errors:
  // InvalidArgument, naming the operator, for what cannot run;
  // ResourceExhausted where operator data is above the memory limit.
  virtual absl::Status Prepare() = 0;

  // Prepares, plans and allocates the memory, computes what only
  // constants determine, and resets variables. What inputs held is lost.
  // Errors: InvalidArgument, naming the operator, for what cannot run;
  // ResourceExhausted above the memory limit; those of the planner.
  virtual absl::Status Allocate() = 0;

  // Runs all operators. Errors: FailedPrecondition before Allocate; Cancelled;
  // those of operators and observers, naming the operator.
  virtual absl::Status Invoke() = 0;

  // Stops the current run before its next operator, or else the next run before
  // its first. Thread-safe.
  virtual void Cancel() = 0;

  // Variables back to zero, or their zero point.
  virtual void ResetVariables() = 0;

  // The plan under which it runs; valid after Allocate.
  virtual const MemoryPlan& plan() const = 0;
  // Bytes that operators asked for, to keep from Prepare to Invoke.
  virtual size_t operator_data_bytes() const = 0;
};

// A model under plans, one for each subgraph.
class Interpreter {
 public:
  // The model and the options' observers must outlive it; the resolver is
  // copied. Error: InvalidArgument, listing every operator that the resolver
  // does not have in the version the model asks for, unless shadows stand in
  // for them.
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

  // The first subgraph, the one that most models have.
  Subgraph& primary() { return subgraph(0); }
  // One of model().subgraphs(). They share resources and nothing else.
  virtual Subgraph& subgraph(size_t index) = 0;
  // The subgraph of a signature. Error: NotFound, listing those there are.
  absl::StatusOr<Subgraph*> FindSignature(absl::string_view key);

  // Those of the subgraphs that have been allocated, by subgraph and node. What
  // comes after a shape that is computed counts once it has run.
  virtual std::vector<ShadowedOperator> ShadowedOperators() const = 0;

  // Subgraph::ApplyDelegate for every subgraph. Where it fails for one, it is
  // removed from all.
  virtual absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate) = 0;
  // Subgraph::RemoveDelegates for every subgraph.
  virtual absl::Status RemoveDelegates() = 0;

  // Variables of all subgraphs to their initial state, resources forgotten:
  // what is called once is called again.
  virtual void Reset() = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_INTERPRETER_H_
