// SPDX-License-Identifier: Apache-2.0
// Formats the report of stowage check-planner.
#ifndef STOWAGE_SRC_COMMAND_CHECK_PLANNER_REPORT_H_
#define STOWAGE_SRC_COMMAND_CHECK_PLANNER_REPORT_H_

#include <string>

#include "src/command/answer.h"
#include "stowage/testing/check_planner.h"

namespace stowage::cli {

// The command that was checked, as the command line describes it.
struct CheckedCommand {
  std::string command;
  // Names the file of the trace to replay. It is empty if traces are generated.
  std::string replayed;
  // Names the file for the failing trace. It is empty if the trace is not
  // written.
  std::string failing;
  testing::PlannerCheckOptions options;
};

// Returns the text of a file to attach to a bug report. The program fails when
// it is run on this file alone. The file is a CSV file, or a JSON file if the
// input is a problem.
std::string FailingTraceFile(const testing::PlannerFailure& failure);

Answer CheckAnswer(const CheckedCommand& checked,
                   const testing::PlannerCheckReport& report);
// Returns instructions for trying the failing trace again. They are the last
// lines of the text report, after the trace. Returns an empty string if no
// trace failed, or if the failing trace was itself replayed.
std::string ReplayText(const CheckedCommand& checked,
                       const testing::PlannerCheckReport& report);
// Returns a test suite for build servers, with a test case for each property.
std::string CheckJunit(const CheckedCommand& checked,
                       const testing::PlannerCheckReport& report);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_CHECK_PLANNER_REPORT_H_
