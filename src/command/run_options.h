// SPDX-License-Identifier: Apache-2.0
// The options of stowage run. Options that several verbs share are in
// options.h.
#ifndef STOWAGE_SRC_COMMAND_RUN_OPTIONS_H_
#define STOWAGE_SRC_COMMAND_RUN_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "src/command/delegate_options.h"
#include "src/command/event_file.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "stowage/harness/run_model.h"

namespace stowage::cli {

struct RunArgs {
  std::string model;
  harness::RunOptions options;  // except for the fields below
  std::map<std::string, std::string> input_paths;  // by name or position
  std::string shadow;                              // empty, "missing" or "all"
  std::string check;                               // empty, "outputs" or "all"
  SearchArgs search;                               // the limits of searches
  DelegateArgs delegates;
  bool bisects = false;   // find delegated nodes that change outputs
  double tolerance = 0;   // for differences of outputs
  bool is_micro = false;  // in the arena of a device
  absl::optional<size_t> arena_size;
  bool honour_offline_plan = false;  // in the arena of a device
  bool memory = false;
  bool profile = false;
  EventFile events;  // requires `profile`
  Format format = Format::kText;
  std::vector<OptionLimit> limits;
};

void AddRunOptions(CLI::App* verb, RunArgs* args);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_RUN_OPTIONS_H_
