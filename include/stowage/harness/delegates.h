// SPDX-License-Identifier: Apache-2.0
// The delegates that are linked in or can be loaded, by name. To write one see
// delegate.h; to apply one, Subgraph::ApplyDelegate (interpreter.h).
//
//   absl::StatusOr<std::unique_ptr<Delegate>> delegate =
//       CreateDelegate("xnnpack:threads=2");
//
// Each delegate is a library of its own (stowage::delegate_xnnpack), which adds
// itself to the list of any program that links it.
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
  std::string name;     // "xnnpack"
  std::string summary;  // one line, for `stowage list --delegates`
  std::string options;  // what it can be told: "threads=N"; or empty
  // Whether it can run here: an error says what is missing.
  absl::Status (*check)() = nullptr;
  absl::StatusOr<std::unique_ptr<Delegate>> (*create)(
      absl::string_view options) = nullptr;
};

// The linked ones, by name.
std::vector<DelegateRegistration> AllDelegates();

// Adds one. Called before main, by the library of the delegate.
void RegisterDelegate(DelegateRegistration registration);

// A delegate from "NAME", "NAME:OPTIONS", or the same with the path of a shared
// library, which contains a '/', in the place of the name. OPTIONS are
// "key=value", separated by commas. Errors: NotFound, with the names that there
// are, or for a file that does not exist; InvalidArgument for options that the
// delegate does not have; FailedPrecondition for a file that is not a shared
// library with a delegate of this version; Internal if it throws; Unavailable
// if its device is missing. A library stays loaded until the program ends.
absl::StatusOr<std::unique_ptr<Delegate>> CreateDelegate(
    absl::string_view text);

// A request for InterpreterOptions::delegates that calls CreateDelegate for
// each graph. The first delegate is created at once. Errors: those of
// CreateDelegate, but Unavailable, which the request itself returns: the same
// program may be meant to run where a device is missing.
absl::StatusOr<DelegateRequest> RequestDelegate(
    absl::string_view text, const ApplyOptions& options = {});

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_DELEGATES_H_
