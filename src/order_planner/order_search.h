// SPDX-License-Identifier: Apache-2.0
// The order with the least peak of live bytes, by a best-first search over sets
// of tasks that may have run first.
//
// What is live at a task depends on the set of tasks before it, and not on
// their order, so that sets are searched and not orders. A task that ends at
// least as many bytes as it begins, and does not raise the peak, is best run at
// once: what a task adds to the live bytes only falls as others run before it.
#ifndef STOWAGE_SRC_ORDER_PLANNER_ORDER_SEARCH_H_
#define STOWAGE_SRC_ORDER_PLANNER_ORDER_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/core/work_limit.h"
#include "src/order_planner/order_graph.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {

struct OrderSearchResult {
  // An order whose peak is `bound`, and below what was asked for; empty if none
  // was found.
  std::vector<TaskId> order;
  // No order has a lower peak. At most the peak that was asked for.
  size_t bound = 0;
  uint64_t nodes = 0;  // sets that were entered
};

// Searches orders whose peak is below `peak`; none is below `bound`. Ends after
// `most_nodes` sets, when the signal is set, or when memory is short.
OrderSearchResult SearchLeastPeak(const OrderGraph& graph, size_t bound,
                                  size_t peak, uint64_t most_nodes,
                                  const StopSignal& stop);

// An order whose peak is below `peak`, of those that a beam of so many sets of
// each size finds; empty if it finds none, or once the signal is set. For
// problems that are too large for SearchLeastPeak. O(tasks * width * (ready
// tasks) * log).
std::vector<TaskId> SearchBeam(const OrderGraph& graph, size_t peak,
                               size_t width, const StopSignal& stop);

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_ORDER_PLANNER_ORDER_SEARCH_H_
