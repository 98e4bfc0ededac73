// SPDX-License-Identifier: Apache-2.0
// Stores a free order as arrays: which tasks precede which tasks, and which
// tasks use which records. Searches over orders need quick access to these
// lists.
#ifndef STOWAGE_SRC_PLAN_ORDER_GRAPH_H_
#define STOWAGE_SRC_PLAN_ORDER_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "stowage/base/span.h"
#include "stowage/free_order.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {

// Stores lists of numbers in one allocation.
class NumberLists {
 public:
  // A pair (x, y) adds y to list x. Each list is in rising order, without
  // repetitions.
  struct Pair {
    uint32_t x;
    uint32_t y;
  };
  NumberLists() = default;
  NumberLists(size_t lists, std::vector<Pair> pairs);

  size_t size() const { return begins_.size() - 1; }
  Span<const uint32_t> operator[](size_t list) const {
    return MakeConstSpan(numbers_).subspan(begins_[list],
                                           begins_[list + 1] - begins_[list]);
  }

 private:
  std::vector<size_t> begins_ = {0};
  std::vector<uint32_t> numbers_;
};

struct OrderGraph {
  size_t tasks = 0;
  // For each task, the tasks from which an edge leads to it.
  NumberLists before;
  // For each task, the tasks to which an edge leads from it.
  NumberLists after;
  NumberLists records;  // for each task, the records that it uses
  NumberLists users;    // for each record, the tasks that use it
  // A weight in bytes for each record (WeightsInAnyOrder, choice_bound.h).
  std::vector<size_t> weights;

  // Returns the graph with all edges reversed. An order of one graph, reversed,
  // is an order of the other, with the same bytes live at each task.
  OrderGraph Reversed() const;
};

// Returns the graph of a problem, which must have a free order. O(m log m) for
// m edges, users and constraints.
OrderGraph MakeOrderGraph(const Problem& problem);

// Returns the maximum number of bytes live at a task. O(tasks + users).
size_t PeakOf(const OrderGraph& graph, Span<const TaskId> order);

// Returns a lower bound of the peak of every order: in any order, at least this
// number of bytes is live at some task. For each task, counts the records that
// the task uses, and the records that have a user before the task and a user
// after it. O(records * (tasks + edges)). If this takes too much work, or once
// the signal is set, counts only the records that the task uses.
size_t BytesOfAnyOrder(const OrderGraph& graph, const StopSignal& stop);

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_PLAN_ORDER_GRAPH_H_
