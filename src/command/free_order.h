// SPDX-License-Identifier: Apache-2.0
// Handles inputs whose tasks may run in any order, and plans that chose an
// order.
#ifndef STOWAGE_SRC_COMMAND_FREE_ORDER_H_
#define STOWAGE_SRC_COMMAND_FREE_ORDER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/free_order.h"
#include "stowage/problem_file.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage::cli {

// Returns the trace in the order that the problem or plan chose, so that tasks
// are positions in that order. Returns the trace unchanged if the order of the
// tasks is not free. Requires an order without a violation.
Trace TraceInOrder(const ProblemFile& file);

// Returns the first tasks of the order for one line: "0 1 3 2".
std::string OrderText(absl::Span<const TaskId> order);

// Applies the order of a plan to the plan and to its problem: both traces get
// the intervals under that order. Returns a violation and changes nothing if
// the order is not valid. Does nothing if the order of the problem is not free.
// The paths stand for the files in messages. Error: InvalidArgument if only one
// of them has an order, or if the plan belongs to another problem.
absl::StatusOr<absl::optional<OrderViolation>> ApplyOrder(
    const std::string& problem_path, ProblemFile* problem,
    const std::string& plan_path, ProblemFile* plan);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_FREE_ORDER_H_
