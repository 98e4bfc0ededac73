// SPDX-License-Identifier: Apache-2.0
#include "src/harness/resources.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/harness/memory_budget.h"
#include "stowage/harness/tensor.h"
#include "stowage/tensor_size.h"

namespace stowage::harness {

int32_t OwnedResources::Find(const std::string& container,
                             const std::string& name) {
  const auto next = static_cast<int32_t>(variables_.size());
  const auto [entry, is_new] = numbers_.insert({{container, name}, next});
  if (is_new) variables_.emplace_back();
  return entry->second;
}

const Tensor* OwnedResources::Get(int32_t number) const {
  if (!Has(number)) return nullptr;
  const Variable& variable = variables_[static_cast<size_t>(number)];
  return variable.is_assigned ? &variable.value : nullptr;
}

std::string OwnedResources::NameOf(int32_t number) const {
  for (const auto& [names, known] : numbers_) {
    if (known != number) continue;
    return names.first.empty() ? names.second
                               : absl::StrCat(names.first, "/", names.second);
  }
  return absl::StrCat(number);
}

bool OwnedResources::CanHold(int32_t number, size_t bytes,
                             size_t spare_bytes) const {
  if (!Has(number) || !CheckedAdd(bytes, spare_bytes)) return false;
  const Variable& variable = variables_[static_cast<size_t>(number)];
  if (variable.held_bytes) {
    return *variable.held_bytes == bytes &&
           variable.memory.size() - bytes >= spare_bytes;
  }
  return !variable.is_assigned || variable.value.bytes == bytes;
}

absl::Status OwnedResources::Hold(int32_t number, size_t bytes,
                                  size_t spare_bytes) {
  if (!CanHold(number, bytes, spare_bytes)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "resource ", number, ": no place for ", bytes, " bytes and ",
        spare_bytes, " spare ones; expected the size that the variable has"));
  }
  Variable& variable = variables_[static_cast<size_t>(number)];
  if (variable.held_bytes) {
    ++variable.holders;
    return absl::OkStatus();
  }
  absl::StatusOr<MemoryBlock> memory =
      MemoryBlock::Allocate(bytes + spare_bytes, alignment_, budget_);
  if (!memory.ok()) return memory.status();
  if (variable.is_assigned && bytes > 0) {
    std::memcpy(memory->data(), variable.memory.data(), bytes);
  }
  variable.memory = *std::move(memory);
  variable.value.data = variable.memory.data();
  variable.held_bytes = bytes;
  variable.holders = 1;
  return absl::OkStatus();
}

void OwnedResources::Release(int32_t number) {
  Variable& variable = variables_[static_cast<size_t>(number)];
  if (--variable.holders == 0) variable.held_bytes.reset();
}

uint8_t* OwnedResources::HeldMemory(int32_t number) {
  if (!Has(number)) return nullptr;
  Variable& variable = variables_[static_cast<size_t>(number)];
  return variable.held_bytes ? variable.memory.data() : nullptr;
}

absl::Status OwnedResources::Assign(int32_t number, const Tensor& value) {
  if (!Has(number)) {
    return absl::InvalidArgumentError(absl::StrCat("no resource ", number,
                                                   "; expected an index below ",
                                                   variables_.size()));
  }
  Variable& variable = variables_[static_cast<size_t>(number)];
  if (variable.held_bytes && *variable.held_bytes != value.bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a value of ", value.bytes, " bytes for a variable of ",
        *variable.held_bytes,
        ", in whose memory tensors lie; expected that size, or --state copy"));
  }
  if (!variable.held_bytes && variable.memory.size() != value.bytes) {
    variable = Variable();
    absl::StatusOr<MemoryBlock> memory =
        MemoryBlock::Allocate(value.bytes, alignment_, budget_);
    if (!memory.ok()) return memory.status();
    variable.memory = *std::move(memory);
  }
  if (value.bytes > 0 && value.data != variable.memory.data()) {
    std::memcpy(variable.memory.data(), value.data, value.bytes);
  }
  variable.value = value;
  variable.value.storage = Storage::kDynamic;
  variable.value.data = variable.memory.data();
  variable.is_assigned = true;
  return absl::OkStatus();
}

void OwnedResources::Clear() {
  for (Variable& variable : variables_) {
    if (variable.held_bytes) {
      variable.is_assigned = false;
    } else {
      variable = Variable();
    }
  }
}

std::vector<OwnedResources::Saved> OwnedResources::Save() const {
  std::vector<Saved> saved;
  for (const Variable& variable : variables_) {
    const uint8_t* const data = variable.memory.data();
    const size_t bytes = variable.is_assigned ? variable.value.bytes : 0;
    saved.push_back(
        {variable.is_assigned, variable.value, {data, data + bytes}});
  }
  return saved;
}

absl::Status OwnedResources::Restore(const std::vector<Saved>& saved) {
  Clear();
  for (size_t i = 0; i < saved.size() && i < variables_.size(); ++i) {
    if (!saved[i].is_assigned) continue;
    Tensor value = saved[i].value;
    // The cast is safe because Assign does not write to these bytes.
    value.data = const_cast<uint8_t*>(saved[i].bytes.data());
    absl::Status status = Assign(static_cast<int32_t>(i), value);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
