// SPDX-License-Identifier: Apache-2.0
// Implements --cost-limit and --pareto of `stowage plan`. With these options, a
// problem with preferences is solved for a goal other than the minimum cost.
#ifndef STOWAGE_SRC_COMMAND_COST_CURVE_REPORT_H_
#define STOWAGE_SRC_COMMAND_COST_CURVE_REPORT_H_

#include <CLI/CLI.hpp>

#include "absl/status/status.h"
#include "src/command/plan_report.h"
#include "src/command/verb.h"
#include "stowage/io/problem_file.h"
#include "stowage/strategy.h"

namespace stowage::cli {

void AddCostAims(CLI::App* verb, PlanArgs* args);

// Returns InvalidArgument if an option cannot be combined with --cost-limit or
// --pareto, or if the format is CSV without --pareto.
absl::Status CheckCostAims(const CLI::App& verb, const PlanArgs& args);

// Returns InvalidArgument if --cost-limit or --pareto is given for a problem
// without preferences.
absl::Status CheckHasPreferences(const PlanArgs& args,
                                 const ProblemSpec& problem);

// Computes the curve of --pareto for the problem in a file, and writes the
// picture of the curve if requested. If no plan is found, the exit code is 4 if
// it is proved that no plan exists, and 5 if it is not.
Outcome DeliverCurve(const PlanArgs& args, const ProblemFile& file,
                     SolveOptions options);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_COST_CURVE_REPORT_H_
