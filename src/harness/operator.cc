// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/operator.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {

absl::StatusOr<std::vector<CallTensor>> OperatorContext::PrepareCall(
    size_t subgraph, absl::Span<const CallTensor> /*arguments*/) {
  return absl::UnimplementedError(
      absl::StrCat("subgraph ", subgraph, ": it cannot be called here"));
}

absl::StatusOr<std::vector<const Tensor*>> OperatorContext::Call(
    size_t subgraph, absl::Span<const Tensor* const> /*arguments*/) {
  return absl::UnimplementedError(
      absl::StrCat("subgraph ", subgraph, ": it cannot be called here"));
}

OperatorRegistration& OperatorRegistration::Computes(std::string what) {
  summary = std::move(what);
  return *this;
}

OperatorRegistration& OperatorRegistration::IsCustom() {
  is_custom = true;
  return *this;
}

OperatorRegistration& OperatorRegistration::OfVersions(int32_t min,
                                                       int32_t max) {
  min_version = min;
  max_version = max;
  return *this;
}

OperatorRegistration& OperatorRegistration::SharesMemoryOf(InPlace inputs) {
  in_place = inputs;
  return *this;
}

OperatorRegistration& OperatorRegistration::FoldsConstants() {
  folds_constants = true;
  return *this;
}

OperatorRegistration& OperatorRegistration::CreatedBy(
    std::function<std::unique_ptr<Kernel>()> factory) {
  create = std::move(factory);
  return *this;
}

OperatorRegistration& OperatorRegistration::ShadowedBy(
    std::function<std::unique_ptr<Kernel>()> factory) {
  shadow = std::move(factory);
  return *this;
}

void OperatorResolver::Add(OperatorRegistration registration) {
  std::pair<bool, std::string> key(registration.is_custom, registration.name);
  registrations_.insert_or_assign(std::move(key), std::move(registration));
}

const OperatorRegistration* OperatorResolver::Find(absl::string_view name,
                                                   bool is_custom) const {
  const auto found = registrations_.find({is_custom, std::string(name)});
  return found == registrations_.end() ? nullptr : &found->second;
}

std::string OperatorResolver::WhyUnsupported(const OperatorSpec& op) const {
  std::string name = op.TypeText();
  const OperatorRegistration* found = Find(op.name, op.is_custom);
  if (found == nullptr || found->create == nullptr) return name;
  if (op.version >= found->min_version && op.version <= found->max_version) {
    return "";
  }
  return absl::StrCat(name, " version ", op.version, " (kernels are for ",
                      found->min_version,
                      found->min_version == found->max_version
                          ? ""
                          : absl::StrCat(" to ", found->max_version),
                      ")");
}

}  // namespace stowage::harness
