// SPDX-License-Identifier: Apache-2.0
// The options by which all functions of a model, its state, its signatures or
// several models share one arena.
#ifndef STOWAGE_SRC_COMMAND_PROGRAM_OPTIONS_H_
#define STOWAGE_SRC_COMMAND_PROGRAM_OPTIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace CLI {
class App;
}  // namespace CLI

namespace stowage::cli {

struct InputOptions;

enum class Together {
  kSequence,    // models run one after the other
  kInterleave,  // models run alternately, an operator each
};

struct ProgramAsk {
  absl::optional<bool> state_in_place;
  std::vector<std::string> carried;  // the texts of --state-io
  // Says whether the functions of a model are planned together as a run does,
  // with the temporaries of operators.
  bool nests_calls = false;
  // Says whether models that call functions are planned so although no option
  // asks for it, and whether one was.
  bool nests_by_default = false;
  std::shared_ptr<bool> has_nested = std::make_shared<bool>(false);
  bool enters_signatures = false;
  absl::optional<Together> together;
  std::vector<std::string> hand_overs;  // the texts of --hand

  // Returns whether models are planned as programs.
  bool IsGiven() const {
    return state_in_place || !carried.empty() || nests_calls ||
           enters_signatures || together || !hand_overs.empty();
  }
};

// Adds --state, --state-io, --signatures, --together and --hand.
void AddProgramOptions(CLI::App* verb, InputOptions* options);

// Plans models that call functions as programs by default, under `cpu`, if the
// command line has none of the options `idle` and no --subgraph.
void NestByDefault(const CLI::App& verb, absl::Span<const char* const> idle,
                   InputOptions* options);

// Returns InvalidArgument for options of programs without effect beside each
// other or on that number of inputs, for several inputs that are not planned
// together, and for an option of `idle`, those of the verb without effect on
// models that are planned as programs.
absl::Status CheckProgramOptions(const CLI::App& verb,
                                 const InputOptions& options,
                                 absl::Span<const std::string> inputs,
                                 absl::Span<const char* const> idle);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PROGRAM_OPTIONS_H_
