// SPDX-License-Identifier: Apache-2.0
// Calls the kernel of a node, and gives it access to the tensors of the node.
// call_delegate.h calls kernels of delegates.
#ifndef STOWAGE_SRC_HARNESS_NODE_CONTEXT_H_
#define STOWAGE_SRC_HARNESS_NODE_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "src/harness/call_frames.h"
#include "src/harness/resources.h"
#include "src/harness/running_graph.h"
#include "src/harness/tensor_table.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

// Gives the kernel of a node access to the tensors of the node.
class NodeContext : public OperatorContext {
 public:
  enum class Phase { kPrepare, kInvoke };

  // All arguments must outlive this object.
  NodeContext(SharedState* shared, RunningGraph* graph, Node* node, Phase phase,
              size_t task = 0)
      : shared_(*shared),
        frames_(graph->frames()),
        tensors_(graph->tensors()),
        node_(*node),
        phase_(phase),
        task_(task) {}

  // Call the kernel. Errors: those of the kernel; ResourceExhausted if the
  // kernel throws std::bad_alloc; Internal if it throws another exception.
  absl::Status Prepare(Kernel& kernel);
  absl::Status Invoke(Kernel& kernel);

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
  void DeclareInputPart(size_t input, size_t output, size_t at) override {
    DeclarePart({node_.spec->inputs[input], node_.spec->outputs[output], at});
  }
  void DeclareOutputPart(size_t output, size_t input, size_t at) override {
    DeclarePart({node_.spec->outputs[output], node_.spec->inputs[input], at});
  }
  absl::StatusOr<void*> NewPersistentBytes(size_t bytes) override;
  ResourceVariables& resources() override { return shared_.resources; }
  absl::Status InvokeOnce(size_t subgraph) override {
    return frames_.InvokeOnce(subgraph);
  }
  absl::StatusOr<std::vector<CallTensor>> PrepareCall(
      size_t subgraph, absl::Span<const CallTensor> arguments) override {
    return frames_.Prepare(&node_, subgraph, arguments);
  }
  absl::StatusOr<std::vector<const Tensor*>> Call(
      size_t subgraph, absl::Span<const Tensor* const> arguments) override {
    return frames_.Call(task_, subgraph, arguments);
  }
  absl::Span<uint8_t> CopyScratch(size_t place) override {
    return frames_.CopyScratch(task_, place);
  }
  LoopRule loop_rule() const override {
    return {shared_.options.max_turns,
            shared_.options.shadow == ShadowMode::kAll};
  }

 private:
  // Has no effect in Invoke, because the plan already exists then. Kernels with
  // shapes that depend on data call this function in Invoke.
  void DeclarePart(const ArenaPart& part) {
    if (phase_ == Phase::kPrepare) node_.parts.push_back(part);
  }
  absl::Status CheckOutput(size_t i) const;

  SharedState& shared_;
  CallFrames& frames_;
  TensorTable& tensors_;
  Node& node_;
  Phase phase_;
  size_t task_;  // matters in Invoke alone
  // An error of MakeOutputDynamic, which cannot return a status itself.
  absl::Status status_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_NODE_CONTEXT_H_
