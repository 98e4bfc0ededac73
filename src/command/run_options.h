// SPDX-License-Identifier: Apache-2.0
// Declares the options of `stowage run`. Options that several verbs share are
// in options.h.
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
#include "src/command/shape_options.h"
#include "stowage/harness/run_model.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {

struct RunArgs {
  // `models` lists the models, which run one after another. `model` is the
  // first of them.
  std::vector<std::string> models;
  std::string model;
  // The options of the run. They are incomplete until the model is known; the
  // values of the fields below are then added to them.
  harness::RunOptions options;
  // Maps inputs to the paths of their files. A key is the name or the position
  // of an input. If several signatures or models run, the name of the signature
  // or model and a colon come before it.
  std::map<std::string, std::string> input_paths;
  // The keys of the signatures whose subgraphs run, one after another. Empty if
  // a subgraph is given by its number.
  std::vector<std::string> signatures;
  std::vector<std::string> hand_overs;  // the texts of --hand
  std::vector<std::string> carried;     // the texts of --state-io
  // The names of the signatures or models that run one after another. Set when
  // the model is known; empty if only one subgraph runs.
  std::vector<std::string> turns;
  // The value of --shadow: empty, "missing" or "all".
  std::string shadow;
  // The value of --check: empty, "outputs" or "all".
  std::string check;
  SearchArgs search;  // limits the searches
  DelegateArgs delegates;
  ShapeArgs shapes;
  // The parameter values at which the model runs, if its shapes have
  // parameters.
  std::vector<std::string> at;
  // If true, finds delegated nodes that change outputs.
  bool bisects = false;
  // The largest accepted difference between outputs.
  double tolerance = 0;
  // If true, runs in the arena of a device.
  bool is_micro = false;
  absl::optional<size_t> arena_size;
  // If true, uses the plan in the model. Applies only to runs in the arena of a
  // device.
  bool honour_offline_plan = false;
  bool memory = false;
  bool profile = false;
  EventFile events;  // requires `profile`
  Format format = Format::kText;
  std::vector<OptionLimit> limits;
};

void AddRunOptions(CLI::App* verb, RunArgs* args);

// Returns whether the model has operators that use resource variables.
bool HasVariables(const Model& model);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_RUN_OPTIONS_H_
