// SPDX-License-Identifier: Apache-2.0
// A node of a graph as the kernels of the harness see it, so that these can
// check it and work out its constants. It has copies of the tensors, without a
// memory plan: those that are computed have no bytes.
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

  // Prepares the operator's own kernel. Error: that of its Prepare;
  // InvalidArgument for what is not static: an output whose shape depends on
  // data or is not the graph's, or a variable.
  absl::Status CheckStatic();

  // The function that the operator's own kernel computes, for one input and
  // one output: the bytes of the output for an input of these bytes and this
  // shape. Errors: those of the kernel.
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
  std::vector<Tensor> inputs_;  // empty ones where they are left out
  std::vector<Tensor> outputs_;
  std::deque<Tensor> temporaries_;
  std::deque<std::vector<uint64_t>> persistent_;
  bool is_dynamic_ = false;
  bool is_resizable_ = false;  // while it computes
};

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_NODE_CONTEXT_H_
