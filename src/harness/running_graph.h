// SPDX-License-Identifier: Apache-2.0
// Prepares and runs a subgraph node by node. graph_session.h determines when
// the subgraph runs, and graph_states.h defines what is known about its memory.
#ifndef STOWAGE_SRC_HARNESS_RUNNING_GRAPH_H_
#define STOWAGE_SRC_HARNESS_RUNNING_GRAPH_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/delegate_buffers.h"
#include "src/harness/delegated_node.h"
#include "src/harness/resources.h"
#include "src/harness/tensor_table.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shared_arena.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

class CallFrames;

// The state that the subgraphs of an interpreter share.
struct SharedState {
  SharedState(const Model& m, OperatorResolver r, const InterpreterOptions& o)
      : model(m),
        resolver(std::move(r)),
        options(o),
        own_budget(o.memory_limit),
        budget(o.shared_arena != nullptr ? o.shared_arena->budget_
                                         : own_budget) {}

  const Model& model;
  const OperatorResolver resolver;
  const InterpreterOptions options;
  MemoryBudget own_budget;
  MemoryBudget& budget;  // `own_budget`, or that of the shared arena
  OwnedResources resources{&budget,
                           std::max(kBlockAlignment, options.tensor_alignment)};
  // For each subgraph, whether OperatorContext::InvokeOnce has called it.
  std::vector<bool> was_invoked_once;
  // Delegates that are applied to every subgraph, including subgraphs that are
  // called for the first time later.
  std::vector<std::shared_ptr<Delegate>> applied_to_all;
  // Locked while observers are called. The mutex is recursive because an
  // observer may run another subgraph.
  std::recursive_mutex observing;
};

// A node of the graph: an operator of the model, or a delegate node that
// replaces several operators. Holds the inputs and outputs of the node, its
// kernel, and the memory that the kernel has requested.
struct Node {
  const OperatorSpec* spec = nullptr;
  // The registration of the operator; null if the resolver has none.
  const OperatorRegistration* registration = nullptr;
  // Null if this version of the operator has no kernel.
  std::unique_ptr<Kernel> kernel;
  // The shadow that runs in place of the kernel; null if the kernel runs.
  std::unique_ptr<Kernel> shadow;
  std::string why_shadowed;
  InPlace in_place = InPlace::kNever;  // the kind of sharing that applies
  std::vector<ArenaPart> parts;        // the parts that apply
  std::vector<size_t> temporaries;     // has indices of tensors
  std::vector<MemoryBlock> data;       // has operator data
  // True if the outputs of the node depend only on constants. The node then
  // runs only once, unless a delegate writes its inputs.
  bool is_folded = false;
  // True if the outputs of the node depend only on shapes and constants, and
  // were computed when the node was prepared. Such a node does not run at all.
  bool is_known = false;
  std::unique_ptr<DelegatedNode> delegated;  // is null for an operator
};

// The unit of execution and of lifetimes in a plan: a node, or one step of a
// delegate node. The plan, the run and the checks refer only to tasks, not to
// nodes.
struct Task {
  size_t node = 0;
  size_t step = 0;
};

// Returns whether the operator has effects besides writing its outputs.
bool HasEffect(const OperatorSpec& op, const TensorTable& tensors);

// Returns whether the operator reads the elements of its inputs. SHAPE reads
// only their shapes.
bool ReadsElements(const OperatorSpec& op);

class RunningGraph {
 public:
  // Requires that `shared` and `frames` outlive this object. The operators of
  // the graph call other subgraphs through `frames`.
  RunningGraph(SharedState* shared, size_t index, CallFrames* frames);

  const SubgraphSpec& spec() const { return spec_; }
  size_t index() const { return index_; }
  const OperatorResolver& resolver() const { return shared_->resolver; }
  const Model& model() const { return shared_->model; }
  CallFrames& frames() const { return *frames_; }
  TensorTable& tensors() { return tensors_; }
  const TensorTable& tensors() const { return tensors_; }
  DelegateBuffers& buffers() { return buffers_; }
  const DelegateBuffers& buffers() const { return buffers_; }
  // Nodes are indexed by their id. The operators of the model, including
  // replaced operators, come first, followed by the delegate nodes.
  absl::Span<const Node> nodes() const { return nodes_; }
  absl::Span<const int> execution_plan() const { return plan_; }
  absl::Span<const Task> tasks() const { return tasks_; }
  const Node& NodeOf(size_t task) const { return nodes_[tasks_[task].node]; }
  const OperatorSpec& SpecOf(size_t task) const;

  // Return the place of the graph for messages, "net.tflite: subgraph 0",
  // followed by ", operator 3 (ADD)" for a task.
  std::string Place() const;
  std::string Place(size_t task) const;
  // Return `status` with the place of the task or of the tensor in front of its
  // message.
  absl::Status At(size_t task, const absl::Status& status) const;
  absl::Status AtTensor(size_t tensor, const absl::Status& status) const;
  // Returns the text `tensor 7 "conv1"`, followed by ", inside delegate node 31
  // (xnnpack)" if only a delegate node has the contents of the tensor.
  std::string InsideOf(size_t tensor) const;

  // Prepares nodes up to and including the first node that computes the shape
  // of an output only while it runs. Stops before a node that reads an argument
  // of varying shape (TensorTable::Varies). Errors: those of kernels, with the
  // operator and the delegate in the message.
  absl::Status Prepare();
  // Returns whether the graph is prepared: Prepare has succeeded since delegate
  // nodes were last dropped and since shapes or storage last changed.
  bool is_prepared() const { return before_run_.has_value(); }
  // Records that shapes or storage have changed.
  void Outdate() { before_run_.reset(); }
  // Prepares further nodes, beginning with the first node that is not prepared.
  absl::Status PrepareMore();
  // Prepares a single operator of the model. Must be called for all operators
  // in order, because it uses the shapes that earlier operators have set.
  // Returns true if the kernel has computed the shapes of the outputs. Returns
  // false if the operator has no kernel, if its kernel refuses it, or if the
  // shapes depend on data; the outputs then have the shapes of the model.
  bool PrepareAlone(size_t op);
  // Restores the state of the graph after Prepare. Tensors keep the shapes that
  // PrepareMore has given them until TensorTable::ResetTensor is called.
  void Rewind();
  // prepared() returns how many tasks, counted from the first one, are prepared
  // now. always_prepared() returns how many of them were prepared before any
  // shape was computed from data; it requires is_prepared().
  size_t prepared() const { return prepared_; }
  size_t always_prepared() const { return before_run_->tasks; }
  // Returns the first task that computes a shape from data or reads an argument
  // of varying shape, or nullopt if there is none. Requires is_prepared().
  absl::optional<size_t> FirstDynamicTask() const;
  // Returns whether the shape of the tensor is the same in every run. Requires
  // is_prepared().
  bool HasKnownShape(size_t tensor) const;

  struct ReplaceOptions {
    bool fuse = true;  // says whether a partition may have more than one node
    // True if a replacement that makes shapes depend on data must be refused.
    bool stays_static = false;
  };
  // Replaces the nodes that the delegate claims by delegate nodes, and prepares
  // the new nodes. Returns the error of the delegate if it fails, after which
  // the graph may be partially changed.
  absl::Status Replace(Delegate* delegate, const DelegateInfo& info,
                       const ApplyOptions& apply,
                       const ReplaceOptions& options);
  // Removes all delegate nodes, so that only the operators of the model remain.
  // Prepare must be called afterwards.
  void DropDelegated();
  // Frees the operator data of replaced nodes.
  void FreeReplaced();

  // The state before any shape was computed from data: the number of prepared
  // tasks, and the number of tensors including the temporaries of these tasks.
  struct BeforeRun {
    size_t tasks = 0;
    size_t tensors = 0;
  };
  // The state that Replace changes, so that it can be restored.
  struct Snapshot {
    size_t nodes = 0;
    std::vector<int> plan;
    std::vector<Tensor> tensors;
    size_t prepared = 0;
    absl::optional<BeforeRun> before_run;
    size_t preparations = 0;
  };
  Snapshot TakeSnapshot() const;
  // Restores a snapshot. If all nodes have been prepared again since the
  // snapshot, Prepare must be called afterwards.
  void Restore(const Snapshot& snapshot);
  bool WasPreparedSince(const Snapshot& snapshot) const {
    return preparations_ != snapshot.preparations;
  }

  // Runs a task. Requires that its inputs and outputs have memory. Errors:
  // those of its kernel, with the operator and the delegate in the message.
  absl::Status Run(size_t task);
  // Returns whether the outputs of the task depend only on constants or on
  // shapes that are known before a run. Such a task runs only once, when memory
  // is allocated.
  bool IsFolded(size_t task) const;

  // Describe returns the graph in the form from which lifetimes are planned.
  // TaskPlaces returns the name of each task for messages.
  ArenaGraph Describe() const;
  std::vector<std::string> TaskPlaces() const;

 private:
  void SetPlan(std::vector<int> plan);
  std::string NodePlace(size_t node) const;
  std::string TaskPlace(size_t task) const;
  bool HasDynamicOutput(size_t node) const;
  bool ReadsVarying(size_t node) const;
  absl::Status PrepareTasks(bool is_before_run);
  absl::Status PrepareNode(size_t index);
  absl::Status PrepareDelegated(size_t index, bool knows_shapes);
  absl::Status PrepareReplaced(const DelegatedNode& node);
  absl::Status PrepareAdded(size_t first_new, bool stays_static);
  absl::Status RunDelegated(size_t index, size_t step);
  absl::Status CheckResized(const OperatorSpec& op) const;
  bool MayFold(size_t task) const;
  absl::Status PrepareShadow(size_t index, bool has_memory_of_kernel);
  bool MayKnow(size_t index) const;
  bool ComputeKnown(size_t index);
  void ForgetKnown(size_t index);
  std::string WhyShadowed(size_t index, const absl::Status& prepared) const;
  bool ReadsShadowedIntegers(size_t index) const;
  bool IsScratch(size_t tensor) const {
    return tensor < spec_.tensors.size() && spec_.tensors[tensor].is_scratch;
  }

  SharedState* shared_;
  CallFrames* frames_;
  size_t index_;
  const SubgraphSpec& spec_;
  TensorTable tensors_;
  DelegateBuffers buffers_;
  std::vector<Node> nodes_;
  std::vector<int> plan_;    // the ids of nodes, in order of execution
  std::vector<Task> tasks_;  // the tasks of the plan
  std::vector<bool> folds_;  // says for each task whether it is folded
  size_t preparations_ = 0;  // counts how often all nodes were prepared
  size_t prepared_ = 0;
  // Nullopt unless the graph is prepared.
  absl::optional<BeforeRun> before_run_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_RUNNING_GRAPH_H_
