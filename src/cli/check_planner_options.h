// SPDX-License-Identifier: Apache-2.0
// The options of check-planner that say what is checked.
#ifndef STOWAGE_SRC_CLI_CHECK_PLANNER_OPTIONS_H_
#define STOWAGE_SRC_CLI_CHECK_PLANNER_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "src/cli/check_planner_report.h"

namespace stowage::cli {

void AddPlannerCheckOptions(CLI::App* verb, CheckedCommand* checked);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_CLI_CHECK_PLANNER_OPTIONS_H_
