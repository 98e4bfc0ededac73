// SPDX-License-Identifier: Apache-2.0
// Limits options to the kinds of inputs on which they have an effect, and
// refuses them elsewhere, so that no option is silently ignored.
//
//   LimitTo(InputKind::kModel, AddParsed(verb, "--subgraph", ...), &limits);
//   ...
//   absl::Status s = CheckEffects(limits, {{"x.csv", InputKind::kTrace}});
//
// Options that permit something (--relax, --ignore-unknown-columns) or limit
// something (--capacity, --time-limit) need no limit here: they count as
// effective on every input, even if an input does not need them.
#ifndef STOWAGE_SRC_COMMAND_OPTION_LIMITS_H_
#define STOWAGE_SRC_COMMAND_OPTION_LIMITS_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage::cli {

enum class InputKind {
  kTrace,    // CSV
  kProblem,  // JSON
  kModel,    // a .tflite file
};

struct SeenInput {
  std::string path;
  InputKind kind = InputKind::kTrace;
};

// Returns why an option has no effect even on an input of its kind, and what is
// expected: "with --lifetimes cpu, which ...; expected ...". Returns an empty
// string if it has an effect.
using WhyIdle = std::function<std::string()>;

struct OptionLimit {
  const CLI::Option* option = nullptr;
  InputKind kind = InputKind::kModel;
  WhyIdle why_idle;  // may be null
};

// Adds a limit for `option`, and returns the option.
CLI::Option* LimitTo(InputKind kind, CLI::Option* option,
                     std::vector<OptionLimit>* limits,
                     WhyIdle why_idle = nullptr);

// Returns InvalidArgument, naming option and input, for an option of the
// command line that has no effect on any of the inputs. An effect on one of
// several inputs is enough.
absl::Status CheckEffects(absl::Span<const OptionLimit> limits,
                          absl::Span<const SeenInput> inputs);

// Returns InvalidArgument, naming the option, for the first of these options
// that is given. `why` says why it has no effect, and what is expected.
absl::Status CheckNotGiven(const CLI::App& verb,
                           absl::Span<const char* const> options,
                           absl::string_view why);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_OPTION_LIMITS_H_
