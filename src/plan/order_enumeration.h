// SPDX-License-Identifier: Apache-2.0
// Enumerates all orders whose peak of live bytes is at most a given limit. If
// the same records conflict in several orders, visits only one of these orders.
// Use it for problems of a few dozen tasks and records; to find one good order,
// use order_search.h.
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

// The pairs of records that are live together, as bits.
using ConflictBits = std::vector<uint64_t>;

// A function that is called with an order, its peak and its conflicts. It may
// lower `max`. It returns whether the enumeration continues.
using VisitOrder =
    std::function<bool(Span<const TaskId> order, size_t peak,
                       const ConflictBits& conflicts, size_t* max)>;

struct EnumerationResult {
  // True if all orders with a peak of at most `max` were visited.
  bool is_complete = false;
  // The least peak of all orders that were omitted because of a higher peak;
  // the largest number if none was omitted.
  size_t next_peak = 0;
  uint64_t nodes = 0;  // the units of `limit` that were spent
};

// Visits all orders with a peak of at most `max`. Requires CanEnumerate. Every
// prefix of an order costs one unit of `limit`. Prefixes with equal tasks and
// equal conflicts count once. The enumeration also ends when memory is short.
EnumerationResult EnumerateOrders(const OrderGraph& graph, size_t max,
                                  const VisitOrder& visit, WorkLimit* limit);

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_PLAN_ORDER_ENUMERATION_H_
