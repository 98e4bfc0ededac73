// SPDX-License-Identifier: Apache-2.0
// Restricts options to the kinds of inputs on which they have an effect, and
// rejects them for all other inputs, so that no option is silently ignored.
//
//   LimitTo({InputKind::kModel}, AddParsed(verb, "--subgraph", ...), &limits);
//   ...
//   absl::Status s = CheckEffects(limits, {{"x.csv", InputKind::kTrace}});
//
// Some options permit something (--relax, --shadow) or limit something
// (--capacity, --time-limit), and change nothing for an input that does not
// need them. Do not reject such an option for an input if it could have an
// effect on another input of the same kind.
#ifndef STOWAGE_SRC_COMMAND_OPTION_LIMITS_H_
#define STOWAGE_SRC_COMMAND_OPTION_LIMITS_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {

enum class InputKind {
  kTrace,      // the input is a CSV file
  kProblem,    // the input is a JSON file
  kModel,      // the input is a .tflite file
  kProgram,    // the input is a JSON file with functions
  kDynamic,    // the input is a JSON file with parameters
  kRecording,  // the input is what another program wrote about its memory
};

struct SeenInput {
  std::string path;
  InputKind kind = InputKind::kTrace;
  // The content of the model. Null unless the effect of an option depends on
  // it.
  const Model* model = nullptr;
  // The name of the format of a recording.
  std::string format = {};
};

// Explains why an option has no effect on an input of a permitted kind. Returns
// an empty string if the option has an effect. Otherwise, returns a text that
// continues the sentence "has no effect on INPUT" and states what is expected
// instead: "with --lifetimes cpu, which ...; expected ..." or ", which has no
// plan; expected ...".
using WhyIdle = std::function<std::string(const SeenInput& input)>;

struct OptionLimit {
  const CLI::Option* option = nullptr;
  std::vector<InputKind> kinds;
  WhyIdle why_idle;  // it may be null
};

// Returns the heading in the help for options that are restricted to `kinds`.
std::string HeadingFor(std::vector<InputKind> kinds);

// Restricts `option` to inputs of these kinds, and returns the option.
CLI::Option* LimitTo(std::vector<InputKind> kinds, CLI::Option* option,
                     std::vector<OptionLimit>* limits,
                     WhyIdle why_idle = nullptr);

// Returns InvalidArgument if an option of the command line has no effect on any
// of the inputs. If there are several inputs, it is enough that the option has
// an effect on one of them. The message names the option and the input.
absl::Status CheckEffects(absl::Span<const OptionLimit> limits,
                          absl::Span<const SeenInput> inputs);

// Returns InvalidArgument if one of these options is given. The message names
// the first of these options, followed by `why`, which must state why the
// option has no effect and what is expected.
absl::Status CheckNotGiven(const CLI::App& verb,
                           absl::Span<const char* const> options,
                           absl::string_view why);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_OPTION_LIMITS_H_
