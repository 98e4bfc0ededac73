// SPDX-License-Identifier: Apache-2.0
// Makes task orders by greedy rules, for problems of any size. If the problem
// is so small that all sets of tasks can be searched, use order_search.h.
#ifndef STOWAGE_SRC_PLAN_GREEDY_ORDERS_H_
#define STOWAGE_SRC_PLAN_GREEDY_ORDERS_H_

#include <cstddef>
#include <vector>

#include "src/base/work_limit.h"
#include "src/plan/order_graph.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {

// An order, and the maximum number of bytes live at one of its tasks.
struct RatedOrder {
  std::vector<TaskId> order;
  size_t peak = 0;
};

// Returns several orders, the one with the least peak first. One of them is the
// lexicographically least topological order. Once the signal is set, no further
// order is tried. O((tasks + edges + users) log tasks).
std::vector<RatedOrder> GreedyOrders(const OrderGraph& graph,
                                     const StopSignal& stop);

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_PLAN_GREEDY_ORDERS_H_
