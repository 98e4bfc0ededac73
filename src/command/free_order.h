// SPDX-License-Identifier: Apache-2.0
// Handles inputs whose tasks may run in any order, and plans that have chosen
// an order.
#ifndef STOWAGE_SRC_COMMAND_FREE_ORDER_H_
#define STOWAGE_SRC_COMMAND_FREE_ORDER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/free_order.h"
#include "stowage/io/problem_file.h"
#include "stowage/usage_record.h"

namespace stowage::cli {

// Returns the first tasks of the order as one line of text: "0 1 3 2".
std::string OrderText(absl::Span<const TaskId> order);

// Applies the order of a plan to the plan and to its problem: the records of
// both get the intervals that they have in this order. If the order is not
// valid, returns a violation and changes nothing. Does nothing if the order of
// the problem is not free. Error messages refer to the two files by their
// paths. Error: InvalidArgument if only one of the files has an order, or if
// the plan belongs to another problem.
absl::StatusOr<absl::optional<OrderViolation>> ApplyOrder(
    const std::string& problem_path, ProblemFile* problem,
    const std::string& plan_path, ProblemFile* plan);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_FREE_ORDER_H_
