// SPDX-License-Identifier: Apache-2.0
// The report of check-planner as text, JSON and JUnit XML.
#ifndef STOWAGE_SRC_COMMAND_CHECK_PLANNER_REPORT_H_
#define STOWAGE_SRC_COMMAND_CHECK_PLANNER_REPORT_H_

#include <string>

#include "stowage/testing/check_planner.h"

namespace stowage::cli {

// What was checked, as the command line has it.
struct CheckedCommand {
  std::string command;
  std::string replayed;  // the file of the only trace; empty if generated
  std::string failing;   // the file to write the failing trace to, if any
  testing::PlannerCheckOptions options;
};

// The trace to attach to a report: the program fails on it by itself. CSV, of a
// problem JSON.
std::string FailingTraceFile(const testing::PlannerFailure& failure);

std::string CheckText(const CheckedCommand& checked,
                      const testing::PlannerCheckReport& report);
// How to try the failing trace again: the last lines of the text, after the
// trace. Empty if there is none, or if it was replayed.
std::string ReplayText(const CheckedCommand& checked,
                       const testing::PlannerCheckReport& report);
std::string CheckJson(const CheckedCommand& checked,
                      const testing::PlannerCheckReport& report);
// A test suite with a test case for each property, as build servers read it.
std::string CheckJunit(const CheckedCommand& checked,
                       const testing::PlannerCheckReport& report);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_CHECK_PLANNER_REPORT_H_
