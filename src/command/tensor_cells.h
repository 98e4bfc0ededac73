// SPDX-License-Identifier: Apache-2.0
// Formats facts about one tensor of a trace for reports.
#ifndef STOWAGE_SRC_COMMAND_TENSOR_CELLS_H_
#define STOWAGE_SRC_COMMAND_TENSOR_CELLS_H_

#include <cstddef>
#include <string>

#include "src/command/answer.h"
#include "src/command/json.h"
#include "stowage/problem.h"

namespace stowage::cli {

// Returns the name of a tensor in a table: its id and, if known, its name and
// the operator that writes it. The text is truncated to fit a row.
Value TensorCell(const ProblemSpec& problem, size_t record);

// Returns the first and the last task of a tensor, "12-45", or only "12" if the
// tensor is live at one task.
std::string TasksCell(const ProblemSpec& problem, size_t record);

// Formats `part` as a percentage of `whole`, rounded to a tenth of a percent:
// "9.9 %". Returns "-" if `whole` is 0.
std::string Percent(size_t part, size_t whole);

// Returns the id, the size and the tasks of a tensor and, if known, its name,
// type, shape, producer, operator and consumers.
Json TensorJson(const ProblemSpec& problem, size_t record);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_TENSOR_CELLS_H_
