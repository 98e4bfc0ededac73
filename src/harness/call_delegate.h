// SPDX-License-Identifier: Apache-2.0
// Calls delegates and the kernels of operators, which may be third-party code:
// converts their exceptions to errors, and has the error of a function that
// they call in the wrong phase.
#ifndef STOWAGE_SRC_HARNESS_CALL_DELEGATE_H_
#define STOWAGE_SRC_HARNESS_CALL_DELEGATE_H_

#include <exception>
#include <new>
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
// Internal if `call` throws; ResourceExhausted if it throws std::bad_alloc.
template <typename Call>
auto CallGuarded(absl::string_view what, const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        absl::StrCat(what, ": the system has no more memory"));
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat(
        what, " threw: ", error.what(), "; expected an error that it returns"));
  } catch (...) {
    return absl::InternalError(absl::StrCat(
        what, " threw an exception; expected an error that it returns"));
  }
}

// Returns the error of a kernel that has done `what` in Invoke but may do it
// only in Prepare or, if `is_invoke` is false, the other way round.
inline absl::Status WrongPhase(absl::string_view what, bool is_invoke) {
  return absl::FailedPreconditionError(
      absl::StrCat(what, is_invoke ? " in Invoke; expected in Prepare"
                                   : " in Prepare; expected in Invoke"));
}

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_CALL_DELEGATE_H_
