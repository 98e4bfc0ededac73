// SPDX-License-Identifier: Apache-2.0
// Calls delegates and converts their exceptions to errors, because a delegate
// may be third-party code.
#ifndef STOWAGE_SRC_HARNESS_CALL_DELEGATE_H_
#define STOWAGE_SRC_HARNESS_CALL_DELEGATE_H_

#include <exception>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stowage/harness/delegate.h"

namespace stowage::harness {

// Returns the name of the delegate, or "a delegate without a name" if info()
// throws or returns an empty name.
std::string DelegateName(const Delegate& delegate);

// Returns the result of `call`, which must be a Status or a StatusOr. Error:
// Internal if `call` throws.
template <typename Call>
auto CallGuarded(absl::string_view what, const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat(
        what, " threw: ", error.what(), "; expected an error that it returns"));
  } catch (...) {
    return absl::InternalError(absl::StrCat(
        what, " threw an exception; expected an error that it returns"));
  }
}

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_CALL_DELEGATE_H_
