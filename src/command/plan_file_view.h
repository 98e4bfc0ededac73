// SPDX-License-Identifier: Apache-2.0
// Reads plan files for the verbs that show plans, and formats the message about
// a plan that is not safe.
#ifndef STOWAGE_SRC_COMMAND_PLAN_FILE_VIEW_H_
#define STOWAGE_SRC_COMMAND_PLAN_FILE_VIEW_H_

#include <string>

#include "absl/status/statusor.h"
#include "src/command/inputs.h"
#include "stowage/explain/plan_view.h"

namespace stowage::cli {

// Returns the plan in a file, with the title that InputName returns. Errors:
// those of InputReader::Read and ViewPlan; InvalidArgument for an input without
// a plan. The message names the input.
absl::StatusOr<views::PlanView> ReadPlanView(const std::string& path,
                                             InputReader* inputs);

// Returns a line for standard error that explains why the plan at `path` is not
// safe, with the witness that the verifier has found. Returns an empty string
// if the plan is safe.
std::string UnsafeLine(const std::string& path, const views::PlanView& view);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PLAN_FILE_VIEW_H_
