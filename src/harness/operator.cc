// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/operator.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace stowage::harness {

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

}  // namespace stowage::harness
