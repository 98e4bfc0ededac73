// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/reference/node_context.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/delegates/reference/inner_tensors.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"

namespace stowage::harness::reference {

absl::Status NodeContext::FindTensors() {
  inputs_.clear();
  variables_.clear();
  for (const size_t t : node_.spec->inputs) {
    inputs_.push_back(nullptr);
    variables_.push_back(nullptr);
    if (t == kAbsent) continue;
    const absl::StatusOr<const Tensor*> input = tensors_.Read(partition_, t);
    if (!input.ok()) return input.status();
    inputs_.back() = *input;
    if (!(*input)->is_variable) continue;
    const absl::StatusOr<Tensor*> variable = tensors_.Write(partition_, t);
    if (!variable.ok()) return variable.status();
    variables_.back() = *variable;
  }
  outputs_.clear();
  for (const size_t t : node_.spec->outputs) {
    outputs_.push_back(nullptr);
    if (t == kAbsent) continue;
    const absl::StatusOr<Tensor*> output = tensors_.Write(partition_, t);
    if (!output.ok()) return output.status();
    outputs_.back() = *output;
  }
  has_shape_.assign(outputs_.size(), false);
  return absl::OkStatus();
}

absl::Status NodeContext::Prepare() {
  node_.temporaries.clear();
  node_.data.clear();
  absl::Status status = FindTensors();
  if (status.ok()) status = node_.kernel->Prepare(*this);
  if (status.ok()) status = status_;
  if (status.ok() && phase_ == Phase::kPrepareLate) status = PlaceOutputs();
  return status;
}

// Allocates the dynamic outputs for which the kernel has set no shape. These
// outputs keep their shapes from the model.
absl::Status NodeContext::PlaceOutputs() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (has_shape_[i] || outputs_[i] == nullptr ||
        outputs_[i]->storage != Storage::kDynamic) {
      continue;
    }
    const Shape shape = outputs_[i]->shape;
    if (absl::Status status = ResizeOutput(i, shape); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status NodeContext::Invoke() {
  const absl::Status status = FindTensors();
  return status.ok() ? node_.kernel->Invoke(*this) : status;
}

absl::Status NodeContext::ResizeOutput(size_t i, const Shape& shape) {
  has_shape_[i] = true;
  const size_t tensor = node_.spec->outputs[i];
  absl::Status status = tensors_.Resize(partition_, tensor, shape, phase_);
  if (status.ok()) return status;
  return {status.code(), absl::StrCat("output ", i, ": ", status.message())};
}

void NodeContext::MakeOutputDynamic(size_t i) {
  has_shape_[i] = true;  // shapes are set in Invoke
  const size_t tensor = node_.spec->outputs[i];
  const absl::Status status = tensors_.MakeDynamic(partition_, tensor);
  if (!status.ok()) {
    status_ = status;
    return;
  }
  // The call may have moved the tensor to an object that the delegate owns.
  if (tensors_.IsOwn(tensor)) outputs_[i] = &tensors_.own(tensor);
}

absl::StatusOr<size_t> NodeContext::AddTemporary(ElementType type,
                                                 const Shape& shape) {
  const absl::StatusOr<size_t> bytes = TensorBytes(type, shape);
  if (!bytes.ok()) return bytes.status();
  Tensor temporary;
  temporary.name = absl::StrCat("temporary ", node_.temporaries.size());
  temporary.type = type;
  temporary.shape = shape;
  temporary.bytes = *bytes;
  temporary.storage = Storage::kArena;
  node_.temporaries.push_back(std::move(temporary));
  if (phase_ != Phase::kPrepareLate && !node_.is_folded) {
    return node_.temporaries.size() - 1;
  }
  // The kernel has no temporaries in the workspace if it is prepared late or if
  // its outputs are folded. The temporary is therefore allocated separately,
  // like operator data.
  const absl::StatusOr<void*> data = NewPersistentBytes(*bytes);
  if (!data.ok()) return data.status();
  node_.temporaries.back().data = *data;
  return node_.temporaries.size() - 1;
}

absl::StatusOr<void*> NodeContext::NewPersistentBytes(size_t bytes) {
  absl::StatusOr<MemoryBlock> memory = MemoryBlock::Allocate(
      bytes, kBlockAlignment, &partition_.memory_budget());
  if (!memory.ok()) return memory.status();
  void* const data = memory->data();
  node_.data.push_back(*std::move(memory));
  return data;
}

}  // namespace stowage::harness::reference
