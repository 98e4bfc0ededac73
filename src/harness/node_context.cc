// SPDX-License-Identifier: Apache-2.0
#include "src/harness/node_context.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/memory.h"
#include "src/harness/tensor_table.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

absl::Status NodeContext::ResizeOutput(size_t i, const Shape& shape) {
  const size_t index = node_.spec->outputs[i];
  Tensor& tensor = tensors_[index];
  const absl::StatusOr<size_t> bytes = TensorBytes(tensor.type, shape);
  if (!bytes.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("output ", i, ": ", bytes.status().message()));
  }
  if (phase_ == Phase::kPrepare) {
    tensor.shape = shape;
    tensor.bytes = *bytes;
    return absl::OkStatus();
  }
  if (tensor.storage != Storage::kDynamic) {
    if (tensor.shape == shape) return absl::OkStatus();
    if (tensor.is_variable) {
      return absl::InvalidArgumentError(absl::StrCat(
          "output ", i, ": resized to ", ShapeText(shape), "; expected ",
          ShapeText(tensor.shape), ", the shape of the variable"));
    }
    return absl::InternalError(absl::StrCat(
        "output ", i, ": resized to ", ShapeText(shape), "; expected ",
        ShapeText(tensor.shape), " as in Prepare, or MakeOutputDynamic there"));
  }
  return tensors_.AllocateDynamic(index, shape, *bytes);
}

void NodeContext::MakeOutputDynamic(size_t i) {
  Tensor& tensor = output(i);
  if (tensor.storage == Storage::kArena) tensor.storage = Storage::kDynamic;
}

absl::StatusOr<size_t> NodeContext::AddTemporary(ElementType type,
                                                 const Shape& shape) {
  const absl::StatusOr<size_t> bytes = TensorBytes(type, shape);
  if (!bytes.ok()) return bytes.status();
  const size_t i = node_.temporaries.size();
  if (i == kMaxTemporaries) {
    return absl::InvalidArgumentError(
        absl::StrCat("temporaries: one too many; expected at most ", i));
  }
  node_.temporaries.push_back(tensors_.AddTemporary(
      absl::StrCat("temporary ", i), type, shape, *bytes));
  return i;
}

absl::StatusOr<void*> NodeContext::NewPersistentBytes(size_t bytes) {
  absl::StatusOr<MemoryBlock> memory =
      MemoryBlock::Allocate(bytes, kBlockAlignment, &shared_.budget);
  if (!memory.ok()) return memory.status();
  void* data = memory->data();
  node_.data.push_back(*std::move(memory));
  return data;
}

}  // namespace stowage::harness
