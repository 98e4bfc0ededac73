// SPDX-License-Identifier: Apache-2.0
// All orders up to a peak of live bytes, those that make the same records
// conflict once. For problems of a few dozens of tasks and records; for one
// good order use order_search.h.
#ifndef STOWAGE_SRC_ORDER_PLANNER_ORDER_ENUMERATION_H_
#define STOWAGE_SRC_ORDER_PLANNER_ORDER_ENUMERATION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "src/core/work_limit.h"
#include "src/order_planner/order_graph.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {

// Whether EnumerateOrders takes the problem.
bool CanEnumerate(const OrderGraph& graph);

// The pairs of records that are live together, as bits.
using ConflictBits = std::vector<uint64_t>;

// An order and its peak. Returns whether to go on; may lower `most`.
using VisitOrder =
    std::function<bool(absl::Span<const TaskId> order, size_t peak,
                       const ConflictBits& conflicts, size_t* most)>;

struct EnumerationResult {
  // Whether all orders of a peak of at most `most` were visited.
  bool is_complete = false;
  // The least peak of the orders that were left out for a higher one; the
  // greatest number if there are none.
  size_t next_peak = 0;
  uint64_t nodes = 0;  // units of the limit
};

// Requires CanEnumerate. Every prefix of an order that differs in its tasks or
// in what conflicts costs a unit of `limit`; memory ends the enumeration too.
EnumerationResult EnumerateOrders(const OrderGraph& graph, size_t most,
                                  const VisitOrder& visit, WorkLimit* limit);

}  // namespace stowage::order_planner

#endif  // STOWAGE_SRC_ORDER_PLANNER_ORDER_ENUMERATION_H_
