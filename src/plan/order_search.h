// SPDX-License-Identifier: Apache-2.0
// Finds the order with the least peak of live bytes, by a best-first search
// over the sets of tasks that have already run.
//
// The bytes live at a task depend on the set of tasks before it, not on the
// order of these tasks. The search is therefore over sets and not over orders.
// If a ready task ends at least as many bytes as it begins and does not raise
// the peak, it is optimal to run this task next. Postponing it gains nothing:
// if it runs first, each task that would have run before it now has one more
// task before it. This can only lower the number of live bytes that such a task
// adds.
#ifndef STOWAGE_SRC_PLAN_ORDER_SEARCH_H_
#define STOWAGE_SRC_PLAN_ORDER_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "src/plan/order_graph.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {

struct OrderSearchResult {
  // An order with the peak `bound`, which is below the given peak. It is empty
  // if the search found none.
  std::vector<TaskId> order;
  // No order has a peak below this bound. It is at most the given peak.
  size_t bound = 0;
  uint64_t nodes = 0;  // the number of sets entered
};

// Searches for an order with a peak below `peak`. Requires that no order has a
// peak below `bound`. Ends after `max_nodes` sets, when the signal is set, or
// when memory is short.
OrderSearchResult SearchLeastPeak(const OrderGraph& graph, size_t bound,
                                  size_t peak, uint64_t max_nodes,
                                  const StopSignal& stop);

// Returns an order with a peak below `peak`, found by a beam search that keeps
// `width` sets of each size. The order is empty if the search finds none, or
// once the signal is set. Use it for problems that are too large for
// SearchLeastPeak. O(tasks * width * (ready tasks) * log).
std::vector<TaskId> SearchBeam(const OrderGraph& graph, size_t peak,
                               size_t width, const StopSignal& stop);

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_PLAN_ORDER_SEARCH_H_
