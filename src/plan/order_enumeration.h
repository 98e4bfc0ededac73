// SPDX-License-Identifier: Apache-2.0
// Enumerates the orders that have a peak of live bytes of at most a given
// limit. Among orders in which the same pairs of records conflict, visits only
// one. Suitable for problems of a few dozen tasks and records. To find one good
// order, use order_search.h instead.
#ifndef STOWAGE_SRC_PLAN_ORDER_ENUMERATION_H_
#define STOWAGE_SRC_PLAN_ORDER_ENUMERATION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "src/base/work_limit.h"
#include "src/plan/order_graph.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {

// Returns whether EnumerateOrders can handle the problem.
bool CanEnumerate(const OrderGraph& graph);

// The pairs of records that are live at the same time, as bits.
using ConflictBits = std::vector<uint64_t>;

// A function that is called with an order, its peak and its conflicts, and that
// may lower `*max`. Returns whether the enumeration continues.
using VisitOrder =
    std::function<bool(Span<const TaskId> order, size_t peak,
                       const ConflictBits& conflicts, size_t* max)>;

struct EnumerationResult {
  // True if all orders with a peak of at most `max` were visited.
  bool is_complete = false;
  // The least peak of all orders that were omitted because their peaks are too
  // high; the largest number if none was omitted.
  size_t next_peak = 0;
  uint64_t nodes = 0;  // the units of `limit` that were spent
};

// Visits the orders with a peak of at most `max`. Requires CanEnumerate(graph).
// Every visited prefix of an order costs one unit of `limit`; prefixes with the
// same tasks and the same conflicts are visited only once. The enumeration also
// stops when it reaches its memory limit.
EnumerationResult EnumerateOrders(const OrderGraph& graph, size_t max,
                                  const VisitOrder& visit, WorkLimit* limit);

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_PLAN_ORDER_ENUMERATION_H_
