// SPDX-License-Identifier: Apache-2.0
// Defines the interface of delegates, which run parts of a model on other
// hardware or with other kernels. To use an existing delegate, see delegates.h;
// to add an operator to this interpreter, see operator.h. kernel_tools.h lists
// the headers that help to write a delegate: options, windows, quantized
// arithmetic.
//
// A delegate selects the nodes of a graph that it runs. The interpreter gathers
// these nodes into partitions (partition.h), replaces each partition by one
// delegate node, and plans the memory again. A kernel runs one partition:
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
// The interpreter plans the memory of the tensors between the nodes of a
// partition in one of two ways:
//
//   opaque       The partition is one task. Prepare requests workspace
//                (AddWorkspace), which is in the arena while the task runs.
//                Tensors inside the partition have no memory.
//   transparent  The kernel provides the steps of the partition (Steps). Each
//                step is a task: each tensor that the step reads or writes is
//                placed in the arena for its own lifetime, as if there were no
//                delegate, and the checks of checks.h apply to every step.
//
// A delegate can be implemented in a shared library (see the end of this
// header). Errors of delegates should describe what was found and what was
// expected; the interpreter prepends the model, the subgraph, the delegate and
// the node. Only one thread at a time calls a delegate.
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

// A description of a delegate and of its requirements for graphs. It must never
// change.
struct DelegateInfo {
  std::string name;  // is "xnnpack", for example, in messages and reports
  PartitionLimits limits;
  // If false, the delegate is static: it is applied only to graphs in which all
  // shapes are known, and its kernels are created again when an input is
  // resized. If true, the delegate is applied to any graph. When an input is
  // resized, its kernels are not created but only prepared again, and they must
  // set the shapes of their outputs.
  bool allows_dynamic_tensors = false;
  // If true, the interpreter prepares the operators that the delegate replaces
  // before it prepares the delegate's kernels, so the kernels find all shapes
  // set. Has an effect only if the delegate allows dynamic tensors.
  bool wants_shapes = false;
  // The number of bytes beyond the end of a tensor that the delegate's kernels
  // may read. The results must not depend on the values of these bytes. The
  // interpreter ensures that the bytes can be read, except after constants.
  size_t spare_bytes = 0;
  // True if the delegate's kernels can read float16 constants that the model
  // converts to float32 with DEQUANTIZE. If a partition uses such a constant,
  // the constant itself is an input of the partition.
  //
  // If the delegate runs all nodes that use the result of the DEQUANTIZE, the
  // first partition with such a node also replaces the DEQUANTIZE, even if the
  // delegate has not claimed it. The kernel does not find the DEQUANTIZE among
  // its nodes. If other nodes also use the result, the DEQUANTIZE is replaced
  // only if the delegate has claimed it. In this case, it belongs to the last
  // partition before the first of these other nodes, and its result is an
  // output of this partition.
  bool reads_float16_constants = false;
};

// Memory that a delegate uses outside of the arena. It is one line of the
// memory report.
struct DelegateMemory {
  std::string what;  // is "packed weights", for example
  size_t bytes = 0;
};

// A delegate's view of a graph, valid only during the call to which it is
// passed.
class DelegateGraph {
 public:
  virtual ~DelegateGraph() = default;

  virtual const SubgraphSpec& spec() const = 0;
  virtual size_t subgraph() const = 0;  // the index of the subgraph
  // Returns node ids in execution order. Ids below spec().operators.size() are
  // operators of the model; all other ids are nodes of delegates.
  virtual absl::Span<const int> execution_plan() const = 0;
  // Returns a node of the plan. A node of a delegate appears as a custom
  // operator with the name "DELEGATE name". For an id that is not in the plan,
  // returns a node without a name.
  virtual const OperatorSpec& node(int id) const = 0;
  // Returns a tensor of the model. Its shape is known unless it depends on
  // data. Only constants have data.
  virtual const Tensor& tensor(size_t index) const = 0;
  // If a DEQUANTIZE converts a float16 constant to this float32 tensor, returns
  // the constant. Returns kAbsent for any other tensor.
  virtual size_t Float16Source(size_t tensor) const = 0;
  // Returns the operators that run the graph if there is no delegate.
  virtual const OperatorResolver& resolver() const = 0;
};

// Nodes that a kernel runs instead of the interpreter.
struct DelegatePartition {
  int node = 0;  // the id of the delegate node
  // The ids of the replaced nodes, in execution order.
  std::vector<int> nodes;
  // Inputs are tensors from outside the partition, including constants and
  // variables. Outputs are tensors that other nodes read. Both lists are in
  // ascending order.
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
};

// A task of a transparent partition.
struct PartitionStep {
  std::string name;  // is "CONV_2D", for example, in messages and profiles
  std::vector<size_t> reads;  // has tensors of the model
  std::vector<size_t> writes;
  // The tensors of `reads` that may share their memory with writes[0].
  // InPlace::kInput0 denotes reads[0], kInput1 denotes reads[1], and kInput2
  // denotes reads[2].
  InPlace in_place = InPlace::kNever;
};

// A kernel's view of its partition. Kernels must not keep pointers to tensors
// or workspace, because their memory may move.
class PartitionContext {
 public:
  virtual ~PartitionContext() = default;

  virtual const DelegateGraph& graph() const = 0;
  virtual const DelegatePartition& partition() const = 0;
  // Returns the number of the step that Invoke must run, counted from 0.
  // Returns 0 for an opaque partition.
  virtual size_t step() const = 0;

  // These functions return a tensor that the partition or the step reads or
  // writes. In Prepare, the tensor has its shape; in Invoke, it also has its
  // bytes. Errors: FailedPrecondition if the tensor is inside another partition
  // or has no bytes; InvalidArgument if the partition or the step does not
  // declare the tensor.
  virtual absl::StatusOr<const Tensor*> Read(size_t tensor) const = 0;
  virtual absl::StatusOr<Tensor*> Write(size_t tensor) = 0;

  // Requests memory in the arena that is available during the steps
  // [first_step, last_step], both inclusive. May be called only in Prepare.
  // Returns an index; in Invoke, workspace(index) returns the memory. Errors:
  // InvalidArgument for an alignment that is not a power of two, and for steps
  // that do not exist; ResourceExhausted above the memory limit.
  virtual absl::StatusOr<size_t> AddWorkspace(size_t bytes, size_t alignment,
                                              size_t first_step,
                                              size_t last_step) = 0;
  // Requests memory that is available during the whole partition. May be called
  // only in Prepare.
  virtual absl::StatusOr<size_t> AddWorkspace(size_t bytes,
                                              size_t alignment) = 0;
  // Returns the memory of a workspace in Invoke. Its content is undefined at
  // the start of the first step that may use the workspace. Returns an empty
  // span in Prepare, and for an index without a workspace.
  virtual absl::Span<uint8_t> workspace(size_t i) = 0;

  // Sets the shape of an output. Only a delegate that allows dynamic tensors
  // may call this function, either in Prepare or, if Prepare has called
  // MakeOutputDynamic, in Invoke. Setting the current shape has no effect.
  // Errors: FailedPrecondition for a static delegate; InvalidArgument for an
  // impossible shape, or for a tensor that is not an output.
  virtual absl::Status ResizeOutput(size_t tensor, const Shape& shape) = 0;
  // Declares that Invoke will set the shape of an output. May be called only in
  // Prepare. Error: FailedPrecondition for a static delegate, or in Invoke.
  virtual absl::Status MakeOutputDynamic(size_t tensor) = 0;

  // Assigns the delegate's buffer `handle` to a tensor. The buffer can then
  // hold the content of the tensor (see Delegate below). If this delegate
  // already has a buffer of the tensor, that buffer is freed. Whether the
  // tensor is stale does not change. Errors: InvalidArgument for a negative
  // handle, and for the handle of another tensor's buffer; FailedPrecondition
  // if another delegate has a buffer of the tensor.
  virtual absl::Status SetBufferHandle(size_t tensor, int handle) = 0;
  // Returns the handle of the tensor's buffer, or -1 if this delegate has no
  // buffer of the tensor.
  virtual int buffer_handle(size_t tensor) const = 0;
  // Frees the buffer of the tensor. Error: FailedPrecondition if this delegate
  // has no buffer of the tensor.
  virtual absl::Status FreeBufferHandle(size_t tensor) = 0;
  // Declares that a tensor is stale: its current content is only in its buffer,
  // and not in its memory. May be called only in Invoke. Error:
  // FailedPrecondition in Prepare, and if this delegate has no buffer of the
  // tensor.
  virtual absl::Status MarkStale(size_t tensor) = 0;
  virtual bool is_stale(size_t tensor) const = 0;
  // Copies the content of an input from its memory to its buffer. May be called
  // only in Invoke. Does nothing if the input is stale (MarkStale), because the
  // buffer already has the content. Errors: those of MarkStale, and those of
  // the delegate.
  virtual absl::Status CopyToBuffer(size_t tensor) = 0;

  // These functions are for kernels that run operators of the interpreter. They
  // do the same as the functions of the same names in OperatorContext
  // (operator.h).
  virtual ResourceVariables& resources() = 0;
  virtual absl::Status InvokeOnce(size_t subgraph) = 0;

  // Returns the budget for memory that the kernel uses outside of the arena.
  // The budget enforces InterpreterOptions::memory_limit, and outlives the
  // kernel.
  virtual MemoryBudget& memory_budget() = 0;
};

// Runs one partition. The kernel is destroyed before its delegate.
class DelegateKernel {
 public:
  virtual ~DelegateKernel() = default;

  // Returns the tasks of a transparent partition in execution order, or an
  // empty list for an opaque partition. Called once, before Prepare. A step may
  // read only constants, inputs of the partition, and tensors that earlier
  // steps write.
  virtual std::vector<PartitionStep> Steps() const { return {}; }

  // Prepares the kernel. Called when the shapes of the kernel's inputs are
  // known, before the memory is planned. If the delegate allows dynamic
  // tensors, called again whenever these shapes may have changed.
  virtual absl::Status Prepare(PartitionContext& context) = 0;

  // Runs the partition or, if it is transparent, its step context.step(). A
  // step that only converts constants with DEQUANTIZE or DENSIFY runs just
  // once, when memory is allocated.
  virtual absl::Status Invoke(PartitionContext& context) = 0;

  // Returns the memory that the kernel uses outside of the arena, for the
  // memory report.
  virtual std::vector<DelegateMemory> Memory() const { return {}; }
};

// A delegate. Derive a class and override info(), CreateKernel() and either
// CanRun() or ClaimNodes().
class Delegate {
 public:
  virtual ~Delegate() = default;

  virtual DelegateInfo info() const = 0;

  // Prepares the delegate for a graph. Called once, before CanRun or
  // ClaimNodes. If it returns an error, the delegate is not applied, and the
  // graph does not change.
  virtual absl::Status Prepare(const DelegateGraph& /*graph*/) {
    return absl::OkStatus();
  }

  // Returns whether the delegate can run the node. Called once for each node of
  // the execution plan.
  virtual bool CanRun(const DelegateGraph& /*graph*/, int /*node*/) {
    return false;
  }

  // Returns the ids of the nodes that the delegate claims, without repetitions.
  // Override this function to decide about several nodes together, and CanRun
  // to decide about each node separately.
  virtual absl::StatusOr<std::vector<int>> ClaimNodes(
      const DelegateGraph& graph) {
    std::vector<int> nodes;
    for (const int node : graph.execution_plan()) {
      if (CanRun(graph, node)) nodes.push_back(node);
    }
    return nodes;
  }

  // Creates the kernel of a partition of claimed nodes. The interpreter owns
  // the kernel.
  virtual absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
      const DelegateGraph& graph, const DelegatePartition& partition) = 0;

  // These functions are for delegates that keep tensors in buffers outside of
  // the interpreter's memory. The delegate chooses a handle for each buffer,
  // which must not be negative. Before anything else reads a stale tensor, the
  // interpreter copies its content from the buffer to the memory of the tensor.
  // The interpreter frees each handle once: when the handle is replaced, when
  // the delegate is removed, or when the interpreter is destroyed.
  virtual absl::Status CopyFromBuffer(int /*handle*/, Tensor* /*tensor*/) {
    return absl::UnimplementedError("the delegate has no buffers");
  }
  virtual absl::Status CopyToBuffer(int /*handle*/, const Tensor& /*tensor*/) {
    return absl::UnimplementedError("the delegate has no buffers");
  }
  virtual void FreeBuffer(int /*handle*/) {}

  // Returns the memory that the delegate itself uses outside of the arena, for
  // the memory report. Excludes the memory of its kernels.
  virtual std::vector<DelegateMemory> Memory() const { return {}; }
};

// Restricts the nodes that a delegate may claim, and can replace the delegate's
// own limits on partitions (DelegateInfo::limits).
struct ApplyOptions {
  // The ids of the nodes that may be claimed; claims of other nodes are
  // ignored. If not set, all nodes may be claimed.
  absl::optional<std::vector<int>> claim;
  absl::optional<PartitionLimits> limits;
};

// A request to create a delegate for each graph that needs it. RequestDelegate
// (delegates.h) makes requests from names.
struct DelegateRequest {
  std::function<absl::StatusOr<std::shared_ptr<Delegate>>()> create;
  ApplyOptions options;
  std::string name;  // the name for reports, if no delegate could be created
  // The only subgraph to which the delegate applies. If not set, the delegate
  // applies to all subgraphs.
  absl::optional<size_t> subgraph;
};

// A delegate in a shared library. The library must define the symbol
// kDelegateEntry with STOWAGE_DELEGATE_LIBRARY(function) at namespace scope.
// `function` takes the text of the delegate's options (a string_view) and
// returns absl::StatusOr<std::unique_ptr<Delegate>>. To load the library, use
// delegates.h.
struct DelegateLibrary {
  // The version of this header with which the library was compiled. Libraries
  // with a different version are refused.
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
