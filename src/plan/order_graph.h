// SPDX-License-Identifier: Apache-2.0
// Stores a free order in arrays: the tasks before and after each task, the
// records of each task, and the users of each record. Searches over orders need
// fast access to these lists.
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
  // A pair (x, y) adds y to list x. Each list is sorted in rising order and has
  // no duplicates.
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
  // For each task, the tasks that have an edge to it.
  NumberLists before;
  // For each task, the tasks to which it has an edge.
  NumberLists after;
  NumberLists records;  // for each task, the records that it uses
  NumberLists users;    // for each record, the tasks that use it
  // For each record, a weight in bytes (WeightsInAnyOrder, choice_bound.h).
  std::vector<size_t> weights;

  // Returns the graph with all edges reversed. Reversing an order of one graph
  // yields an order of the other graph, with the same bytes live at each task.
  OrderGraph Reversed() const;
};

// Returns the graph of a problem. Requires a problem with a free order. O(m log
// m), where m is the number of edges, users and constraints.
OrderGraph MakeOrderGraph(const Problem& problem);

// Returns the maximum number of bytes that are live at any task of the order.
// O(tasks + users).
size_t PeakOf(const OrderGraph& graph, Span<const TaskId> order);

// Returns a number of bytes that is a lower bound on the peak of every order.
// For each task, counts the records that the task uses, and the records that
// have both a user that must run before the task and a user that must run after
// it. If this would take too long, or once the signal is set, counts only the
// records that the task uses. O(records * (tasks + edges)).
size_t BytesOfAnyOrder(const OrderGraph& graph, const StopSignal& stop);

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_PLAN_ORDER_GRAPH_H_
