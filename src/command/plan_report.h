// SPDX-License-Identifier: Apache-2.0
// The answer of stowage plan: its summary, as text and as JSON, and its files.
#ifndef STOWAGE_SRC_COMMAND_PLAN_REPORT_H_
#define STOWAGE_SRC_COMMAND_PLAN_REPORT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/options.h"
#include "src/command/picture_files.h"
#include "src/command/pools.h"
#include "src/command/verb.h"
#include "stowage/problem.h"
#include "stowage/problem_file.h"
#include "stowage/solution.h"

namespace stowage::cli {

struct PlanArgs {
  std::string input;
  std::string strategy;
  // The words of the summary on a strategy that nobody asked for; else empty.
  std::string strategy_note;
  PlanKind kind = PlanKind::kOffsets;
  absl::optional<size_t> alignment;
  absl::optional<size_t> capacity;
  PoolArgs pools;
  bool decide = false;
  bool progress = false;
  SearchArgs search;
  std::string output;
  std::string certificate;
  PictureFiles pictures;
  Format format = Format::kText;
  InputOptions trace;
  bool names = true;  // in the plan file
};

// In the format of --format. The execution order of the file is that of the
// solution, if the order is free.
std::string FormatPlanSummary(const PlanArgs& args, const ProblemFile& file,
                              const Problem& problem, const Solution& solution);

// Writes the plan file if there is a plan within the capacity. Exit codes: 4 if
// it is proved that there is none, 5 if a search found out neither, 1 if only
// this plan is larger.
Outcome DeliverPlan(const PlanArgs& args, const ProblemFile& file,
                    const Problem& problem, const Solution& solution);

// Writes --certificate, if it is asked for and the solution proves something.
// Returns a message with its size and time if it has the log of a search, which
// may take as long as the search did. Errors: Cancelled, what the system
// reports.
absl::StatusOr<std::string> WriteCertificateFile(const PlanArgs& args,
                                                 const Problem& problem,
                                                 const Solution& solution);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PLAN_REPORT_H_
