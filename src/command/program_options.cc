// SPDX-License-Identifier: Apache-2.0
#include "src/command/program_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/command/inputs.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "stowage/tflite/lifetimes.h"

namespace stowage::cli {
namespace {

absl::Status Refuse(absl::string_view option, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(option, ": ", why));
}

// Checks that options for a single graph are not combined with options for
// several graphs.
absl::Status CheckSingle(const CLI::App& verb, const ProgramAsk& ask) {
  if (ask.nests_calls && (ask.enters_signatures || ask.together)) {
    return Refuse("--calls",
                  "with --signatures or --together; expected one of these");
  }
  if (ask.enters_signatures && verb.count("--subgraph") > 0) {
    return Refuse("--subgraph",
                  "with --signatures, which plans all signatures; expected one "
                  "of the two");
  }
  if (!ask.enters_signatures && !ask.together) return absl::OkStatus();
  return CheckNotGiven(
      verb, {"--shape"},
      "with several graphs; expected neither --signatures nor --together");
}

// Checks the options that depend on the number of inputs.
absl::Status CheckTogether(const ProgramAsk& ask, size_t inputs) {
  if (!ask.together) {
    if (!ask.hand_overs.empty()) {
      return Refuse("--hand",
                    "without --together sequence, under which a model hands "
                    "outputs to a later one; expected both");
    }
    if (inputs < 2) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        inputs, " inputs; expected one, or --together sequence|interleave"));
  }
  if (inputs < 2) {
    return Refuse("--together", "one input; expected several");
  }
  if (ask.enters_signatures) {
    return Refuse("--signatures", "with --together; expected one of the two");
  }
  if (!ask.carried.empty()) {
    return Refuse("--state-io", "with --together; expected one of the two");
  }
  if (!ask.hand_overs.empty() && *ask.together == Together::kInterleave) {
    return Refuse("--hand",
                  "with --together interleave, where no model ends before "
                  "another begins; expected --together sequence");
  }
  return absl::OkStatus();
}

}  // namespace

void AddProgramOptions(CLI::App* verb, InputOptions* options) {
  ProgramAsk* const ask = &options->program;
  const std::vector<InputKind> both = {InputKind::kModel, InputKind::kProgram};
  const auto limit = [&](const std::vector<InputKind>& kinds,
                         CLI::Option* option) {
    LimitTo(kinds, option, options);
  };
  limit(both,
        AddWord(verb, "--state", {"auto", "copy"},
                "Read and assign variables in place, and "
                "keep what --state-io carries in one place, wherever that is "
                "possible (auto, the default), or copy it each time (copy)",
                [ask](size_t k) { ask->state_in_place = k == 0; }));
  limit(both,
        AddTexts(
            verb, "--state-io", "OUT=IN",
            "The output OUT of one invocation is the "
            "input IN of the next; both are names or numbers; may be repeated",
            &ask->carried));
  limit({InputKind::kModel},
        AddWord(verb, "--calls", {"nested"},
                "Plan all functions that call each other in one arena, "
                "with the temporaries of operators, as stowage run does; the "
                "default under --lifetimes cpu for models that call functions, "
                "unless --subgraph is given",
                [ask](size_t) { ask->nests_calls = true; }));
  limit({InputKind::kModel},
        verb->add_flag("--signatures", ask->enters_signatures,
                       "Plan all signatures in one arena, where one "
                       "runs at a time"));
  limit(both,
        AddWord(
            verb, "--together", {"sequence", "interleave"},
            "Plan several models or programs in one arena: they run one after "
            "the other (sequence), or an operator of each in turn (interleave)",
            [ask](size_t k) {
              ask->together =
                  k == 0 ? Together::kSequence : Together::kInterleave;
            }));
  limit(both, AddTexts(verb, "--hand", "MODEL:OUT=MODEL:IN",
                       "With --together sequence: the output OUT of one model "
                       "is the input IN of a later one; may be repeated",
                       &ask->hand_overs));
}

void NestByDefault(const CLI::App& verb, absl::Span<const char* const> idle,
                   InputOptions* options) {
  const bool has_idle =
      std::any_of(idle.begin(), idle.end(),
                  [&](const char* option) { return verb.count(option) > 0; });
  options->program.nests_by_default =
      options->lifetimes == LifetimeRules::kCpu &&
      !options->program.IsGiven() && !has_idle && verb.count("--subgraph") == 0;
}

absl::Status CheckProgramOptions(const CLI::App& verb,
                                 const InputOptions& options,
                                 absl::Span<const std::string> inputs,
                                 absl::Span<const char* const> idle) {
  const ProgramAsk& ask = options.program;
  absl::Status status = CheckTogether(ask, inputs.size());
  if (status.ok()) status = CheckSingle(verb, ask);
  if (!status.ok() || !ask.IsGiven()) return status;
  if (options.lifetimes != LifetimeRules::kCpu) {
    return Refuse("--lifetimes",
                  absl::StrCat(LifetimeRulesName(options.lifetimes),
                               ": with --state, --state-io, --calls, "
                               "--signatures or --together, whose rules are "
                               "those of cpu; expected cpu"));
  }
  return CheckNotGiven(
      verb, idle,
      "beside --state, --state-io, --calls, --signatures and --together, which "
      "plan all functions in one arena; expected one of these or the option");
}

}  // namespace stowage::cli
