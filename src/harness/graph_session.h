// SPDX-License-Identifier: Apache-2.0
// A subgraph under a plan: what the interpreter hands out as Subgraph.
#ifndef STOWAGE_SRC_HARNESS_GRAPH_SESSION_H_
#define STOWAGE_SRC_HARNESS_GRAPH_SESSION_H_

#include <atomic>
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/arena_memory.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

class GraphSession final : public Subgraph {
 public:
  // `shared` must outlive this.
  GraphSession(SharedState* shared, size_t index);

  const SubgraphSpec& spec() const override { return graph_.spec(); }
  Tensor& input(size_t i) override {
    return graph_.tensors()[spec().inputs[i]];
  }
  const Tensor& tensor(size_t index) const override {
    return graph_.tensors()[index];
  }
  absl::Status ResizeInput(size_t i, const Shape& shape) override;
  absl::Status Prepare() override;
  absl::Status Allocate() override;
  absl::Status Invoke() override;
  void Cancel() override { is_cancelled_ = true; }
  void ResetVariables() override;
  const MemoryPlan& plan() const override { return plan_; }
  size_t operator_data_bytes() const override;

  void AddShadowed(std::vector<ShadowedOperator>* all) const;

 private:
  void DescribePlan();
  absl::Status CheckSizes() const;
  absl::Status Fold();
  absl::Status PlanMore();
  absl::Status InvokeNode(size_t node);
  absl::Status RunObserved(size_t node);
  absl::Status Observe(const Execution& execution, bool is_before) const;
  Execution ExecutionOf(size_t node);
  void ForgetComputedShapes();
  void FreeLastRead(size_t node);

  SharedState* shared_;
  size_t index_;
  RunningGraph graph_;
  MemoryPlan plan_;
  ArenaMemory memory_;
  bool is_allocated_ = false;
  size_t invocation_ = 0;
  std::atomic<bool> is_cancelled_{false};
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_GRAPH_SESSION_H_
