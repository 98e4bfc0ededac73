// SPDX-License-Identifier: Apache-2.0
// Defines a verb: options on the command line, and an action that returns an
// outcome. A verb prints nothing itself, so a run that fails halfway writes
// nothing to standard output.
#ifndef STOWAGE_SRC_COMMAND_VERB_H_
#define STOWAGE_SRC_COMMAND_VERB_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/text.h"
#include "stowage/verify.h"

namespace CLI {
class App;
}  // namespace CLI

namespace stowage::cli {

enum class ExitCode {
  kDone = 0,
  kRefuted = 1,     // a check failed
  kMisuse = 2,      // the command line is wrong
  kBadInput = 3,    // a file cannot be read, written or understood
  kInfeasible = 4,  // it is proved that there is no such plan
  // Exit code if no plan was found within the limits of time, work or memory.
  kGaveUp = 5,
};

struct Outcome {
  ExitCode code = ExitCode::kDone;
  // This text goes to standard output.
  std::string out;
  // Text of whole lines that goes to standard error.
  std::string err;
};

// Returns the outcome for a failure. The message is printed on one line, even
// if it contains line breaks.
inline Outcome Failure(ExitCode code, absl::string_view message) {
  return {code, "", absl::StrCat(OneLine(message), "\n")};
}

// Returns the outcome for a file that cannot be read, written or understood.
// The message of the status names the file.
inline Outcome BadInput(const absl::Status& status) {
  return Failure(ExitCode::kBadInput, status.message());
}

// Returns the outcome for a wrong command line. `verb` is the verb that the
// user typed.
inline Outcome Misuse(absl::string_view verb, absl::string_view message) {
  return Failure(ExitCode::kMisuse,
                 absl::StrCat("stowage ", verb, ": ", message));
}

// Returns the exit code for an error of the library. An unsupported request is
// a misuse, and an unsafe plan is a failed check.
inline ExitCode ExitCodeOf(const absl::Status& status) {
  if (absl::IsUnimplemented(status)) return ExitCode::kMisuse;
  if (absl::IsInternal(status) || ViolationOf(status)) {
    return ExitCode::kRefuted;
  }
  if (absl::IsResourceExhausted(status)) return ExitCode::kGaveUp;
  return ExitCode::kBadInput;
}

// Returns the outcome for an error of the library.
inline Outcome Failure(const absl::Status& status) {
  return Failure(ExitCodeOf(status), status.message());
}

using Action = std::function<Outcome()>;

// Adds every verb to `app`. Each verb has a function with these parameters in a
// file of its own; for example, AddPlan is defined in src/command/verb_plan.cc.
// Parsing a command line that contains the verb sets `action`, which must
// outlive the parsing.
void AddVerbs(CLI::App* app, Action* action);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_VERB_H_
