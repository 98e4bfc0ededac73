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
// Every function that can fail returns a status, which this example ignores. To
// check whether a plan is safe, use checks.h; to see what uses the memory, use
// memory_report.h.
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
#include "stowage/harness/shared_arena.h"
#include "stowage/harness/tensor.h"
#include "stowage/planner.h"
#include "stowage/programs/program_problem.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// The smallest permitted alignment in bytes. It suffices for the widest
// registers and for every element type.
inline constexpr size_t kMinTensorAlignment = 16;

// An output of a subgraph that becomes an input of the same subgraph in the
// next invocation. An example is a cache, which the caller would otherwise have
// to copy from the output to the input.
struct CarriedTensor {
  size_t subgraph = 0;
  size_t output = 0;  // an index in the outputs of the subgraph
  size_t input = 0;   // an index in its inputs
};

// Options for planning and running a model. The defaults select the smallest
// plan, with the lifetimes of TensorFlow Lite's interpreter.
struct InterpreterOptions {
  // The strategy of the registry that places the tensors of the non-persistent
  // arena. If empty, the smallest plan of all strategies is used. Among equally
  // small plans, the first by the name of its strategy is used; under
  // Sharing::kGroups, plans that avoid more copies and strategies that do not
  // search have precedence. The strategy of the CPU planner is
  // "arena_best_fit".
  std::string strategy;
  // Limits on the time and on the search nodes of one plan, with the same
  // meaning as in SolveOptions. Each limit applies to all searches for a plan
  // together. With a limit on nodes, the plan is the same on every machine. If
  // neither limit is set, the limit is 20'000 nodes, and under Sharing::kGroups
  // also one second for the choice of groups.
  absl::optional<absl::Duration> time_limit;
  absl::optional<uint64_t> node_budget;
  // The kind of plan that the strategy makes: offsets or shared objects. Shared
  // objects are placed one after another in the arena.
  PlanKind kind = PlanKind::kOffsets;
  // A planner that replaces the strategy. Its plan is used without
  // verification, so that the checks can find its faults. Only the alignment of
  // its offsets is checked.
  std::function<absl::StatusOr<OffsetsAssignment>(const ArenaRecords&)> planner;
  // The alignment of tensors in bytes: a power of two, and at least
  // kMinTensorAlignment.
  size_t tensor_alignment = 64;
  // If true, no tensor shares memory with another tensor, so every tensor can
  // be read after Invoke.
  bool preserve_all_tensors = false;
  // Returns whether an operator may share memory in place. Called only for
  // operators with a registration that permits sharing. If not set, all of
  // these operators may share memory in place. Searches for unsafe sharing set
  // this function.
  std::function<bool(size_t subgraph, size_t node)> in_place;
  // The operators that run as shadows, which means without their arithmetic.
  ShadowMode shadow = ShadowMode::kNone;
  // Shapes that replace those of the model, by subgraph and tensor. Permitted
  // for graph inputs, and for tensors that operators without a kernel write.
  std::map<std::pair<size_t, size_t>, Shape> shapes;
  // The rules for lifetimes. Under kPlain, no tensor shares memory in place,
  // but temporaries of operators are placed in the same way as under kCpu.
  LifetimeRules lifetimes = LifetimeRules::kCpu;
  // The lifetime of graph inputs. If not set, DefaultIoLifetime applies.
  absl::optional<IoLifetime> io_lifetime;
  // The tensors that share memory under kCpu. kGroups requires offsets and a
  // single stream. With kGroups, the records that are passed to `planner` have
  // places in rigid groups, and the planner may ignore these places.
  Sharing sharing = Sharing::kFixed;
  // The maximum number of bytes of arenas, operators and variables, together
  // with the bytes that delegates reserve (PartitionContext::memory_budget). 0
  // means the limit of `shared_arena` or, if there is no shared arena, the
  // memory of the machine.
  size_t memory_limit = 0;
  // The number of threads that run the operators of a subgraph at the same
  // time, in [1, 64], scheduled by OrderOnStreams (tflite/streams.h). With 1,
  // the operators run one after another. A number above 1 requires that all
  // shapes are known before a run, that there are no delegates, and that the
  // strategy supports partial orders.
  size_t streams = 1;
  // The arguments and results of calls between subgraphs that are copied.
  ProgramCopies copies = ProgramCopies::kChosen;
  // If true, resource variables are read and assigned in their own memory
  // wherever possible. A failing run may then leave a variable partly written.
  // If false, each read and each assignment copies. True has an effect only
  // under Sharing::kFixed, the lifetimes kCpu, one stream, PlanKind::kOffsets,
  // and `copies` other than kMade.
  bool state_in_place = true;
  // Outputs that are carried to inputs: at the start of an invocation, the
  // input of each pair gets the value of the output in the last successful
  // invocation. The input and the output must have the same type and number of
  // bytes. The caller fills these inputs before the first invocation, and not
  // before later ones. If state_in_place is true and has an effect, the input
  // and the output have the same place wherever possible, and a failing run may
  // leave the value partly written. This option cannot be combined with
  // io_lifetime kUse or a shared arena, because they do not keep inputs.
  std::vector<CarriedTensor> carried;
  // The maximum number of iterations of a loop. If a loop exceeds this number,
  // the run returns ResourceExhausted.
  uint64_t max_turns = 1'000'000;
  // The minimum number of bytes of the arena of every subgraph. If it is not 0,
  // arenas do not move when inputs are resized, unless a plan needs more bytes.
  size_t arena_reserve = 0;
  // An arena for all subgraphs that the caller runs; these subgraphs use it one
  // at a time. If null, each of these subgraphs has its own arena.
  std::shared_ptr<SharedArena> shared_arena;
  // The number of bytes after the arena that belong to no tensor and are there
  // to detect writes beyond its end.
  size_t guard_bytes = 0;
  // If true, the arenas move to other memory before every invocation, which
  // reveals kernels that keep pointers.
  bool moves_arena = false;
  // Observers of every operator, not owned. They are called in this order
  // before an operator, and in reverse order after it.
  std::vector<ExecutionObserver*> observers;
  // Delegates to apply when a subgraph is prepared for the first time, in this
  // order, after the delegates of the resolver.
  std::vector<DelegateRequest> delegates;
  // If true, a delegate that cannot be applied is left out. If a delegate fails
  // in Invoke, all delegates are removed, and the invocation is repeated
  // without them. Inputs and variables are restored before the repetition, so
  // every invocation copies them at its start. Subgraph::delegates() describes
  // what happened.
  bool delegate_fallback = false;
  // If true, every node that a delegate runs is a separate partition, so the
  // tensors between these nodes also exist. Has an effect only with
  // preserve_all_tensors.
  bool splits_partitions = true;
};

// The numbers of copies of tensors between memory and the buffers of a
// delegate.
struct BufferCopies {
  size_t from_buffers = 0;
  size_t to_buffers = 0;
};

// A partition to which a delegate was applied.
struct AppliedPartition {
  int node = 0;  // the id of the delegate node
  // The ids of the nodes that the delegate node replaces, in execution order.
  std::vector<int> nodes;
  std::vector<size_t> inputs;   // has tensors in ascending order
  std::vector<size_t> outputs;  // has tensors in ascending order
  // The number of tasks of a transparent partition, or 0 for an opaque
  // partition.
  size_t steps = 0;
};

// A delegate that was applied, or a requested delegate that could not be
// applied.
struct AppliedDelegate {
  std::string name;
  std::vector<AppliedPartition> partitions;
  // The number of bytes of workspace that all partitions of the delegate
  // requested. The workspace of a partition is in the arena, and only while the
  // partition runs.
  size_t workspace_bytes = 0;
  // The memory outside of the arena, as reported by the delegate and its
  // kernels.
  std::vector<DelegateMemory> memory;
  BufferCopies copies;
  // OK if the delegate is applied. Otherwise the error that prevented its
  // application or led to its removal.
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

  // These functions return the numbers of inputs and outputs, and the tensors
  // that the caller fills and reads, in the order of the graph. `i` must be
  // below the number of inputs or outputs.
  size_t input_count() const { return spec().inputs.size(); }
  size_t output_count() const { return spec().outputs.size(); }
  virtual Tensor& input(size_t i) = 0;
  const Tensor& output(size_t i) const { return tensor(spec().outputs[i]); }
  // Returns any tensor of the graph. After Invoke, the bytes of a tensor are
  // intact only with preserve_all_tensors.
  virtual const Tensor& tensor(size_t index) const = 0;

  // Changes the shape of an input. The caller must then call Allocate. Errors:
  // InvalidArgument if the input does not exist, the rank differs from that in
  // the model, or a dimension differs from one that the signature fixes;
  // FailedPrecondition while the graph is running.
  virtual absl::Status ResizeInput(size_t i, const Shape& shape) = 0;

  // Lets the delegate run the parts of the graph that it claims. Earlier
  // delegates remain applied, and the new delegate sees the graph with all of
  // their changes. The graph is prepared before the call of the delegate and
  // allocated afterwards; the contents of inputs are lost. Ownership is shared:
  // the delegate exists at least as long as it is applied.
  //
  // Errors: FailedPrecondition if the graph is running, if the delegate is
  // already applied, or, for a static delegate, if a shape depends on data;
  // InvalidArgument for null, or for claims that are not nodes of the plan;
  // those of the delegate, naming it. After an error, the graph is in its
  // previous state, with earlier delegates still applied. To restore a graph in
  // which shapes depend on data, all nodes are prepared again. If an earlier
  // delegate fails in this step, it is removed, and the graph is allocated
  // without it. If an operator or the plan fails, the caller must call
  // Allocate. In both cases, the message has the original error and the new
  // one.
  //
  // When an input is resized, Allocate applies static delegates again, in their
  // order. If a delegate fails, it is removed, the others remain, the graph is
  // allocated, and Allocate returns the error. If the memory of the delegates
  // exceeds the limit, the delegates that were applied last are removed. If the
  // graph cannot be allocated even without them, all delegates are kept for the
  // next Allocate.
  virtual absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate,
                                     const ApplyOptions& options) = 0;
  absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate) {
    return ApplyDelegate(std::move(delegate), ApplyOptions());
  }
  // Removes all delegates. The plan and the results are then the same as if no
  // delegate had been applied. If the graph was allocated, it is allocated
  // again. Errors: FailedPrecondition while the graph is running; those of
  // Allocate.
  virtual absl::Status RemoveDelegates() = 0;
  // Returns the applied delegates, in the order in which they were given. With
  // delegate_fallback, or after an input was resized, the list may also contain
  // delegates that could not be applied or that were removed.
  // AppliedDelegate::status has the reason.
  virtual std::vector<AppliedDelegate> delegates() const = 0;
  // Returns node ids in execution order. Ids below spec().operators.size() are
  // operators; all other ids are delegate nodes.
  virtual absl::Span<const int> execution_plan() const = 0;

  // Assigns the buffer `handle` of a delegate to an input or output of the
  // graph. The buffer can then hold the content of this tensor (see Delegate),
  // and the interpreter owns it. Errors: InvalidArgument if the handle is
  // negative, or if the tensor does not exist; FailedPrecondition if the
  // delegate is not applied, or if the tensor has a buffer of another delegate.
  virtual absl::Status SetBufferHandle(size_t tensor, const Delegate* delegate,
                                       int handle) = 0;
  // If `allow` is true, outputs that a delegate holds in buffers remain in
  // these buffers, and only EnsureReadable copies them to memory. The default
  // is false.
  virtual void AllowBufferHandleOutput(bool allow) = 0;
  // Makes a tensor's bytes readable after Invoke. Errors: FailedPrecondition if
  // the graph is running, if the tensor is inside a delegate node or has no
  // memory, or if the plan may have reused the memory of the tensor, which does
  // not happen with preserve_all_tensors; the error of the copy to memory.
  virtual absl::Status EnsureReadable(size_t tensor) = 0;

  // Makes the tensor use memory provided by the caller, starting with the next
  // Allocate. The tensor leaves the arena, and if it is a variable, the
  // interpreter does not reset it. The memory must outlive the interpreter, or
  // be replaced. If an allocated tensor already has memory provided by the
  // caller, Allocate only checks the new memory, and no content is lost. If
  // `check_alignment` is true, the memory must be aligned to 64 bytes. Errors:
  // InvalidArgument, naming the tensor, for null or misaligned memory, or for a
  // tensor that is a constant or has no bytes. Memory that is too small,
  // including the spare bytes that delegates request, is an error of Allocate.
  virtual absl::Status SetCustomAllocation(size_t tensor,
                                           absl::Span<uint8_t> memory,
                                           bool check_alignment) = 0;
  absl::Status SetCustomAllocation(size_t tensor, absl::Span<uint8_t> memory) {
    return SetCustomAllocation(tensor, memory, true);
  }

  // Prepares the operators and finds the lifetimes of tensors. plan() then
  // contains the graph and the lifetimes, but no offsets. The caller must call
  // Allocate before a run. Errors: InvalidArgument, naming the operator, for
  // operators that cannot run; ResourceExhausted if operator data exceeds the
  // memory limit.
  virtual absl::Status Prepare() = 0;

  // Prepares the operators, plans and allocates the memory, computes everything
  // that depends only on constants, and resets variables. The contents of
  // inputs are lost. Errors: InvalidArgument, naming the operator, for
  // operators that cannot run; ResourceExhausted above the memory limit;
  // FailedPrecondition while this graph, or the graph that holds the shared
  // arena, is running; those of the planner.
  virtual absl::Status Allocate() = 0;

  // Takes the shared arena from the subgraph that holds it, and restores the
  // plan of the last Allocate. The contents of inputs are lost, but those of
  // variables are not. Has no effect if this subgraph already holds the shared
  // arena, or if it has its own arena. Errors: FailedPrecondition before
  // Allocate, and while the subgraph that holds the arena is running;
  // ResourceExhausted above the memory limit; those of checking the memory that
  // the caller provides (SetCustomAllocation). O(tensors).
  virtual absl::Status TakeArena() = 0;

  // Runs all operators. Errors: FailedPrecondition before Allocate, and while
  // another subgraph holds the shared arena; Cancelled after a call of Cancel;
  // those of operators and observers, naming the operator.
  virtual absl::Status Invoke() = 0;

  // Stops the current run before its next operator or, if nothing is running,
  // the next run before its first operator. Thread-safe.
  virtual void Cancel() = 0;

  // Resets variables: sets their elements to zero or, if they are quantized, to
  // the zero point.
  virtual void ResetVariables() = 0;

  // Returns the plan under which the subgraph runs. Requires that Allocate has
  // succeeded. The reference is valid until the graph or its delegates change.
  virtual const MemoryPlan& plan() const = 0;
  // Returns the number of bytes that operators requested in Prepare. They keep
  // these bytes until they are prepared again.
  virtual size_t operator_data_bytes() const = 0;
};

// Runs a model. Each subgraph of the model has its own plan.
class Interpreter {
 public:
  // Creates an interpreter. Requires that the model and the options' observers
  // outlive it; the resolver is copied. Errors: InvalidArgument for options
  // that exclude each other; InvalidArgument, listing all missing operators, if
  // the resolver lacks operators in the versions that the model requires, and
  // no shadows replace them.
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

  // Returns the first subgraph. Most models have no other subgraph.
  Subgraph& primary() { return subgraph(0); }
  // Returns the subgraph with this index in model().subgraphs(). Subgraphs
  // share only resources and, if there is one, the shared arena.
  virtual Subgraph& subgraph(size_t index) = 0;
  // Returns the subgraph of a signature. Error: NotFound, listing the
  // signatures.
  absl::StatusOr<Subgraph*> FindSignature(absl::string_view key);

  // Returns the operators that run as shadows in the allocated subgraphs, by
  // subgraph and node. An operator that cannot be prepared before a shape is
  // computed at run time is included only after it has run.
  virtual std::vector<ShadowedOperator> ShadowedOperators() const = 0;

  // Calls Subgraph::ApplyDelegate for every subgraph. If a call fails, the
  // delegate is removed from all subgraphs.
  virtual absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate) = 0;
  // Calls Subgraph::RemoveDelegates for every subgraph.
  virtual absl::Status RemoveDelegates() = 0;

  // Resets the variables of all subgraphs to their initial state, and discards
  // all resources. A subgraph that runs only once (CALL_ONCE) runs again at its
  // next call.
  virtual void Reset() = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_INTERPRETER_H_
