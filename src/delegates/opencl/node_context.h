// SPDX-License-Identifier: Apache-2.0
// A node of a graph in the form that the kernels of the harness use, so that
// these can check it and compute its constants. It has copies of the tensors
// and no memory plan: computed tensors have no bytes.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_NODE_CONTEXT_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_NODE_CONTEXT_H_

#include <cstddef>
#include <deque>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::opencl {

class NodeContext : public OperatorContext {
 public:
  NodeContext(const DelegateGraph& graph, int node);

  // Prepares the operator's kernel of the harness. Errors: that of its Prepare;
  // InvalidArgument for a node that is not static: an output whose shape
  // depends on data or differs from the graph's, or a variable.
  absl::Status CheckStatic();

  // Runs the operator's kernel of the harness for one input and one output.
  // Returns the bytes of the output for an input of these bytes and this shape.
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
  std::vector<Tensor> inputs_;  // empty if left out
  std::vector<Tensor> outputs_;
  std::deque<Tensor> temporaries_;
  std::deque<std::vector<uint64_t>> persistent_;
  bool is_dynamic_ = false;
  bool is_resizable_ = false;  // while it computes
};

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_NODE_CONTEXT_H_
