// SPDX-License-Identifier: Apache-2.0
#include "src/harness/node_context.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/call_delegate.h"
#include "src/harness/tensor_table.h"
#include "stowage/error_payload.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

absl::Status NodeContext::Prepare(Kernel& kernel) {
  absl::Status status =
      CallGuarded("Prepare", [&] { return kernel.Prepare(*this); });
  status.Update(status_);
  return status;
}

absl::Status NodeContext::Invoke(Kernel& kernel) {
  absl::Status status =
      CallGuarded("Invoke", [&] { return kernel.Invoke(*this); });
  status.Update(status_);
  return status;
}

absl::Status NodeContext::CheckOutput(size_t i) const {
  if (has_output(i)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("output ", i, ": no such output; expected one of the ",
                   output_count(), " outputs that the model does not omit"));
}

absl::Status NodeContext::ResizeOutput(size_t i, const Shape& shape) {
  if (absl::Status status = CheckOutput(i); !status.ok()) return status;
  const size_t index = node_.spec->outputs[i];
  Tensor& tensor = tensors_[index];
  const absl::StatusOr<size_t> bytes = TensorBytes(tensor.type, shape);
  if (!bytes.ok()) {
    return WithTensor(AtPlace(absl::StrCat("output ", i), bytes.status()),
                      index);
  }
  if (tensor.is_variable && tensor.shape != shape) {
    return AtPlace(absl::StrCat("output ", i), ResizedVariable(tensor, shape));
  }
  if (phase_ == Phase::kPrepare) {
    tensor.shape = shape;
    tensor.bytes = *bytes;
    return absl::OkStatus();
  }
  if (tensor.storage != Storage::kDynamic) {
    if (tensor.shape == shape) return absl::OkStatus();
    return absl::InternalError(absl::StrCat(
        "output ", i, ": resized to ", ShapeText(shape), "; expected ",
        ShapeText(tensor.shape), " as in Prepare, or MakeOutputDynamic there"));
  }
  return tensors_.AllocateDynamic(index, shape, *bytes);
}

void NodeContext::MakeOutputDynamic(size_t i) {
  absl::Status status = CheckOutput(i);
  if (status.ok() && phase_ == Phase::kInvoke) {
    status = WrongPhase(absl::StrCat("output ", i, ": made dynamic"),
                        /*is_invoke=*/true);
  }
  if (!status.ok()) return status_.Update(status);
  Tensor& tensor = output(i);
  if (tensor.storage == Storage::kArena || tensor.storage == Storage::kCustom) {
    tensor.storage = Storage::kDynamic;
  }
}

absl::StatusOr<size_t> NodeContext::AddTemporary(ElementType type,
                                                 const Shape& shape) {
  if (phase_ == Phase::kInvoke) {
    return WrongPhase("temporary: requested", /*is_invoke=*/true);
  }
  const absl::StatusOr<size_t> bytes = TensorBytes(type, shape);
  if (!bytes.ok()) return bytes.status();
  const size_t i = node_.temporaries.size();
  if (i == kMaxTemporaries) {
    return absl::InvalidArgumentError(
        absl::StrCat("temporaries: too many; expected at most ", i));
  }
  node_.temporaries.push_back(tensors_.AddTemporary(
      absl::StrCat("temporary ", i), type, shape, *bytes));
  return i;
}

absl::StatusOr<void*> NodeContext::NewPersistentBytes(size_t bytes) {
  if (phase_ == Phase::kInvoke) {
    return WrongPhase("operator data: requested", /*is_invoke=*/true);
  }
  absl::StatusOr<MemoryBlock> memory =
      MemoryBlock::Allocate(bytes, kBlockAlignment, &shared_.budget);
  if (!memory.ok()) return memory.status();
  void* data = memory->data();
  node_.data.push_back(*std::move(memory));
  return data;
}

}  // namespace stowage::harness
