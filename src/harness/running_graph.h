// SPDX-License-Identifier: Apache-2.0
// A subgraph that is prepared and run node by node. When it runs, and where its
// tensors are in arenas, is up to graph_session.h.
#ifndef STOWAGE_SRC_HARNESS_RUNNING_GRAPH_H_
#define STOWAGE_SRC_HARNESS_RUNNING_GRAPH_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "src/harness/memory.h"
#include "src/harness/resources.h"
#include "src/harness/tensor_table.h"
#include "stowage/harness/arena_planner.h"
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
  // See OperatorContext::InvokeOnce.
  std::function<absl::Status(size_t subgraph)> invoke_once;
};

// A task: what it reads and writes, the kernel that does, and what that has
// asked for. The plan, the run and the checks know no more of it, so that a
// kernel may stand for several operators of the model.
struct Node {
  const OperatorSpec* spec = nullptr;
  const OperatorRegistration* registration = nullptr;  // null if there is none
  std::unique_ptr<Kernel> kernel;  // null if there is none of the version
  std::unique_ptr<Kernel> shadow;  // runs in its place; null if the kernel does
  std::string why_shadowed;
  InPlace in_place = InPlace::kNever;  // as it runs
  std::vector<size_t> temporaries;     // tensors
  std::vector<MemoryBlock> data;       // operator data
  bool is_folded = false;              // constants alone: computed once
};

class RunningGraph {
 public:
  // `shared` must outlive this.
  RunningGraph(SharedState* shared, size_t index);

  const SubgraphSpec& spec() const { return spec_; }
  TensorTable& tensors() { return tensors_; }
  const TensorTable& tensors() const { return tensors_; }
  absl::Span<const Node> nodes() const { return nodes_; }

  // "net.tflite: subgraph 0", and with ", operator 3 (ADD)".
  std::string Place() const;
  std::string Place(size_t node) const;
  // `status` with the node's place in front.
  absl::Status At(size_t node, const absl::Status& status) const;

  // Prepares nodes from the first, up to and with one that computes the shape
  // of an output. Errors: those of kernels, naming the operator.
  absl::Status Prepare();
  // Likewise from the first that is not prepared.
  absl::Status PrepareMore();
  // Back to what Prepare has prepared. The tensors that PrepareMore has given a
  // shape keep it: see TensorTable::ResetTensor.
  void Rewind();
  // How many nodes are prepared, the first ones; and how many of them before
  // any shape was computed.
  size_t prepared() const { return prepared_; }
  size_t always_prepared() const { return always_prepared_; }

  // Requires memory for what the node reads and writes. Errors: those of its
  // kernel, naming the operator.
  absl::Status Run(size_t node);

  // What lifetimes are planned for.
  ArenaGraph Describe() const;

 private:
  absl::Status PrepareNode(size_t index);
  absl::Status PrepareShadow(size_t index, bool has_memory_of_kernel);
  std::string WhyShadowed(size_t index, const absl::Status& prepared) const;
  bool HasEffect(const OperatorSpec& op) const;
  bool ReadsShadowedIntegers(size_t index) const;
  absl::Status CheckShapesKnown(const OperatorSpec& op) const;

  SharedState* shared_;
  size_t index_;
  const SubgraphSpec& spec_;
  TensorTable tensors_;
  std::vector<Node> nodes_;
  size_t prepared_ = 0;
  size_t always_prepared_ = 0;
  size_t always_tensors_ = 0;  // with the temporaries of these
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_RUNNING_GRAPH_H_
