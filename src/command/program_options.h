// SPDX-License-Identifier: Apache-2.0
// Declares the options that place several graphs in one arena: all functions of
// a model, the graphs of its signatures, or several models. Also declares the
// options that determine how the state of a model is stored.
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
  kInterleave,  // models alternate after every operator
};

struct ProgramAsk {
  absl::optional<bool> state_in_place;
  std::vector<std::string> carried;  // the texts of --state-io
  // If true, all functions of a model are planned together, including the
  // temporaries of operators, as `stowage run` does.
  bool nests_calls = false;
  // If `nests_by_default` is true, models that call functions are planned as
  // with `nests_calls` even if no option requests this. `has_nested` is set to
  // true once such a model has been read.
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

// Adds --state, --state-io, --calls, --signatures, --together and --hand.
void AddProgramOptions(CLI::App* verb, InputOptions* options);

// Sets ProgramAsk::nests_by_default, which determines whether models that call
// functions are planned as programs by default. The field is set to true if the
// lifetime rules are `cpu` and the command line has neither --subgraph, nor an
// option in `idle`, nor an option of programs. Otherwise, it is set to false.
void NestByDefault(const CLI::App& verb, absl::Span<const char* const> idle,
                   InputOptions* options);

// Returns InvalidArgument if the options of programs contradict each other, the
// number of inputs or the lifetime rules. Also returns InvalidArgument if there
// are several inputs that are not planned together, or if models are planned as
// programs although an option in `idle` is given. `idle` lists the options of
// the verb that have no effect on such models.
absl::Status CheckProgramOptions(const CLI::App& verb,
                                 const InputOptions& options,
                                 absl::Span<const std::string> inputs,
                                 absl::Span<const char* const> idle);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PROGRAM_OPTIONS_H_
