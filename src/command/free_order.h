// SPDX-License-Identifier: Apache-2.0
// Inputs whose tasks may run in any order, and plans that have chosen one.
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

// The trace as it runs in the order that a problem or plan has chosen: its
// tasks are positions in the order. Without one, the trace as it is. Requires
// an order without a violation.
Trace TraceInOrder(const ProblemFile& file);

// "0 1 3 2", as far as a line holds it.
std::string OrderText(absl::Span<const TaskId> order);

// Takes the order of a plan for its problem: both traces become those of that
// order, if it is one. Does nothing if the order is given. The paths stand for
// the files in messages. Error: InvalidArgument if only one of them has an
// order, or it is a plan for another problem.
absl::StatusOr<absl::optional<OrderViolation>> ApplyOrder(
    const std::string& problem_path, ProblemFile* problem,
    const std::string& plan_path, ProblemFile* plan);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_FREE_ORDER_H_
