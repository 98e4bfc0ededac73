// SPDX-License-Identifier: Apache-2.0
// Options that have an effect on one kind of input alone, and the one check
// that refuses them elsewhere: no option is silently without effect.
//
//   LimitTo(InputKind::kModel, AddParsed(verb, "--subgraph", ...), &limits);
//   ...
//   absl::Status s = CheckEffects(limits, {{"x.csv", InputKind::kTrace}});
//
// An option that permits something (--relax, --ignore-unknown-columns) or
// limits something (--capacity, --time-limit) has an effect on every input that
// could need it.
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

// Returns what keeps an option from having an effect even on an input of its
// kind, and what is expected: "with --lifetimes cpu, which ...; expected ...".
// Returns an empty text if it has an effect.
using WhyIdle = std::function<std::string()>;

struct OptionLimit {
  const CLI::Option* option = nullptr;
  InputKind kind = InputKind::kModel;
  WhyIdle why_idle;  // may be null
};

// Adds a limit for `option`, which it returns.
CLI::Option* LimitTo(InputKind kind, CLI::Option* option,
                     std::vector<OptionLimit>* limits,
                     WhyIdle why_idle = nullptr);

// Error: InvalidArgument, naming option and input, for an option of the command
// line that has no effect on any of the inputs. Of several inputs of several
// kinds one is enough.
absl::Status CheckEffects(absl::Span<const OptionLimit> limits,
                          absl::Span<const SeenInput> inputs);

// Error: InvalidArgument, naming the first of these options that is given;
// `why` says why it has no effect, and what is expected.
absl::Status CheckNotGiven(const CLI::App& verb,
                           absl::Span<const char* const> options,
                           absl::string_view why);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_OPTION_LIMITS_H_
