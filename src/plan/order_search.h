// SPDX-License-Identifier: Apache-2.0
// Finds the order with the lowest peak of live bytes, by a best-first search
// over sets of tasks that have already run.
//
// The bytes live at a task depend on the set of tasks that ran before it, but
// not on the order of those tasks. It is therefore sufficient to search over
// sets instead of orders.
//
// If a ready task ends at least as many bytes as it begins and does not raise
// the peak, it is optimal to run that task next. The reason is that moving the
// task forward, to the next position, only adds it to the set of tasks that ran
// before each overtaken task. Because the moved task ends at least as many
// bytes as it begins, this can only lower the number of bytes live at the
// overtaken tasks.
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
  // An order with the peak `bound`, which is below the peak passed to the
  // search. Empty if the search found no such order.
  std::vector<TaskId> order;
  // A lower bound on the peak of every order, but at most the peak passed to
  // the search.
  size_t bound = 0;
  uint64_t nodes = 0;  // the number of sets entered
};

// Searches for an order with a peak below `peak`. Requires that no order has a
// peak below `bound`. Stops after `max_nodes` sets, when the signal is set, or
// when it reaches its memory limit.
OrderSearchResult SearchLeastPeak(const OrderGraph& graph, size_t bound,
                                  size_t peak, uint64_t max_nodes,
                                  const StopSignal& stop);

// Returns an order with a peak below `peak`, found by a beam search that keeps
// `width` sets of each size. Returns an empty order if the search finds no such
// order, or once the signal is set. Intended for problems that are too large
// for SearchLeastPeak. O(tasks * width * (ready tasks) * log).
std::vector<TaskId> SearchBeam(const OrderGraph& graph, size_t peak,
                               size_t width, const StopSignal& stop);

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_PLAN_ORDER_SEARCH_H_
