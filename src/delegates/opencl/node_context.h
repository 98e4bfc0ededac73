// SPDX-License-Identifier: Apache-2.0
// Adapts a node of a graph to the interface that the kernels of the harness
// expect, so that these kernels can check the node and compute its constants.
// This class copies the tensors of the node but plans no memory, so tensors
// that are computed at run time have no data.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_NODE_CONTEXT_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_NODE_CONTEXT_H_

#include <cstddef>
#include <deque>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::opencl {

class NodeContext : public OperatorContext {
 public:
  NodeContext(const DelegateGraph& graph, int node);

  // Calls Prepare of the harness kernel for the operator, and checks that the
  // node is static. A node is not static if it uses a variable or a dynamic
  // tensor, if the shape of an output depends on data, or if that shape differs
  // from the shape in the graph. Errors: those of Prepare; InvalidArgument if
  // the operator has no kernel or the node is not static.
  absl::Status CheckStatic();

  // Runs the harness kernel of an operator with one input and one output.
  // `shape` and `bytes` describe the input. Returns the bytes of the output.
  // Errors: those of the kernel.
  absl::StatusOr<std::vector<uint8_t>> Compute(const Shape& shape,
                                               std::vector<uint8_t> bytes);

  const OperatorSpec& spec() const override { return spec_; }
  const Tensor& input(size_t i) const override { return inputs_[i]; }
  Tensor& output(size_t i) override { return outputs_[i]; }
  Tensor& variable(size_t i) override { return inputs_[i]; }
  Tensor& temporary(size_t i) override { return temporaries_[i]; }
  size_t temporary_count() const override { return temporaries_.size(); }
  absl::Status ResizeOutput(size_t i, const Shape& shape) override;
  void MakeOutputDynamic(size_t /*i*/) override { is_dynamic_ = true; }
  absl::StatusOr<size_t> AddTemporary(ElementType type,
                                      const Shape& shape) override;
  absl::StatusOr<void*> NewPersistentBytes(size_t bytes) override;
  ResourceVariables& resources() override;
  absl::Status InvokeOnce(size_t subgraph) override;

 private:
  const OperatorSpec& spec_;
  const OperatorRegistration* registration_;
  std::vector<Tensor> inputs_;  // an empty tensor for an input that is left out
  std::vector<Tensor> outputs_;
  std::deque<Tensor> temporaries_;
  std::deque<std::vector<uint64_t>> persistent_;
  bool is_dynamic_ = false;
  bool is_resizable_ = false;  // is true while Compute runs
};

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_NODE_CONTEXT_H_
