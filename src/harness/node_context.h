// SPDX-License-Identifier: Apache-2.0
// What a kernel sees: a node of a subgraph.
#ifndef STOWAGE_SRC_HARNESS_NODE_CONTEXT_H_
#define STOWAGE_SRC_HARNESS_NODE_CONTEXT_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/graph_runner.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class NodeContext : public OperatorContext {
 public:
  enum class Phase { kPrepare, kInvoke };

  NodeContext(GraphRunner* graph, size_t node, Phase phase)
      : graph_(*graph), node_(graph->nodes_[node]), phase_(phase) {}

  const OperatorSpec& spec() const override { return *node_.spec; }
  const Tensor& input(size_t i) const override {
    return graph_.tensors_[node_.spec->inputs[i]];
  }
  Tensor& output(size_t i) override {
    return graph_.tensors_[node_.spec->outputs[i]];
  }
  Tensor& variable(size_t i) override {
    return graph_.tensors_[node_.spec->inputs[i]];
  }
  Tensor& temporary(size_t i) override {
    return graph_.tensors_[node_.temporaries[i]];
  }
  size_t temporary_count() const override { return node_.temporaries.size(); }
  absl::Status ResizeOutput(size_t i, const Shape& shape) override;
  void MakeOutputDynamic(size_t i) override;
  absl::StatusOr<size_t> AddTemporary(ElementType type,
                                      const Shape& shape) override;
  absl::StatusOr<void*> NewPersistentBytes(size_t bytes) override;
  ResourceVariables& resources() override;
  absl::Status InvokeOnce(size_t subgraph) override;

 private:
  GraphRunner& graph_;
  Node& node_;
  Phase phase_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_NODE_CONTEXT_H_
