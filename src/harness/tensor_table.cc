// SPDX-License-Identifier: Apache-2.0
#include "src/harness/tensor_table.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/kernels/copy_at_once.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/tensor.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

absl::Status ResizedVariable(const Tensor& variable, const Shape& shape) {
  return absl::InvalidArgumentError(
      absl::StrCat("resized to ", ShapeText(shape), "; expected ",
                   ShapeText(variable.shape), ", the shape of the variable"));
}

TensorTable::TensorTable(const SubgraphSpec& spec, MemoryBudget* budget)
    : spec_(spec), budget_(budget), is_folded_(spec.tensors.size()) {
  for (const size_t tensor : spec_.inputs) {
    input_shapes_.push_back(spec_.tensors[tensor].shape);
  }
  Reset();
}

void TensorTable::Reset() {
  tensors_.clear();
  tensors_.resize(spec_.tensors.size());
  ReserveTemporaries();
  dynamic_.clear();
  dynamic_.resize(tensors_.size());
  for (size_t t = 0; t < tensors_.size(); ++t) ResetTensor(t);
  for (size_t i = 0; i < spec_.inputs.size(); ++i) {
    Tensor& tensor = tensors_[spec_.inputs[i]];
    tensor.shape = input_shapes_[i];
    tensor.bytes = TensorBytes(tensor.type, tensor.shape).value_or(0);
    if (arguments_.count(spec_.inputs[i]) > 0 &&
        tensor.storage == Storage::kArena) {
      tensor.storage = Storage::kCustom;
    }
  }
}

void TensorTable::SetArgument(size_t i, const Shape& shape, bool varies,
                              bool is_copied) {
  const size_t index = spec_.inputs[i];
  input_shapes_[i] = shape;
  arguments_.erase(index);
  varying_.erase(index);
  if (varies) varying_.insert(index);
  if (varies || !is_copied) arguments_.insert(index);
}

void TensorTable::BindArguments(absl::Span<const Tensor* const> arguments) {
  std::vector<ByteCopy> copies;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Tensor& argument = *arguments[i];
    Tensor& input = tensors_[spec_.inputs[i]];
    input.shape = argument.shape;
    input.bytes = argument.bytes;
    input.resource = argument.resource;
    input.digest = argument.digest;
    if (input.storage == Storage::kArena && input.data != nullptr) {
      copies.push_back(
          {input.as<uint8_t>(), argument.as<uint8_t>(), argument.bytes});
    } else {
      input.data = argument.data;
    }
  }
  CopyAtOnce(copies);
}

void TensorTable::SetDeclaredShape(size_t index, const Shape& shape) {
  given_[index] = shape;
  for (size_t i = 0; i < spec_.inputs.size(); ++i) {
    if (spec_.inputs[i] == index) input_shapes_[i] = shape;
  }
}

const Shape& TensorTable::declared_shape(size_t index) const {
  const auto given = given_.find(index);
  return given == given_.end() ? spec_.tensors[index].shape : given->second;
}

void TensorTable::ResetTensor(size_t index) {
  const TensorSpec& spec = spec_.tensors[index];
  Tensor& tensor = tensors_[index];
  tensor.name = spec.name;
  tensor.type = spec.type;
  tensor.shape = declared_shape(index);
  tensor.quantization = spec.quantization;
  tensor.is_variable = spec.is_variable;
  tensor.has_known_value = false;
  tensor.data = nullptr;
  dynamic_[index] = MemoryBlock();
  if (spec.is_constant) {
    tensor.storage = Storage::kConstant;
    tensor.bytes = spec.data.size();
    // The cast is safe because input() returns the tensor as const, so the data
    // of a constant is never written.
    tensor.data = const_cast<uint8_t*>(spec.data.data());
    return;
  }
  tensor.bytes = HasGivenShape(index)
                     ? TensorBytes(tensor.type, tensor.shape).value_or(0)
                     : spec.bytes;
  if (spec.is_variable || is_folded_[index]) {
    tensor.storage = Storage::kPersistent;
  } else if (ElementBits(spec.type) > 0) {
    tensor.storage = Storage::kArena;
  }
  if (const auto custom = custom_.find(index); custom != custom_.end()) {
    tensor.storage = Storage::kCustom;
    tensor.data = custom->second.data();
  }
}

void TensorTable::SetCustom(size_t index, absl::Span<uint8_t> memory) {
  custom_[index] = memory;
  Tensor& tensor = tensors_[index];
  if (tensor.storage == Storage::kCustom) tensor.data = memory.data();
}

void TensorTable::SetFolded(size_t index) {
  is_folded_[index] = true;
  tensors_[index].storage = Storage::kPersistent;
}

absl::Status TensorTable::AllocateKnown(size_t index) {
  Tensor& tensor = tensors_[index];
  const auto kept = known_.find(index);
  if (kept == known_.end() || kept->second.size() < tensor.bytes) {
    absl::StatusOr<MemoryBlock> memory =
        MemoryBlock::Allocate(tensor.bytes, kBlockAlignment, budget_);
    if (!memory.ok()) return memory.status();
    known_[index] = *std::move(memory);
  }
  tensor.storage = Storage::kPersistent;
  tensor.has_known_value = true;
  tensor.data = known_[index].data();
  return absl::OkStatus();
}

void TensorTable::ForgetKnown(size_t index) {
  Tensor& tensor = tensors_[index];
  if (!tensor.has_known_value) return;
  tensor.storage = Storage::kArena;
  tensor.has_known_value = false;
  tensor.data = nullptr;
}

size_t TensorTable::AddTemporary(const std::string& name, ElementType type,
                                 const Shape& shape, size_t bytes) {
  Tensor& tensor = tensors_.emplace_back();
  tensor.name = name;
  tensor.type = type;
  tensor.shape = shape;
  tensor.storage = Storage::kArena;
  tensor.bytes = bytes;
  dynamic_.emplace_back();
  return tensors_.size() - 1;
}

void TensorTable::DropTemporaries(size_t count) {
  tensors_.resize(count);
  dynamic_.resize(count);
}

void TensorTable::ReserveTemporaries() {
  tensors_.reserve(tensors_.size() + spec_.operators.size() * kMaxTemporaries);
}

absl::Status TensorTable::AllocateDynamic(size_t index, const Shape& shape,
                                          size_t bytes) {
  FreeDynamic(index);
  const absl::optional<size_t> all = CheckedAdd(bytes, spare_bytes_);
  if (!all) {
    return absl::ResourceExhaustedError(
        absl::StrCat(bytes, " bytes and ", spare_bytes_,
                     " spare ones overflow 64 bits; expected fewer"));
  }
  absl::StatusOr<MemoryBlock> memory =
      MemoryBlock::Allocate(*all, kBlockAlignment, budget_);
  if (!memory.ok()) return memory.status();
  dynamic_[index] = *std::move(memory);
  Tensor& tensor = tensors_[index];
  tensor.shape = shape;
  tensor.bytes = bytes;
  tensor.data = dynamic_[index].data();
  return absl::OkStatus();
}

void TensorTable::FreeDynamic(size_t index) {
  dynamic_[index] = MemoryBlock();
  tensors_[index].data = nullptr;
  tensors_[index].bytes = 0;
}

}  // namespace stowage::harness
