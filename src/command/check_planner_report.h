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
  // The name of the file of the trace to replay. Empty if traces are generated.
  std::string replayed;
  // The name of the file for the failing trace. Empty if the trace is not
  // written.
  std::string failing;
  testing::PlannerCheckOptions options;
};

// Returns the text of a file to attach to a bug report: a single input on which
// the program fails. The file is a JSON file if the input is a problem, and a
// CSV file otherwise.
std::string FailingTraceFile(const testing::PlannerFailure& failure);

Answer CheckAnswer(const CheckedCommand& checked,
                   const testing::PlannerCheckReport& report);
// Returns instructions for trying the failing trace again, which are the last
// lines of the text report, after the trace. Returns an empty string if no
// trace failed, or if the failing trace was itself replayed.
std::string ReplayText(const CheckedCommand& checked,
                       const testing::PlannerCheckReport& report);
// Returns a test suite for build servers (JUnit), with one test case per
// property.
std::string CheckJunit(const CheckedCommand& checked,
                       const testing::PlannerCheckReport& report);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_CHECK_PLANNER_REPORT_H_
