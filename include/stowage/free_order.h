// SPDX-License-Identifier: Apache-2.0
// Describes tasks with a free order. The tasks run one at a time, in any order
// that their edges permit, and the memory planner also chooses this order.
//
// In a given order, a record is live from the first of its users to the last.
// The order therefore determines which records are live at the same time. If a
// problem has a free order (ProblemSpec::free_order), Solve (planner.h) chooses
// an order together with the plan. For tasks that may run at the same time, use
// a TaskOrder (task_order.h) instead.
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

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/labels.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage {

// The tasks 0 to `tasks` - 1 with the edges between them, and the tasks that
// use each record.
struct FreeOrder {
  size_t tasks = 0;
  std::vector<TaskEdge> edges;
  // For each record, the tasks that use it. Every record has at least one user.
  UserLists users;
};

// Checks a free order for a problem of `records` records. Errors:
//   InvalidArgument    there is an edge to a task that does not exist, or a
//                      cycle (the error names the tasks); a record has no
//                      users, or a user that does not exist (the error names
//                      the record)
//   ResourceExhausted  there are more than 2^32 - 2 tasks, or more tasks than
//                      2^24 + 2 * edges + users
// O(tasks + edges + users).
Status CheckFreeOrder(const FreeOrder& free_order, size_t records);

// The reason why tasks may not run in a given sequence.
struct OrderViolation {
  enum class Kind {
    kWrongLength,     // the number of entries is not the number of tasks
    kUnknownTask,     // `position` has a task that does not exist
    kRepeatedTask,    // `position` repeats the task at `other_position`
    kNotTopological,  // `edge` is reversed, with its tasks at these positions
  };
  Kind kind = Kind::kWrongLength;
  TaskId task = 0;      // is set for kUnknownTask and kRepeatedTask
  TaskEdge edge;        // is set for kNotTopological
  size_t position = 0;  // the position of `task`, or of edge.after
  // The earlier position of `task` for kRepeatedTask, and the position of
  // edge.before for kNotTopological.
  size_t other_position = 0;
  size_t length = 0;  // is set for kWrongLength: the length of the order
  size_t tasks = 0;   // is set for kWrongLength: the number of tasks
};

// Returns the first reason why the tasks may not run in the order that `order`
// lists, or nullopt if they may. Requires a FreeOrder that passes
// CheckFreeOrder. O(tasks + edges).
optional<OrderViolation> FindOrderViolation(const FreeOrder& free_order,
                                            Span<const TaskId> order);

// Returns one line that describes a violation, such as "order is not
// topological: task 3 runs at position 1, before task 0 at position 2; expected
// the edge [0, 3] to be kept".
std::string Describe(const OrderViolation& violation);

// Returns the position of each task in the order. Requires an order without a
// violation. O(tasks).
std::vector<size_t> PositionsIn(Span<const TaskId> order);

// Returns the records with the intervals that result from the order: the
// interval of a record extends from the position of its first user to the
// position of its last user. Requires an order without a violation, and a
// FreeOrder that passes CheckFreeOrder for the number of records. O(tasks +
// users).
std::vector<TensorUsageRecord<size_t>> RecordsInOrder(
    Span<const TensorUsageRecord<size_t>> records, const FreeOrder& free_order,
    Span<const TaskId> order);

// Returns the labels with each task replaced by its position in the order.
// Requires an order without a violation. O(labels).
Labels LabelsInOrder(Labels labels, Span<const TaskId> order);

}  // namespace stowage

#endif  // STOWAGE_FREE_ORDER_H_
