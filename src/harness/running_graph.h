// SPDX-License-Identifier: Apache-2.0
// A subgraph that is prepared and run node by node. When it runs, and where its
// tensors are in arenas, is up to graph_session.h.
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

// What the subgraphs of an interpreter share.
struct SharedState {
  SharedState(const Model& m, OperatorResolver r, const InterpreterOptions& o)
      : model(m), resolver(std::move(r)), options(o), budget(o.memory_limit) {}

  const Model& model;
  const OperatorResolver resolver;
  const InterpreterOptions options;
  MemoryBudget budget;
  OwnedResources resources{&budget};
  // See OperatorContext::InvokeOnce; by subgraph, whether it was.
  std::function<absl::Status(size_t subgraph)> invoke_once;
  std::vector<bool> was_invoked_once;
  // Held while observers are called, which may run another subgraph.
  std::recursive_mutex observing;
};

// What it reads and writes, the kernel that does, and what that has asked for:
// an operator of the model, or what a delegate runs in the place of some.
struct Node {
  const OperatorSpec* spec = nullptr;
  const OperatorRegistration* registration = nullptr;  // null if there is none
  std::unique_ptr<Kernel> kernel;  // null if there is none of the version
  std::unique_ptr<Kernel> shadow;  // runs in its place; null if the kernel does
  std::string why_shadowed;
  InPlace in_place = InPlace::kNever;  // as it runs
  std::vector<ArenaPart> parts;        // as it runs
  std::vector<size_t> temporaries;     // tensors
  std::vector<MemoryBlock> data;       // operator data
  // Constants alone determine its outputs: it runs once, unless a delegate
  // writes what it reads.
  bool is_folded = false;
  std::unique_ptr<DelegatedNode> delegated;  // null for an operator
};

// What runs at once, and what a plan has lifetimes in: a node, or a step of
// one. The plan, the run and the checks know no more of it.
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
  // By node id: operators of the model, then nodes of delegates, those that
  // others have replaced among them.
  absl::Span<const Node> nodes() const { return nodes_; }
  absl::Span<const int> execution_plan() const { return plan_; }
  absl::Span<const Task> tasks() const { return tasks_; }
  const Node& NodeOf(size_t task) const { return nodes_[tasks_[task].node]; }
  const OperatorSpec& SpecOf(size_t task) const;

  // "net.tflite: subgraph 0", and with ", operator 3 (ADD)".
  std::string Place() const;
  std::string Place(size_t task) const;
  // `status` with the task's place in front.
  absl::Status At(size_t task, const absl::Status& status) const;
  // `tensor 7 "conv1"`, ", inside delegate node 31 (xnnpack)" if no one else
  // has its content.
  std::string InsideOf(size_t tensor) const;

  // Prepares nodes from the first, up to and with one that computes the shape
  // of an output. Errors: those of kernels, naming the operator.
  absl::Status Prepare();
  // Likewise from the first that is not prepared.
  absl::Status PrepareMore();
  // Back to what Prepare has prepared. The tensors that PrepareMore has given a
  // shape keep it: see TensorTable::ResetTensor.
  void Rewind();
  // How many tasks are prepared, the first ones; and how many of them before
  // any shape was computed.
  size_t prepared() const { return prepared_; }
  size_t always_prepared() const { return always_prepared_; }
  // The first task that computes a shape; none if no shape depends on data.
  absl::optional<size_t> FirstDynamicTask() const;

  struct ReplaceOptions {
    bool fuse = true;           // a partition may have several nodes
    bool stays_static = false;  // no shape may become one that depends on data
  };
  // Puts nodes of the delegate in the place of those that it claims, and
  // prepares them. Returns the error of the delegate; the graph may be half
  // changed then.
  absl::Status Replace(Delegate* delegate, const DelegateInfo& info,
                       const ApplyOptions& apply,
                       const ReplaceOptions& options);
  // The operators of the model and nothing else; Prepare must follow.
  void DropDelegated();
  // Frees the operator data of nodes that others have replaced.
  void FreeReplaced();

  // What Replace changes, to have it back.
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
  // Prepare must follow if all nodes were prepared since it was taken.
  void Restore(const Snapshot& snapshot);
  bool WasPreparedSince(const Snapshot& snapshot) const {
    return preparations_ != snapshot.preparations;
  }

  // Requires memory for what the task reads and writes. Errors: those of its
  // kernel, naming the operator.
  absl::Status Run(size_t task);
  // Whether constants alone determine what the task writes: it runs once, when
  // memory is allocated.
  bool IsFolded(size_t task) const;

  // What lifetimes are planned for, and the places of its nodes.
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

  SharedState* shared_;
  size_t index_;
  const SubgraphSpec& spec_;
  TensorTable tensors_;
  DelegateBuffers buffers_;
  std::vector<Node> nodes_;
  std::vector<int> plan_;    // node ids in order of execution
  std::vector<Task> tasks_;  // of the plan
  std::vector<bool> folds_;  // by task
  size_t preparations_ = 0;  // of all nodes
  size_t prepared_ = 0;
  size_t always_prepared_ = 0;
  size_t always_tensors_ = 0;  // with the temporaries of these
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_RUNNING_GRAPH_H_
