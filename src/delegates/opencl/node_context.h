// SPDX-License-Identifier: Apache-2.0
// Presents a node of a graph in the form that the kernels of the harness take,
// so that these kernels can check the node and compute its constants. This
// class has copies of the tensors but no memory plan: tensors that are computed
// have no bytes.
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

  // Prepares the kernel of the harness for the operator. Errors: that of the
  // kernel's Prepare; InvalidArgument if there is no kernel, or if the node is
  // not static. A node is not static if it uses a variable or a dynamic tensor,
  // if the shape of an output depends on data, or if that shape differs from
  // the shape in the graph.
  absl::Status CheckStatic();

  // Runs the kernel of the harness for an operator with one input and one
  // output. The input has this shape and these bytes. Returns the bytes of the
  // output. Errors: those of the kernel.
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
