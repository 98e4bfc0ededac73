// SPDX-License-Identifier: Apache-2.0
// What a kernel sees of the graph: the tensors of its node.
#ifndef STOWAGE_SRC_HARNESS_NODE_CONTEXT_H_
#define STOWAGE_SRC_HARNESS_NODE_CONTEXT_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/running_graph.h"
#include "src/harness/shared_state.h"
#include "src/harness/tensor_table.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class NodeContext : public OperatorContext {
 public:
  enum class Phase { kPrepare, kInvoke };

  // All must outlive this.
  NodeContext(SharedState* shared, TensorTable* tensors, Node* node,
              Phase phase)
      : shared_(*shared), tensors_(*tensors), node_(*node), phase_(phase) {}

  const OperatorSpec& spec() const override { return *node_.spec; }
  const Tensor& input(size_t i) const override {
    return tensors_[node_.spec->inputs[i]];
  }
  Tensor& output(size_t i) override { return tensors_[node_.spec->outputs[i]]; }
  Tensor& variable(size_t i) override {
    return tensors_[node_.spec->inputs[i]];
  }
  Tensor& temporary(size_t i) override {
    return tensors_[node_.temporaries[i]];
  }
  size_t temporary_count() const override { return node_.temporaries.size(); }
  absl::Status ResizeOutput(size_t i, const Shape& shape) override;
  void MakeOutputDynamic(size_t i) override;
  absl::StatusOr<size_t> AddTemporary(ElementType type,
                                      const Shape& shape) override;
  absl::StatusOr<void*> NewPersistentBytes(size_t bytes) override;
  ResourceVariables& resources() override { return shared_.resources; }
  absl::Status InvokeOnce(size_t subgraph) override {
    return shared_.invoke_once(subgraph);
  }

 private:
  SharedState& shared_;
  TensorTable& tensors_;
  Node& node_;
  Phase phase_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_NODE_CONTEXT_H_
