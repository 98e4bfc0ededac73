// SPDX-License-Identifier: Apache-2.0
// Turns a flow into shared objects.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_DECODE_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_DECODE_H_

#include <cstddef>

#include "mincostflow/network.h"
#include "mincostflow/optimal_flow.h"
#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage::mincostflow {

// Returns the objects that a flow describes. Each unit of flow follows one
// object from record to record. If several objects could follow the same arc,
// chooses the object that fits the destination best, so that objects grow as
// little as the flow permits. Objects are numbered by first use, in execution
// order. O(n log n).
ObjectsAssignment<size_t> DecodeFlow(
    Span<const TensorUsageRecord<size_t>> records, const Network& network,
    const OptimalFlow& flow);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_DECODE_H_
