// SPDX-License-Identifier: Apache-2.0
// Implements GREEDY_IN_ORDER for 2-D and 3-D extents, with objects that never
// grow. For sizes in bytes, use bytes.h.
#ifndef STOWAGE_STRATEGIES_GREEDY_IN_ORDER_EXTENTS_H_
#define STOWAGE_STRATEGIES_GREEDY_IN_ORDER_EXTENTS_H_

#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage::greedy_in_order {

// Reuses the free object that covers the tensor in every component and has the
// fewest elements to spare; on ties, the one that was released first. O(n p)
// for p free objects at a time.
ObjectsAssignment<uint2> AssignExtents(
    Span<const TensorUsageRecord<uint2>> records);
ObjectsAssignment<uint3> AssignExtents(
    Span<const TensorUsageRecord<uint3>> records);

}  // namespace stowage::greedy_in_order

#endif  // STOWAGE_STRATEGIES_GREEDY_IN_ORDER_EXTENTS_H_
