// SPDX-License-Identifier: Apache-2.0
// Represents a partial order of tasks, for example of tasks that run on several
// streams.
//
// If tasks run one after the other, the intervals of the usage records
// determine which tensors are live together. If some tasks may run at the same
// time, create a TaskOrder, and add it to the constraints of a problem
// (constraints.h), together with the list of the tasks that use each record.
// Two records then CONFLICT unless every user of one record strictly precedes
// every user of the other record.
//
//   stream 0   0 ──> 1 ──> 4        0 precedes all others, 1 and 2 are
//               \         ^         unordered, 2 precedes 3 and 4
//   stream 1     > 2 ──> 3
//
//   StatusOr<TaskOrder> order =
//       TaskOrder::FromStreams({{0, 1, 4}, {2, 3}}, {{0, 2}, {3, 4}});
//
// A TaskOrder consists of chains. A chain is a sequence of tasks in which each
// task precedes the next. For every task and every chain, the order stores two
// numbers: the number of tasks of the chain that precede the task, and the
// position of the first task of the chain that follows the task. With these
// numbers, two tasks can be compared in O(1) without a table of all pairs.
#ifndef STOWAGE_TASK_ORDER_H_
#define STOWAGE_TASK_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/usage_record.h"

namespace stowage {

// An edge: task `before` precedes task `after`. Duplicate edges have no effect.
struct TaskEdge {
  TaskId before = 0;
  TaskId after = 0;

  friend bool operator==(const TaskEdge& a, const TaskEdge& b) {
    return a.before == b.before && a.after == b.after;
  }
};

class TaskOrder {
 public:
  // The maximum number of chains of an order.
  static constexpr size_t kMaxChains = 64;

  // Creates an order of the tasks 0 to `tasks` - 1. Task a precedes task b if a
  // path of edges leads from a to b. The chains are a greedy path cover of the
  // edges. Errors: InvalidArgument, naming the tasks, if an edge has an unknown
  // task or the edges form a cycle; ResourceExhausted, naming the number of
  // chains, if more than kMaxChains chains would be needed; ResourceExhausted
  // if there are more than 2^32 - 2 tasks. O((tasks + edges) * chains) time,
  // O(tasks * chains) memory.
  static StatusOr<TaskOrder> FromEdges(size_t tasks,
                                       Span<const TaskEdge> edges);

  // Creates the order of streams. Each stream runs its tasks one after the
  // other. A wait is an edge between two streams: `after` begins only when
  // `before` has ended. The tasks are 0 to n - 1, and each task must be on
  // exactly one stream. Errors: those of FromEdges; InvalidArgument if a task
  // is on no stream or on more than one.
  static StatusOr<TaskOrder> FromStreams(
      std::vector<std::vector<TaskId>> streams, Span<const TaskEdge> waits);

  size_t tasks() const { return chain_of_.size(); }
  size_t chains() const { return chains_.size(); }
  // Returns the tasks of a chain, in order. If FromStreams created the order,
  // the chains are the streams.
  Span<const TaskId> chain(size_t chain) const { return chains_[chain]; }
  uint32_t chain_of(TaskId task) const { return chain_of_[task]; }
  uint32_t position_of(TaskId task) const { return position_of_[task]; }

  // Returns the number of tasks of the chain that strictly precede the task.
  // They are always a prefix of the chain. O(1).
  uint32_t CountBefore(TaskId task, size_t chain) const {
    return before_[task * chains() + chain];
  }
  // Returns the position of the first task of the chain that strictly follows
  // the task, or the length of the chain if no task of the chain follows it.
  // O(1).
  uint32_t FirstAfter(TaskId task, size_t chain) const {
    return after_[task * chains() + chain];
  }
  // Returns whether `a` ends before `b` may begin. O(1).
  bool Precedes(TaskId a, TaskId b) const {
    return position_of_[a] < CountBefore(b, chain_of_[a]);
  }

  // is_of_streams() returns whether FromStreams created the order. edges()
  // returns the edges or waits from which the order was created, unchanged.
  bool is_of_streams() const { return is_of_streams_; }
  Span<const TaskEdge> edges() const { return edges_; }
  // Returns all tasks in a topological order: each task comes after all tasks
  // that precede it. If several tasks could come next, the lowest-numbered task
  // does.
  Span<const TaskId> sequence() const { return sequence_; }

 private:
  TaskOrder() = default;
  Status Sort(Span<const TaskEdge> all_edges);
  Status CoverWithChains();
  void CountAll();

  bool is_of_streams_ = false;
  std::vector<TaskEdge> edges_;
  std::vector<std::vector<TaskId>> chains_;
  std::vector<TaskId> sequence_;
  std::vector<uint32_t> chain_of_;
  std::vector<uint32_t> position_of_;
  std::vector<uint32_t> before_;  // is indexed by task, then by chain
  std::vector<uint32_t> after_;
  // The edges, sorted by the task `before`. Used only while the order is
  // created.
  std::vector<size_t> first_edge_;
  std::vector<uint32_t> followers_;
};

// The list of the tasks that use each record. All lists share one array.
class UserLists {
 public:
  UserLists() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): lists are lists
  UserLists(const std::vector<std::vector<TaskId>>& lists) {
    for (const std::vector<TaskId>& list : lists) Add(list);
  }

  // Adds the list of the next record.
  void Add(Span<const TaskId> users) {
    tasks_.insert(tasks_.end(), users.begin(), users.end());
    ends_.push_back(tasks_.size());
  }

  size_t size() const { return ends_.size(); }  // returns the number of lists
  bool empty() const { return ends_.empty(); }
  Span<const TaskId> operator[](size_t record) const {
    const size_t begin = record == 0 ? 0 : ends_[record - 1];
    return MakeConstSpan(tasks_).subspan(begin, ends_[record] - begin);
  }

 private:
  std::vector<TaskId> tasks_;
  std::vector<size_t> ends_;
};

}  // namespace stowage

#endif  // STOWAGE_TASK_ORDER_H_
