// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/reference/inner_tensors.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/element_type.h"

namespace stowage::harness::reference {

void InnerTensors::AddInside(size_t tensor, const Tensor& model) {
  Own own;
  own.tensor = model;
  // A tensor with a known value keeps its data, because kernels may read it in
  // Prepare.
  if (!model.has_known_value) own.tensor.data = nullptr;
  own.tensor.storage =
      ElementBits(model.type) > 0 ? Storage::kArena : Storage::kNone;
  own.initial = own.tensor;
  own_[tensor] = std::move(own);
}

bool InnerTensors::IsComputed(size_t tensor) const {
  const auto found = own_.find(tensor);
  return found != own_.end() &&
         found->second.initial.storage == Storage::kDynamic;
}

absl::StatusOr<const Tensor*> InnerTensors::Read(
    const PartitionContext& context, size_t tensor) {
  const auto found = own_.find(tensor);
  if (found == own_.end()) return context.Read(tensor);
  return &found->second.tensor;
}

absl::StatusOr<Tensor*> InnerTensors::Write(PartitionContext& context,
                                            size_t tensor) {
  const auto found = own_.find(tensor);
  if (found == own_.end()) return context.Write(tensor);
  return &found->second.tensor;
}

absl::Status InnerTensors::Resize(PartitionContext& context, size_t tensor,
                                  const Shape& shape, Phase phase) {
  const absl::StatusOr<Tensor*> resized = Write(context, tensor);
  if (!resized.ok()) return resized.status();
  const auto found = own_.find(tensor);
  const bool is_computed = IsComputed(tensor);
  if (!is_computed && phase != Phase::kPrepare && (*resized)->shape != shape) {
    return absl::InternalError(absl::StrCat(
        "resized to ", ShapeText(shape), "; expected ",
        ShapeText((*resized)->shape), " as in Prepare, or MakeOutputDynamic"));
  }
  if (found == own_.end()) return context.ResizeOutput(tensor, shape);
  if (found->second.is_output) {
    absl::Status status = context.ResizeOutput(tensor, shape);
    if (!status.ok() || phase == Phase::kPrepare) return status;
    const absl::StatusOr<Tensor*> output = context.Write(tensor);
    if (output.ok()) found->second.tensor = **output;
    return output.status();
  }
  const absl::StatusOr<size_t> bytes = TensorBytes((*resized)->type, shape);
  if (!bytes.ok()) return bytes.status();
  (*resized)->shape = shape;
  (*resized)->bytes = *bytes;
  const bool is_placed_now = is_computed && phase != Phase::kPrepare;
  return is_placed_now ? Allocate(context, tensor) : absl::OkStatus();
}

absl::Status InnerTensors::MakeDynamic(PartitionContext& context,
                                       size_t tensor) {
  const auto found = own_.find(tensor);
  if (found != own_.end()) {
    Own& own = found->second;
    if (own.tensor.storage != Storage::kArena) return absl::OkStatus();
    own.tensor.storage = Storage::kDynamic;
    own.initial.storage = Storage::kDynamic;
    return absl::OkStatus();
  }
  const absl::StatusOr<Tensor*> output = context.Write(tensor);
  if (!output.ok()) return output.status();
  const Storage storage = (*output)->storage;
  if (storage == Storage::kNone || storage == Storage::kPersistent) {
    return absl::OkStatus();
  }
  Own own;
  own.tensor = **output;
  absl::Status status = context.MakeOutputDynamic(tensor);
  if (!status.ok()) return status;
  own.tensor.storage = Storage::kDynamic;
  own.initial = own.tensor;
  own.is_output = true;
  own_[tensor] = std::move(own);
  return absl::OkStatus();
}

absl::Status InnerTensors::Allocate(PartitionContext& context, size_t tensor) {
  Own& own = own_.at(tensor);
  own.memory = MemoryBlock();
  own.tensor.data = nullptr;
  absl::StatusOr<MemoryBlock> memory = MemoryBlock::Allocate(
      own.tensor.bytes, kBlockAlignment, &context.memory_budget());
  if (!memory.ok()) return memory.status();
  own.memory = *std::move(memory);
  own.tensor.data = own.memory.data();
  return absl::OkStatus();
}

void InnerTensors::ForgetComputed() {
  for (auto& [tensor, own] : own_) {
    if (own.initial.storage != Storage::kDynamic) continue;
    own.tensor = own.initial;
    own.memory = MemoryBlock();
  }
}

size_t InnerTensors::own_bytes() const {
  size_t bytes = 0;
  for (const auto& [tensor, own] : own_) bytes += own.memory.size();
  return bytes;
}

}  // namespace stowage::harness::reference
