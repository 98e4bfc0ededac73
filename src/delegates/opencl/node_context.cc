// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/opencl/node_context.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::opencl {
namespace {

// An empty set of resource variables, which refuses every assignment. None of
// the operators that this delegate runs uses a resource variable.
class NoResources : public ResourceVariables {
 public:
  int32_t Find(const std::string& /*container*/,
               const std::string& /*name*/) override {
    return 0;
  }
  const Tensor* Get(int32_t /*number*/) const override { return nullptr; }
  absl::Status Assign(int32_t /*number*/, const Tensor& /*value*/) override {
    return absl::UnimplementedError("a variable: variables are not supported");
  }
};

// The alignment of memory in bytes, which is also the alignment of the tensors
// of an interpreter.
constexpr size_t kAlignment = 16;

}  // namespace

NodeContext::NodeContext(const DelegateGraph& graph, int node)
    : spec_(graph.node(node)),
      registration_(graph.resolver().Find(spec_.name, spec_.is_custom)) {
  for (const size_t tensor : spec_.inputs) {
    inputs_.push_back(tensor == kAbsent ? Tensor() : graph.tensor(tensor));
  }
  for (const size_t tensor : spec_.outputs) {
    outputs_.push_back(tensor == kAbsent ? Tensor() : graph.tensor(tensor));
  }
}

absl::Status NodeContext::CheckStatic() {
  if (registration_ == nullptr || !registration_->create) {
    return RefuseModel(spec_.TypeText(), ": there is no kernel");
  }
  for (const std::vector<Tensor>* const tensors : {&inputs_, &outputs_}) {
    for (const Tensor& tensor : *tensors) {
      if (tensor.is_variable || tensor.storage == Storage::kDynamic) {
        return RefuseModel("tensor ", tensor.name, ": it is ",
                           tensor.is_variable ? "a variable" : "dynamic",
                           "; expected a tensor of known shape");
      }
    }
  }
  STOWAGE_RETURN_IF_ERROR(registration_->create()->Prepare(*this));
  if (is_dynamic_) {
    return RefuseModel("the shape of an output depends on data");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint8_t>> NodeContext::Compute(
    const Shape& shape, std::vector<uint8_t> bytes) {
  Tensor& in = inputs_[0];
  Tensor& out = outputs_[0];
  in.shape = shape;
  in.storage = Storage::kArena;
  in.bytes = bytes.size();
  in.data = bytes.data();
  is_resizable_ = true;
  const std::unique_ptr<Kernel> kernel = registration_->create();
  STOWAGE_RETURN_IF_ERROR(kernel->Prepare(*this));
  STOWAGE_ASSIGN_OR_RETURN(out.bytes, TensorBytes(out.type, out.shape));
  std::vector<uint8_t> result(out.bytes);
  out.data = result.data();
  STOWAGE_RETURN_IF_ERROR(kernel->Invoke(*this));
  return result;
}

absl::Status NodeContext::ResizeOutput(size_t i, const Shape& shape) {
  if (is_resizable_) {
    outputs_[i].shape = shape;
    return absl::OkStatus();
  }
  if (outputs_[i].shape == shape) return absl::OkStatus();
  return RefuseModel(OutputPlace(*this, i), ": its shape is ",
                     ShapeText(outputs_[i].shape), "; expected ",
                     ShapeText(shape));
}

absl::StatusOr<size_t> NodeContext::AddTemporary(ElementType type,
                                                 const Shape& shape) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape = shape;
  temporaries_.push_back(std::move(tensor));
  return temporaries_.size() - 1;
}

absl::StatusOr<void*> NodeContext::NewPersistentBytes(size_t bytes) {
  // The list has more words than `bytes` needs, so there is still enough space
  // after `start` is rounded up to the alignment.
  std::vector<uint64_t>& words =
      persistent_.emplace_back(bytes / sizeof(uint64_t) + 3, 0);
  void* start = words.data();
  size_t space = words.size() * sizeof(uint64_t);
  return std::align(kAlignment, bytes, start, space);
}

ResourceVariables& NodeContext::resources() {
  static NoResources resources;
  return resources;
}

absl::Status NodeContext::InvokeOnce(size_t /*subgraph*/) {
  return absl::UnimplementedError("a subgraph: calls are not supported");
}

}  // namespace stowage::harness::opencl
