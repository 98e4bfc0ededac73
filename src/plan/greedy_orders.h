// SPDX-License-Identifier: Apache-2.0
// Creates task orders by greedy rules, for problems of any size. For a problem
// that is small enough to search all sets of tasks, use order_search.h instead.
#ifndef STOWAGE_SRC_PLAN_GREEDY_ORDERS_H_
#define STOWAGE_SRC_PLAN_GREEDY_ORDERS_H_

#include <cstddef>
#include <vector>

#include "src/base/work_limit.h"
#include "src/plan/order_graph.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {

// An order, and the maximum number of bytes that are live at any of its tasks.
struct RatedOrder {
  std::vector<TaskId> order;
  size_t peak = 0;
};

// Returns several orders, sorted by peak, lowest first. One of them is the
// lexicographically least topological order. Stops trying further orders once
// the signal is set. O((tasks + edges + users) log tasks).
std::vector<RatedOrder> GreedyOrders(const OrderGraph& graph,
                                     const StopSignal& stop);

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_PLAN_GREEDY_ORDERS_H_
