// SPDX-License-Identifier: Apache-2.0
// Gives the kernel of an operator inside a partition access to the tensors of
// the operator. Implements OperatorContext on top of a PartitionContext.
#ifndef STOWAGE_SRC_DELEGATES_REFERENCE_NODE_CONTEXT_H_
#define STOWAGE_SRC_DELEGATES_REFERENCE_NODE_CONTEXT_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/delegates/reference/inner_tensors.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness::reference {

struct InnerNode {
  size_t id = 0;
  const OperatorSpec* spec = nullptr;
  std::unique_ptr<Kernel> kernel;
  InPlace in_place = InPlace::kNever;
  // True if the outputs depend only on constants and are read only within the
  // partition. Such outputs are computed in Prepare.
  bool is_folded = false;

  // The temporaries and the memory that the kernel has requested since it was
  // last prepared. A temporary has no memory until its `data` is set.
  std::deque<Tensor> temporaries;
  std::vector<MemoryBlock> data;
};

class NodeContext : public OperatorContext {
 public:
  // All arguments must outlive this object.
  NodeContext(PartitionContext* partition, InnerTensors* tensors,
              InnerNode* node, Phase phase)
      : partition_(*partition),
        tensors_(*tensors),
        node_(*node),
        phase_(phase) {}

  // Call Prepare or Invoke of the kernel. Errors: those of the kernel, and
  // errors about tensors that the partition cannot access.
  absl::Status Prepare();
  absl::Status Invoke();

  const OperatorSpec& spec() const override { return *node_.spec; }
  const Tensor& input(size_t i) const override { return *inputs_[i]; }
  Tensor& output(size_t i) override { return *outputs_[i]; }
  Tensor& variable(size_t i) override { return *variables_[i]; }
  Tensor& temporary(size_t i) override { return node_.temporaries[i]; }
  size_t temporary_count() const override { return node_.temporaries.size(); }
  absl::Status ResizeOutput(size_t i, const Shape& shape) override;
  void MakeOutputDynamic(size_t i) override;
  absl::StatusOr<size_t> AddTemporary(ElementType type,
                                      const Shape& shape) override;
  absl::StatusOr<void*> NewPersistentBytes(size_t bytes) override;
  ResourceVariables& resources() override { return partition_.resources(); }
  absl::Status InvokeOnce(size_t subgraph) override {
    return partition_.InvokeOnce(subgraph);
  }

 private:
  absl::Status FindTensors();
  absl::Status PlaceOutputs();

  PartitionContext& partition_;
  InnerTensors& tensors_;
  InnerNode& node_;
  Phase phase_;
  std::vector<const Tensor*> inputs_;
  std::vector<Tensor*> variables_;  // is null for inputs that are no variables
  std::vector<Tensor*> outputs_;
  // For each output, whether Prepare has set its shape.
  std::vector<bool> has_shape_;
  // An error of MakeOutputDynamic, which cannot return a status itself.
  absl::Status status_;
};

}  // namespace stowage::harness::reference

#endif  // STOWAGE_SRC_DELEGATES_REFERENCE_NODE_CONTEXT_H_
