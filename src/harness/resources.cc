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

namespace stowage::harness {

int32_t OwnedResources::Find(const std::string& container,
                             const std::string& name) {
  const auto next = static_cast<int32_t>(variables_.size());
  const auto [entry, is_new] = numbers_.insert({{container, name}, next});
  if (is_new) variables_.emplace_back();
  return entry->second;
}

const Tensor* OwnedResources::Get(int32_t number) const {
  if (number < 0 || static_cast<size_t>(number) >= variables_.size()) {
    return nullptr;
  }
  const Variable& variable = variables_[static_cast<size_t>(number)];
  return variable.is_assigned ? &variable.value : nullptr;
}

absl::Status OwnedResources::Assign(int32_t number, const Tensor& value) {
  if (number < 0 || static_cast<size_t>(number) >= variables_.size()) {
    return absl::InvalidArgumentError(absl::StrCat("no resource ", number,
                                                   "; expected an index below ",
                                                   variables_.size()));
  }
  Variable& variable = variables_[static_cast<size_t>(number)];
  if (variable.memory.size() != value.bytes) {
    variable = Variable();
    absl::StatusOr<MemoryBlock> memory =
        MemoryBlock::Allocate(value.bytes, kBlockAlignment, budget_);
    if (!memory.ok()) return memory.status();
    variable.memory = *std::move(memory);
  }
  if (value.bytes > 0) {
    std::memcpy(variable.memory.data(), value.data, value.bytes);
  }
  variable.value = value;
  variable.value.storage = Storage::kDynamic;
  variable.value.data = variable.memory.data();
  variable.is_assigned = true;
  return absl::OkStatus();
}

void OwnedResources::Clear() {
  for (Variable& variable : variables_) variable = Variable();
}

std::vector<OwnedResources::Saved> OwnedResources::Save() const {
  std::vector<Saved> saved;
  for (const Variable& variable : variables_) {
    const uint8_t* const data = variable.memory.data();
    saved.push_back({variable.is_assigned,
                     variable.value,
                     {data, data + variable.value.bytes}});
  }
  return saved;
}

absl::Status OwnedResources::Restore(const std::vector<Saved>& saved) {
  Clear();
  for (size_t i = 0; i < saved.size() && i < variables_.size(); ++i) {
    if (!saved[i].is_assigned) continue;
    Tensor value = saved[i].value;
    // Assign does not write to these bytes, although `data` is not const.
    value.data = const_cast<uint8_t*>(saved[i].bytes.data());
    absl::Status status = Assign(static_cast<int32_t>(i), value);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
