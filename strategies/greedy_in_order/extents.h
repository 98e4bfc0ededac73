// SPDX-License-Identifier: Apache-2.0
// Implements GREEDY_IN_ORDER for 2-D and 3-D extents, with objects that never
// grow. For sizes in bytes, use bytes.h.
#ifndef STOWAGE_STRATEGIES_GREEDY_IN_ORDER_EXTENTS_H_
#define STOWAGE_STRATEGIES_GREEDY_IN_ORDER_EXTENTS_H_

#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage::greedy_in_order {

// Reuses the free object with the fewest spare elements, among the objects that
// cover the tensor in every component. On ties, reuses the object that was
// released first. O(n p), where p is the maximum number of free objects at a
// time.
ObjectsAssignment<uint2> AssignExtents(
    Span<const TensorUsageRecord<uint2>> records);
ObjectsAssignment<uint3> AssignExtents(
    Span<const TensorUsageRecord<uint3>> records);

}  // namespace stowage::greedy_in_order

#endif  // STOWAGE_STRATEGIES_GREEDY_IN_ORDER_EXTENTS_H_
