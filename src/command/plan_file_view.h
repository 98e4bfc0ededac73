// SPDX-License-Identifier: Apache-2.0
// Plan files as the verbs that show plans read them, and what they say of a
// plan that is not safe.
#ifndef STOWAGE_SRC_COMMAND_PLAN_FILE_VIEW_H_
#define STOWAGE_SRC_COMMAND_PLAN_FILE_VIEW_H_

#include <string>

#include "absl/status/statusor.h"
#include "src/command/inputs.h"
#include "stowage/explain/plan_view.h"

namespace stowage::cli {

// The plan of a file, titled as InputName calls it. Error: as
// InputReader::Read and ViewPlan, and InvalidArgument for an input without a
// plan; the message names the input.
absl::StatusOr<views::PlanView> ReadPlanView(const std::string& path,
                                             InputReader* inputs);

// A line for standard error with the verifier's witness against the plan of
// `path`; empty if the plan is safe.
std::string UnsafeLine(const std::string& path, const views::PlanView& view);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_PLAN_FILE_VIEW_H_
