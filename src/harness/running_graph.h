// SPDX-License-Identifier: Apache-2.0
// A subgraph that is prepared and run node by node. graph_session.h decides
// when it runs and where its tensors are in arenas.
#ifndef STOWAGE_SRC_HARNESS_RUNNING_GRAPH_H_
#define STOWAGE_SRC_HARNESS_RUNNING_GRAPH_H_

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
#include "src/harness/memory.h"
#include "src/harness/resources.h"
#include "src/harness/tensor_table.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// The state that the subgraphs of an interpreter share.
struct SharedState {
  SharedState(const Model& m, OperatorResolver r, const InterpreterOptions& o)
      : model(m), resolver(std::move(r)), options(o), budget(o.memory_limit) {}

  const Model& model;
  const OperatorResolver resolver;
  const InterpreterOptions options;
  MemoryBudget budget;
  OwnedResources resources{&budget};
  // Implements OperatorContext::InvokeOnce. was_invoked_once lists the
  // subgraphs that it has called.
  std::function<absl::Status(size_t subgraph)> invoke_once;
  std::vector<bool> was_invoked_once;
  // Locked while observers are called, since these may run another subgraph.
  std::recursive_mutex observing;
};

// A node: an operator of the model, or a delegate node that replaces some. It
// has its inputs and outputs, its kernel, and the memory that the kernel asked
// for.
struct Node {
  const OperatorSpec* spec = nullptr;
  const OperatorRegistration* registration = nullptr;  // null if there is none
  std::unique_ptr<Kernel> kernel;  // null if the version has none
  std::unique_ptr<Kernel> shadow;  // replaces the kernel; null if the kernel
                                   // runs
  std::string why_shadowed;
  InPlace in_place = InPlace::kNever;  // in effect
  std::vector<ArenaPart> parts;        // in effect
  std::vector<size_t> temporaries;     // tensors
  std::vector<MemoryBlock> data;       // operator data
  // True if its outputs depend on constants alone: it runs once, unless a
  // delegate writes its inputs.
  bool is_folded = false;
  std::unique_ptr<DelegatedNode> delegated;  // null for an operator
};

// The unit of execution and of lifetimes in plans: a node, or a step of one.
// The plan, the run and the checks only use tasks.
struct Task {
  size_t node = 0;
  size_t step = 0;
};

class RunningGraph {
 public:
  // `shared` must outlive this.
  RunningGraph(SharedState* shared, size_t index);

  const SubgraphSpec& spec() const { return spec_; }
  size_t index() const { return index_; }
  const OperatorResolver& resolver() const { return shared_->resolver; }
  TensorTable& tensors() { return tensors_; }
  const TensorTable& tensors() const { return tensors_; }
  DelegateBuffers& buffers() { return buffers_; }
  const DelegateBuffers& buffers() const { return buffers_; }
  // Indexed by node id: operators of the model, then delegate nodes, including
  // those that were replaced.
  absl::Span<const Node> nodes() const { return nodes_; }
  absl::Span<const int> execution_plan() const { return plan_; }
  absl::Span<const Task> tasks() const { return tasks_; }
  const Node& NodeOf(size_t task) const { return nodes_[tasks_[task].node]; }
  const OperatorSpec& SpecOf(size_t task) const;

  // Returns "net.tflite: subgraph 0", and with a task also ", operator 3
  // (ADD)".
  std::string Place() const;
  std::string Place(size_t task) const;
  // Returns `status` with the task's place in front.
  absl::Status At(size_t task, const absl::Status& status) const;
  // Returns `tensor 7 "conv1"`, and ", inside delegate node 31 (xnnpack)" if
  // only that node has its content.
  std::string InsideOf(size_t tensor) const;

  // Prepares nodes from the first one up to and including one that computes the
  // shape of an output. Errors: those of kernels, naming the operator.
  absl::Status Prepare();
  // Continues from the first node that is not prepared.
  absl::Status PrepareMore();
  // Prepares an operator of the model by itself, after those before it. Returns
  // whether the outputs have the shapes that its kernel computes. If the
  // operator has no kernel, its kernel refuses it, or the shapes depend on
  // data, returns false, and the outputs have the shapes of the model.
  bool PrepareAlone(size_t op);
  // Returns to the state after Prepare. The tensors that PrepareMore has given
  // a shape keep it: see TensorTable::ResetTensor.
  void Rewind();
  // Return the number of first tasks that are prepared now, and of those that
  // were prepared before any shape was computed from data.
  size_t prepared() const { return prepared_; }
  size_t always_prepared() const { return always_prepared_; }
  // Returns the first task that computes a shape; none if no shape depends on
  // data.
  absl::optional<size_t> FirstDynamicTask() const;

  struct ReplaceOptions {
    bool fuse = true;           // a partition may have several nodes
    bool stays_static = false;  // no shape may begin to depend on data
  };
  // Replaces the nodes that the delegate claims by delegate nodes, and prepares
  // these. Returns the error of the delegate; the graph may then be half
  // changed.
  absl::Status Replace(Delegate* delegate, const DelegateInfo& info,
                       const ApplyOptions& apply,
                       const ReplaceOptions& options);
  // Returns to the operators of the model alone; Prepare must follow.
  void DropDelegated();
  // Frees the operator data of nodes that are replaced.
  void FreeReplaced();

  // The state that Replace changes, for restoring it.
  struct Snapshot {
    size_t nodes = 0;
    std::vector<int> plan;
    std::vector<Tensor> tensors;
    size_t prepared = 0;
    size_t always_prepared = 0;
    size_t always_tensors = 0;
    size_t preparations = 0;
  };
  Snapshot TakeSnapshot() const;
  // Prepare must follow if all nodes were prepared since the snapshot.
  void Restore(const Snapshot& snapshot);
  bool WasPreparedSince(const Snapshot& snapshot) const {
    return preparations_ != snapshot.preparations;
  }

  // Runs a task. Requires memory for its inputs and outputs. Errors: those of
  // its kernel, naming the operator.
  absl::Status Run(size_t task);
  // Returns whether the outputs of the task depend on constants alone: it then
  // runs once, when memory is allocated.
  bool IsFolded(size_t task) const;

  // Return the graph for which lifetimes are planned, and the places of its
  // tasks.
  ArenaGraph Describe() const;
  std::vector<std::string> TaskPlaces() const;

 private:
  void SetPlan(std::vector<int> plan);
  std::string NodePlace(size_t node) const;
  std::string TaskPlace(size_t task) const;
  bool HasDynamicOutput(size_t node) const;
  absl::Status PrepareNode(size_t index);
  absl::Status PrepareDelegated(size_t index, bool knows_shapes);
  absl::Status PrepareReplaced(const DelegatedNode& node);
  absl::Status PrepareAdded(size_t first_new, bool stays_static);
  absl::Status RunDelegated(size_t index, size_t step);
  bool MayFold(size_t task) const;
  absl::Status PrepareShadow(size_t index, bool has_memory_of_kernel);
  std::string WhyShadowed(size_t index, const absl::Status& prepared) const;
  bool HasEffect(const OperatorSpec& op) const;
  absl::Status CheckCustomOutputs(const OperatorSpec& op) const;
  bool ReadsShadowedIntegers(size_t index) const;
  absl::Status CheckShapesKnown(const OperatorSpec& op) const;
  absl::Status CheckWritten(const OperatorSpec& op) const;
  bool IsScratch(size_t tensor) const {
    return tensor < spec_.tensors.size() && spec_.tensors[tensor].is_scratch;
  }

  SharedState* shared_;
  size_t index_;
  const SubgraphSpec& spec_;
  TensorTable tensors_;
  DelegateBuffers buffers_;
  std::vector<Node> nodes_;
  std::vector<int> plan_;    // node ids in order of execution
  std::vector<Task> tasks_;  // of the plan
  std::vector<bool> folds_;  // by task
  size_t preparations_ = 0;  // counts preparations of all nodes
  size_t prepared_ = 0;
  size_t always_prepared_ = 0;
  size_t always_tensors_ = 0;  // tensors when always_prepared_ was set
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_RUNNING_GRAPH_H_
