// SPDX-License-Identifier: Apache-2.0
// Runs a partition with the interpreter's own kernels for its operators.
#ifndef STOWAGE_SRC_DELEGATES_REFERENCE_PARTITION_KERNEL_H_
#define STOWAGE_SRC_DELEGATES_REFERENCE_PARTITION_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "src/delegates/reference/inner_tensors.h"
#include "src/delegates/reference/node_context.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/memory_budget.h"

namespace stowage::harness::reference {

// The memory in which the tensors inside a partition and the temporaries of its
// operators are placed.
enum class MemoryKind {
  kOpaque,       // uses one workspace in the arena, by the plan of the delegate
  kTransparent,  // uses the arena, by the plan of the interpreter
  kPrivate,      // uses memory of the delegate, by the plan of the delegate
};

class PartitionKernel : public DelegateKernel {
 public:
  PartitionKernel(const DelegateGraph& graph,
                  const DelegatePartition& partition, MemoryKind memory);

  std::vector<PartitionStep> Steps() const override;
  absl::Status Prepare(PartitionContext& context) override;
  absl::Status Invoke(PartitionContext& context) override;
  std::vector<DelegateMemory> Memory() const override;

 private:
  struct TemporaryPlace {
    size_t node = 0;
    size_t temporary = 0;  // the index among the temporaries of the node
    // If the interpreter plans the memory, the index of the workspace that
    // holds the temporary. If the delegate plans the memory, the offset of the
    // temporary.
    size_t at = 0;
  };
  struct TensorPlace {
    size_t tensor = 0;
    size_t offset = 0;
  };

  void FindInside(const DelegateGraph& graph,
                  const DelegatePartition& partition);
  bool IsFolded(const OperatorSpec& op, const DelegateGraph& graph) const;
  absl::Status PrepareNodes(PartitionContext& context);
  absl::Status MakeLateOutputsDynamic(PartitionContext& context);
  absl::Status Fold(PartitionContext& context);
  absl::Status AddWorkspaces(PartitionContext& context);
  absl::Status PlanWorkspace(PartitionContext& context);
  ArenaGraph Describe(const DelegateGraph& graph);
  void BindWorkspace(PartitionContext& context);
  absl::Status InvokeAll(PartitionContext& context);
  absl::Status At(const PartitionContext& context, const InnerNode& node,
                  const absl::Status& status) const;

  MemoryKind memory_;
  std::vector<InnerNode> nodes_;
  std::vector<size_t> inside_;  // the tensors inside the partition
  InnerTensors tensors_;
  // The index of the first node that can be prepared only in Invoke, because an
  // earlier node computes the shape of a tensor.
  size_t late_ = 0;
  std::vector<TensorPlace> tensor_places_;
  std::vector<TemporaryPlace> temporary_places_;
  MemoryBlock private_;
};

}  // namespace stowage::harness::reference

#endif  // STOWAGE_SRC_DELEGATES_REFERENCE_PARTITION_KERNEL_H_
