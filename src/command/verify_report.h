// SPDX-License-Identifier: Apache-2.0
// Reports the verdict of stowage verify on a plan as text and JSON.
#ifndef STOWAGE_SRC_COMMAND_VERIFY_REPORT_H_
#define STOWAGE_SRC_COMMAND_VERIFY_REPORT_H_

#include <string>

#include "src/command/json.h"
#include "src/command/plan_verdict.h"
#include "stowage/problem.h"

namespace stowage::cli {

std::string VerdictText(const ProblemSpec& problem, const PlanVerdict& verdict);

// Returns a JSON object whose keys are to be added to a document.
Json VerdictJson(const ProblemSpec& problem, const PlanVerdict& verdict);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_VERIFY_REPORT_H_
