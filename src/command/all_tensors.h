// SPDX-License-Identifier: Apache-2.0
// `stowage plan MODEL --all-tensors -o PLAN`: a plan that has a row for every
// tensor, those that share the memory of others included.
#ifndef STOWAGE_SRC_COMMAND_ALL_TENSORS_H_
#define STOWAGE_SRC_COMMAND_ALL_TENSORS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/command/plan_report.h"
#include "stowage/io/problem_file.h"

namespace stowage::cli {

// Returns the error for --all-tensors if it has no effect: without a plan file,
// on shared objects, or where every tensor has a row anyway.
absl::Status CheckAllTensors(const PlanArgs& args);

// Returns the rows, with the columns id and offset. `plan` must be the plan of
// the model that the arguments name. Errors: InvalidArgument if it is no model.
absl::StatusOr<std::string> FormatAllTensors(const PlanArgs& args,
                                             const ProblemFile& plan);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_ALL_TENSORS_H_
