#include "stowage/harness/operator.h"

#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace stowage::harness {

void OperatorResolver::Add(OperatorRegistration registration) {
  std::pair<bool, std::string> key(registration.is_custom, registration.name);
  registrations_[std::move(key)] = std::move(registration);
}

const OperatorRegistration* OperatorResolver::Find(absl::string_view name,
                                                   bool is_custom) const {
  const auto found = registrations_.find({is_custom, std::string(name)});
  return found == registrations_.end() ? nullptr : &found->second;
}

}  // namespace stowage::harness
