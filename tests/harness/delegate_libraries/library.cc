// SPDX-License-Identifier: Apache-2.0
// Builds a shared library with a delegate. STOWAGE_FAULT names the fault of the
// library, if any; delegates_test.cc lists the names.
#include <memory>
#include <stdexcept>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stowage/harness/delegate.h"
#include "tests/harness/delegate_libraries/idle_delegate.h"

namespace {

using stowage::harness::Delegate;
using stowage::harness::IdleDelegate;

constexpr absl::string_view kFault = STOWAGE_FAULT;

absl::StatusOr<std::unique_ptr<Delegate>> Create(absl::string_view options) {
  if (kFault == "throws") throw std::runtime_error("no device of that kind");
  if (kFault == "throws_a_number") throw 7;
  if (kFault == "null_delegate") return nullptr;
  if (kFault == "refuses") {
    return absl::UnavailableError("device: none; expected one");
  }
  return std::make_unique<IdleDelegate>(absl::StrCat("idle ", options));
}

[[maybe_unused]] const stowage::harness::DelegateLibrary kLibrary = {
    stowage::harness::kDelegateVersion + (kFault == "other_version" ? 1 : 0),
    kFault == "null_function" ? nullptr : &Create};

}  // namespace

// The good library registers its delegate with the macro, as other libraries
// do.
#if defined(STOWAGE_GOOD)
STOWAGE_DELEGATE_LIBRARY(Create);
#elif !defined(STOWAGE_WITHOUT_SYMBOL)
extern "C" __attribute__((visibility("default")))
const stowage::harness::DelegateLibrary*
stowage_delegate_library() {
  return kFault == "null_entry" ? nullptr : &kLibrary;
}
#endif
