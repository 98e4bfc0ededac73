// SPDX-License-Identifier: Apache-2.0
// Implements `stowage plan MODEL --all-tensors -o PLAN`. This command writes a
// plan file with a row for every tensor, even if the tensor shares the memory
// of another tensor.
#ifndef STOWAGE_SRC_COMMAND_ALL_TENSORS_H_
#define STOWAGE_SRC_COMMAND_ALL_TENSORS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/command/plan_report.h"
#include "stowage/io/problem_file.h"

namespace stowage::cli {

// Returns InvalidArgument if --all-tensors is given but cannot be honored or
// has no effect: for example, without a plan file, with shared objects, or if
// every tensor gets a row anyway.
absl::Status CheckAllTensors(const PlanArgs& args);

// Returns the text of the plan file: CSV with the columns id and offset.
// Requires that `plan` is a plan of the model that the arguments name. Errors:
// InvalidArgument if the input is not a model, or if --copies made is given;
// also those of reading and preparing the model.
absl::StatusOr<std::string> FormatAllTensors(const PlanArgs& args,
                                             const ProblemFile& plan);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_ALL_TENSORS_H_
