// SPDX-License-Identifier: Apache-2.0
// Finds delegates by name. A delegate is linked into the program or loaded from
// a shared library. To write a delegate, see delegate.h; to apply a delegate,
// use Subgraph::ApplyDelegate (interpreter.h).
//
//   absl::StatusOr<std::unique_ptr<Delegate>> delegate =
//       CreateDelegate("xnnpack:threads=2");
//
// Each delegate of this project is a separate library, such as
// stowage::delegate_xnnpack, which adds itself to the list of delegates of any
// program that links it.
#ifndef STOWAGE_HARNESS_DELEGATES_H_
#define STOWAGE_HARNESS_DELEGATES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/harness/delegate.h"

namespace stowage::harness {

// A kind of delegate.
struct DelegateRegistration {
  std::string name;     // is "xnnpack", for example
  std::string summary;  // has one line, for `stowage list --delegates`
  std::string options;  // describes the options, as in "threads=N", or is empty
  // Returns OK if the delegate can run on this machine, and otherwise an error
  // that describes what is missing.
  absl::Status (*check)() = nullptr;
  absl::StatusOr<std::unique_ptr<Delegate>> (*create)(
      absl::string_view options) = nullptr;
};

// Returns the linked delegates, sorted by name.
std::vector<DelegateRegistration> AllDelegates();

// Adds a delegate to the list. The library of the delegate calls this function
// before main starts.
void RegisterDelegate(DelegateRegistration registration);

// Creates a delegate from "NAME" or "NAME:OPTIONS". NAME may also be the path
// of a shared library, which must contain a '/'. OPTIONS are "key=value" pairs,
// separated by commas. A library stays loaded until the program exits. Errors:
// NotFound, listing the known names, if the name is unknown; NotFound if the
// file does not exist; InvalidArgument if the delegate does not have the
// options; FailedPrecondition if the file is not a shared library with a
// delegate of this version; Internal if the delegate throws an exception;
// Unavailable if the device of the delegate is missing.
absl::StatusOr<std::unique_ptr<Delegate>> CreateDelegate(
    absl::string_view text);

// Returns a request for InterpreterOptions::delegates that calls CreateDelegate
// for each graph. Creates the first delegate immediately, to find errors early.
// Errors: those of CreateDelegate except Unavailable. If the device of the
// delegate is missing, RequestDelegate succeeds and using the request returns
// Unavailable, because the same program may also run on machines that have the
// device.
absl::StatusOr<DelegateRequest> RequestDelegate(
    absl::string_view text, const ApplyOptions& options = {});

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_DELEGATES_H_
