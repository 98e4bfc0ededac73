// SPDX-License-Identifier: Apache-2.0
// Declares the options that select delegates, for verbs that read models.
#ifndef STOWAGE_SRC_COMMAND_DELEGATE_OPTIONS_H_
#define STOWAGE_SRC_COMMAND_DELEGATE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/number_list.h"
#include "src/command/verb.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/partition.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {

struct DelegateArgs {
  // The delegates, in the format of CreateDelegate.
  std::vector<std::string> delegates;
  // The nodes that delegates may claim. If empty, delegates may claim all
  // nodes.
  std::vector<NumberRange> claim;
  absl::optional<harness::PartitionLimits> limits;
};

// Splits a list of delegates, "NAME[:OPTIONS],NAME...", at its commas. A comma
// may also separate two options of one delegate: if the first '=' of a part
// comes before any ':' and '/', the part is a further option of the previous
// delegate rather than another delegate. Error: InvalidArgument.
absl::StatusOr<std::vector<std::string>> ParseDelegates(absl::string_view text);

void AddDelegateOptions(CLI::App* verb, DelegateArgs* args);

// Creates the delegates. A verb should call this function before it reads a
// model, so that a wrong option is reported immediately. Errors: those of
// RequestDelegate, except that the error is FailedPrecondition if a file does
// not exist.
absl::StatusOr<std::vector<harness::DelegateRequest>> RequestDelegates(
    const DelegateArgs& args);

// Returns the outcome for an error of RequestDelegates: misuse for an unknown
// name or option, and bad input for a file that cannot be loaded.
Outcome FailedRequest(absl::string_view verb, const absl::Status& status);

// Restricts the requests to the nodes of `subgraph` that --claim lists. Error:
// InvalidArgument for nodes that the subgraph does not have.
absl::Status ClaimNodes(const DelegateArgs& args, const Model& model,
                        size_t subgraph,
                        absl::Span<harness::DelegateRequest> requests);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_DELEGATE_OPTIONS_H_
