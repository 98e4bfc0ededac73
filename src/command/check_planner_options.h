// SPDX-License-Identifier: Apache-2.0
// Declares the options of `stowage check-planner`. Options that several verbs
// share are in options.h.
#ifndef STOWAGE_SRC_COMMAND_CHECK_PLANNER_OPTIONS_H_
#define STOWAGE_SRC_COMMAND_CHECK_PLANNER_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "src/command/check_planner_report.h"
#include "src/command/options.h"

namespace stowage::cli {

struct CheckPlannerArgs {
  CheckedCommand checked;
  std::string junit;
  Format format = Format::kText;
};

void AddCheckPlannerOptions(CLI::App* verb, CheckPlannerArgs* args);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_CHECK_PLANNER_OPTIONS_H_
