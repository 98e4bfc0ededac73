// SPDX-License-Identifier: Apache-2.0
// The interface of delegates: what runs parts of a model elsewhere, or by other
// kernels. To use a delegate that there is see delegates.h; to add an operator
// to this interpreter, operator.h.
//
// A delegate says which nodes of a graph it runs. The interpreter gathers these
// into partitions (partition.h), puts one delegate node in the place of each,
// and plans the memory again. A kernel runs one partition:
//
//   class Doubler : public Delegate {
//     DelegateInfo info() const override { return {"doubler"}; }
//     bool CanRun(const DelegateGraph& graph, int node) override {
//       return graph.node(node).name == "ADD";
//     }
//     absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
//         const DelegateGraph& graph,
//         const DelegatePartition& partition) override { ... }
//   };
//   interpreter->primary().ApplyDelegate(std::make_shared<Doubler>());
//
// The memory between the nodes of a partition is planned by the interpreter,
// in one of two ways:
//
//   opaque       The partition is one task. Prepare states how many bytes of
//                workspace it needs (AddWorkspace); they are in the arena while
//                the task runs. Tensors inside the partition have no memory.
//   transparent  The kernel hands over the steps of the partition (Steps). Each
//                is a task: what it reads and writes is placed in the arena for
//                its own lifetime, as if no delegate were there, and the checks
//                of checks.h are made around every step.
//
// Everything here can be implemented in a shared library (the end of this
// header). Errors of delegates say what was found and what was expected; the
// interpreter puts model, subgraph, delegate and node in front. A delegate is
// called by one thread at a time.
#ifndef STOWAGE_HARNESS_DELEGATE_H_
#define STOWAGE_HARNESS_DELEGATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/partition.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// What a delegate is, and what it asks of graphs. Constant for one delegate.
struct DelegateInfo {
  std::string name;  // "xnnpack": in messages and reports
  PartitionLimits limits;
  // A delegate of the static kind, the default, is applied to graphs whose
  // shapes are all known, and its kernels are made anew when an input is
  // resized. One that allows dynamic tensors is applied to any graph; its
  // kernels stay, and are prepared again. They set the shapes of their outputs.
  bool allows_dynamic_tensors = false;
  // For a delegate that allows dynamic tensors: the operators that it replaces
  // are prepared before its kernels, so that these find all shapes set.
  bool wants_shapes = false;
  // Bytes after the last of a tensor that its kernels may read, and ignore. The
  // interpreter sees to it that they can be read, but for constants.
  size_t spare_bytes = 0;
  // Its kernels read constants of float16 where the model turns these into
  // float32 by DEQUANTIZE: the partition then has the constant as its input. A
  // DEQUANTIZE that nobody else needs is replaced, too, claimed or not, and is
  // not among the nodes that the kernel sees. One that others need is, if it
  // was claimed, in the last partition before them, and its result is an
  // output.
  bool reads_float16_constants = false;
};

// Bytes that a delegate has beside the arena: a line of the memory report.
struct DelegateMemory {
  std::string what;  // "packed weights"
  size_t bytes = 0;
};

// What a delegate sees of a graph. Valid during the call that it is handed to.
class DelegateGraph {
 public:
  virtual ~DelegateGraph() = default;

  virtual const SubgraphSpec& spec() const = 0;
  virtual size_t subgraph() const = 0;  // its index
  // Node ids in order of execution. Ids below spec().operators.size() are
  // operators of the model; others are nodes of delegates.
  virtual absl::Span<const int> execution_plan() const = 0;
  // A node of the plan; without a name for any other id. One of a delegate is a
  // custom operator "DELEGATE name".
  virtual const OperatorSpec& node(int id) const = 0;
  // A tensor of the model. Its shape is known where it does not depend on data;
  // only constants have data.
  virtual const Tensor& tensor(size_t index) const = 0;
  // The float16 constant that a DEQUANTIZE turns into this float32 tensor;
  // kAbsent for any other.
  virtual size_t Float16Source(size_t tensor) const = 0;
  // The operators that the graph runs where no delegate does.
  virtual const OperatorResolver& resolver() const = 0;
};

// Nodes that a kernel runs in the place of the interpreter.
struct DelegatePartition {
  int node = 0;  // the id of the delegate node
  std::vector<int>
      nodes;  // the ids of those it replaces, in order of execution
  // Tensors from outside, constants and variables among them, and tensors that
  // others read: ascending.
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
};

// A task of a transparent partition.
struct PartitionStep {
  std::string name;           // "CONV_2D": in messages and profiles
  std::vector<size_t> reads;  // tensors of the model
  std::vector<size_t> writes;
  // Which of `reads` writes[0] may take over the memory of: operator.h.
  InPlace in_place = InPlace::kNever;
};

// What a kernel sees of its partition. Kernels keep no pointer to tensors or
// workspace: these move.
class PartitionContext {
 public:
  virtual ~PartitionContext() = default;

  virtual const DelegateGraph& graph() const = 0;
  virtual const DelegatePartition& partition() const = 0;
  // In Invoke: which step is to run, from 0; 0 for an opaque partition.
  virtual size_t step() const = 0;

  // A tensor that the partition, or the step, reads or writes; in Prepare its
  // shape, in Invoke its bytes. Errors: FailedPrecondition if it is inside
  // another partition, or has no bytes; InvalidArgument if it is not one that
  // the partition, or the step, declares.
  virtual absl::StatusOr<const Tensor*> Read(size_t tensor) const = 0;
  virtual absl::StatusOr<Tensor*> Write(size_t tensor) = 0;

  // In Prepare: memory in the arena during steps [first_step, last_step], both
  // inclusive. Returns its index for workspace(). Errors: InvalidArgument for
  // an alignment that is not a power of two, or steps that do not exist;
  // ResourceExhausted above the memory limit.
  virtual absl::StatusOr<size_t> AddWorkspace(size_t bytes, size_t alignment,
                                              size_t first_step,
                                              size_t last_step) = 0;
  // During the whole partition.
  virtual absl::StatusOr<size_t> AddWorkspace(size_t bytes,
                                              size_t alignment) = 0;
  // In Invoke; it holds anything when its first step begins. Empty if there is
  // none of that index.
  virtual absl::Span<uint8_t> workspace(size_t i) = 0;

  // Sets the shape of an output: in Prepare, of a delegate that allows dynamic
  // tensors; in Invoke, if Prepare has called MakeOutputDynamic. Setting the
  // shape that it has does nothing. Errors: FailedPrecondition for a delegate
  // of the static kind; InvalidArgument for an impossible shape, or what is not
  // an output.
  virtual absl::Status ResizeOutput(size_t tensor, const Shape& shape) = 0;
  // In Prepare: Invoke will set the shape. Error: FailedPrecondition for a
  // delegate of the static kind, or in Invoke.
  virtual absl::Status MakeOutputDynamic(size_t tensor) = 0;

  // Buffers of the delegate that hold what a tensor holds (Delegate, below).
  // SetBufferHandle frees the one that the tensor had; whether the tensor is
  // stale stays as it is. Errors: InvalidArgument for a negative handle, or one
  // that another tensor has; FailedPrecondition if the tensor has
  // a buffer of another delegate.
  virtual absl::Status SetBufferHandle(size_t tensor, int handle) = 0;
  // -1: the tensor has no buffer of this delegate.
  virtual int buffer_handle(size_t tensor) const = 0;
  // Frees it. Error: FailedPrecondition if the tensor has no buffer of this
  // delegate.
  virtual absl::Status FreeBufferHandle(size_t tensor) = 0;
  // In Invoke: the buffer holds what the tensor is to hold, its memory does
  // not. Error: FailedPrecondition if the tensor has no buffer of this
  // delegate, or in Prepare.
  virtual absl::Status MarkStale(size_t tensor) = 0;
  virtual bool is_stale(size_t tensor) const = 0;
  // In Invoke: CopyToBuffer for an input that is not stale. Errors: likewise.
  virtual absl::Status CopyToBuffer(size_t tensor) = 0;

  // For kernels that run operators of the interpreter: operator.h.
  virtual ResourceVariables& resources() = 0;
  virtual absl::Status InvokeOnce(size_t subgraph) = 0;

  // What counts against InterpreterOptions::memory_limit: for memory that the
  // kernel has beside the arena. Outlives the kernel.
  virtual MemoryBudget& memory_budget() = 0;
};

// Runs one partition. Destroyed before its delegate.
class DelegateKernel {
 public:
  virtual ~DelegateKernel() = default;

  // The tasks of a transparent partition, in order of execution; none for an
  // opaque one. Called once, before Prepare. A tensor inside the partition is
  // one that an earlier step writes.
  virtual std::vector<PartitionStep> Steps() const { return {}; }

  // Called when the shapes of inputs are known, before the memory is planned.
  // Of a delegate that allows dynamic tensors it is called again whenever they
  // may have changed.
  virtual absl::Status Prepare(PartitionContext& context) = 0;

  // Runs the partition, or the step context.step() of it. A step that writes
  // the result of DEQUANTIZE or DENSIFY of constants, and nothing else, is run
  // once, when memory is allocated.
  virtual absl::Status Invoke(PartitionContext& context) = 0;

  // What it has beside the arena, for the memory report.
  virtual std::vector<DelegateMemory> Memory() const { return {}; }
};

class Delegate {
 public:
  virtual ~Delegate() = default;

  virtual DelegateInfo info() const = 0;

  // Called once before a graph's nodes are asked about. An error refuses the
  // graph, which stays as it is.
  virtual absl::Status Prepare(const DelegateGraph& /*graph*/) {
    return absl::OkStatus();
  }

  // Whether it runs the node; asked once for each node of the execution plan.
  virtual bool CanRun(const DelegateGraph& /*graph*/, int /*node*/) {
    return false;
  }

  // Ids of the nodes that it runs, none of them twice. For delegates that
  // decide about several nodes at once; others have CanRun.
  virtual absl::StatusOr<std::vector<int>> ClaimNodes(
      const DelegateGraph& graph) {
    std::vector<int> nodes;
    for (const int node : graph.execution_plan()) {
      if (CanRun(graph, node)) nodes.push_back(node);
    }
    return nodes;
  }

  // The kernel of a partition of nodes that it claimed. The interpreter owns
  // it.
  virtual absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
      const DelegateGraph& graph, const DelegatePartition& partition) = 0;

  // Buffers outside the interpreter's memory that hold tensors. A handle is any
  // number from 0 that the delegate gives, and names one buffer. The
  // interpreter copies a stale tensor before anyone else reads it, and frees
  // each handle once: when it is replaced, when the delegate is removed, or
  // when the interpreter is destroyed.
  virtual absl::Status CopyFromBuffer(int /*handle*/, Tensor* /*tensor*/) {
    return absl::UnimplementedError("the delegate has no buffers");
  }
  virtual absl::Status CopyToBuffer(int /*handle*/, const Tensor& /*tensor*/) {
    return absl::UnimplementedError("the delegate has no buffers");
  }
  virtual void FreeBuffer(int /*handle*/) {}

  // What it has beside the arena and its kernels, for the memory report.
  virtual std::vector<DelegateMemory> Memory() const { return {}; }
};

// The nodes a delegate may claim, and limits, in the place of its own.
struct ApplyOptions {
  // Node ids: its claims of others do not count. Without a value: all do.
  absl::optional<std::vector<int>> claim;
  absl::optional<PartitionLimits> limits;
};

// Makes a delegate for each graph that is to have one. RequestDelegate
// (delegates.h) makes requests of names.
struct DelegateRequest {
  std::function<absl::StatusOr<std::shared_ptr<Delegate>>()> create;
  ApplyOptions options;
  std::string name;  // in reports, where there is no delegate to ask
  // The only subgraph that it is for; without a value: all of them.
  absl::optional<size_t> subgraph;
};

// A delegate in a shared library: the library defines the one symbol
// kDelegateEntry by STOWAGE_DELEGATE_LIBRARY(function), at namespace scope,
// where `function` takes the text of its options (a string_view) and returns
// absl::StatusOr<std::unique_ptr<Delegate>>. Load it by delegates.h.
struct DelegateLibrary {
  // Of this header, as the library was compiled: another one is refused.
  uint32_t version = 0;
  absl::StatusOr<std::unique_ptr<Delegate>> (*create)(absl::string_view) =
      nullptr;
};
inline constexpr uint32_t kDelegateVersion = 1;
inline constexpr char kDelegateEntry[] = "stowage_delegate_library";

#define STOWAGE_DELEGATE_LIBRARY(function)                     \
  extern "C" __attribute__((visibility("default")))            \
  const stowage::harness::DelegateLibrary*                     \
  stowage_delegate_library();                                  \
  extern "C" const stowage::harness::DelegateLibrary*          \
  stowage_delegate_library() {                                 \
    static const stowage::harness::DelegateLibrary library = { \
        stowage::harness::kDelegateVersion, &(function)};      \
    return &library;                                           \
  }                                                            \
  static_assert(true, "")

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_DELEGATE_H_
