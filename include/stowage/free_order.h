// SPDX-License-Identifier: Apache-2.0
// Tasks whose order is free: they run one at a time, in any order that their
// edges allow, and whoever plans the memory also chooses the order.
//
// Under an order a record lives from the first to the last of its users, so
// that the order decides which records are live together. order_planner.h
// chooses one together with a plan; where tasks may run at the same time, use a
// TaskOrder (task_order.h) instead.
//
//   0 ──> 2        the order 0 1 2 3 keeps the results of 0 and 1 live at
//   1 ──> 3        once; the order 0 2 1 3 does not
//
//   FreeOrder free_order;
//   free_order.tasks = 4;
//   free_order.edges = {{0, 2}, {1, 3}};
//   free_order.users = {{{0, 2}, {1, 3}}};
//   FindOrderViolation(free_order, {0, 2, 1, 3});  // none
#ifndef STOWAGE_FREE_ORDER_H_
#define STOWAGE_FREE_ORDER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage {

// Tasks 0 to `tasks` - 1, and the records that they use.
struct FreeOrder {
  size_t tasks = 0;
  std::vector<TaskEdge> edges;
  UserLists users;  // an entry for every record, of at least one task
};

// Errors: InvalidArgument, naming the tasks, for an edge to an unknown task and
// for a cycle, and, naming the record, for users that are missing or unknown;
// ResourceExhausted for more than 2^32 - 2 tasks, or more tasks than the edges
// and users name by more than 2^24. O(tasks + edges + users).
absl::Status CheckFreeOrder(const FreeOrder& free_order, size_t records);

// Why a sequence of tasks is no order that may be run.
struct OrderViolation {
  enum class Kind {
    kWrongLength,     // it has not as many entries as there are tasks
    kUnknownTask,     // `position` has a task that does not exist
    kRepeatedTask,    // `position` has the task of `other_position` again
    kNotTopological,  // `edge` is reversed: its tasks are at these positions
  };
  Kind kind = Kind::kWrongLength;
  TaskId task = 0;            // of kUnknownTask and kRepeatedTask
  TaskEdge edge;              // of kNotTopological
  size_t position = 0;        // of `task`, or of edge.after
  size_t other_position = 0;  // of the task before, or of edge.before
  size_t length = 0;          // of kWrongLength: how long it is
  size_t tasks = 0;           // and how many tasks there are
};

// The first reason why `order`, the tasks in the order in which they run, is no
// order of these tasks; nothing if it is one. Requires a FreeOrder that passes
// CheckFreeOrder. O(tasks + edges).
absl::optional<OrderViolation> FindOrderViolation(
    const FreeOrder& free_order, absl::Span<const TaskId> order);

// One line: "order is not topological: task 3 runs at position 1, before task 0
// at position 2; expected the edge [0, 3] to be kept".
std::string Describe(const OrderViolation& violation);

// The position of each task in an order without a violation. O(tasks).
std::vector<size_t> PositionsIn(absl::Span<const TaskId> order);

// The records as they live under an order without a violation: from the
// position of the first of their users to that of the last. Requires a
// FreeOrder that passes CheckFreeOrder for as many records. O(tasks + users).
std::vector<TensorUsageRecord<size_t>> RecordsInOrder(
    absl::Span<const TensorUsageRecord<size_t>> records,
    const FreeOrder& free_order, absl::Span<const TaskId> order);

}  // namespace stowage

#endif  // STOWAGE_FREE_ORDER_H_
