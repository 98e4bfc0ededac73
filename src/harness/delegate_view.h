// SPDX-License-Identifier: Apache-2.0
// Gives a delegate access to a running graph.
#ifndef STOWAGE_SRC_HARNESS_DELEGATE_VIEW_H_
#define STOWAGE_SRC_HARNESS_DELEGATE_VIEW_H_

#include <cstddef>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Returns the operator that computes a float32 tensor, if this operator is a
// DEQUANTIZE of a float16 constant and its result is computed only once.
// Returns nullopt for any other tensor.
absl::optional<size_t> Float16Dequantize(const RunningGraph& graph,
                                         size_t tensor);

// Returns whether the node is a DEQUANTIZE operator that converts a float16
// constant.
bool IsFloat16Dequantize(const RunningGraph& graph, int id);

class DelegateView : public DelegateGraph {
 public:
  // The graph must outlive this object.
  DelegateView(const RunningGraph* graph, const DelegateInfo& info)
      : graph_(*graph), sees_float16_(info.reads_float16_constants) {}

  const SubgraphSpec& spec() const override { return graph_.spec(); }
  size_t subgraph() const override { return graph_.index(); }
  absl::Span<const int> execution_plan() const override {
    return graph_.execution_plan();
  }
  const OperatorSpec& node(int id) const override {
    static const auto* const none = new OperatorSpec;
    const auto index = static_cast<size_t>(id);
    return index < graph_.nodes().size() ? *graph_.nodes()[index].spec : *none;
  }
  const Tensor& tensor(size_t index) const override {
    static const auto* const none = new Tensor;
    return index < graph_.tensors().size() ? graph_.tensors()[index] : *none;
  }
  size_t Float16Source(size_t tensor) const override {
    if (!sees_float16_ || tensor >= graph_.spec().tensors.size()) {
      return kAbsent;
    }
    const absl::optional<size_t> op = Float16Dequantize(graph_, tensor);
    return op ? graph_.spec().operators[*op].inputs[0] : kAbsent;
  }
  const OperatorResolver& resolver() const override {
    return graph_.resolver();
  }

 private:
  const RunningGraph& graph_;
  bool sees_float16_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_DELEGATE_VIEW_H_
