// SPDX-License-Identifier: Apache-2.0
// Implements GREEDY_IN_ORDER for sizes in bytes, with objects that may grow.
// For extents, where objects may not grow, use extents.h.
#ifndef STOWAGE_STRATEGIES_GREEDY_IN_ORDER_BYTES_H_
#define STOWAGE_STRATEGIES_GREEDY_IN_ORDER_BYTES_H_

#include <cstddef>

#include "src/base/work_limit.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage::greedy_in_order {

// Both functions return nullopt if the signal stops the work.

// Reuses a free object whenever there is one: the smallest object that is large
// enough, or the largest object that is too small, whichever is closer in size
// to the tensor. O(n log n).
optional<ObjectsAssignment<size_t>> AssignBytes(
    Span<const TensorUsageRecord<size_t>> records, const StopSignal& stop);

// Reuses the free object that is closest in size to the new tensor, among the
// objects that may be passed on to the tensor. An object may be passed on if
// the list that `graph` has for the last tensor of the object contains the new
// tensor. O(n p log n), where p is the maximum number of free objects at a
// time.
optional<ObjectsAssignment<size_t>> AssignBytesWithGraph(
    Span<const TensorUsageRecord<size_t>> records, const UsageGraph& graph,
    const StopSignal& stop);

}  // namespace stowage::greedy_in_order

#endif  // STOWAGE_STRATEGIES_GREEDY_IN_ORDER_BYTES_H_
