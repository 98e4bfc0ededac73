// SPDX-License-Identifier: Apache-2.0
// Sorts records by their beginning, for planners that group records that are
// connected in time. For orders by other keys, use PlacingOrders
// (placing_order.h).
#ifndef STOWAGE_SRC_CONSTRUCT_RECORDS_BY_BEGIN_H_
#define STOWAGE_SRC_CONSTRUCT_RECORDS_BY_BEGIN_H_

#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "stowage/base/optional.h"
#include "stowage/problem.h"

namespace stowage {

// Returns all records that have at least one byte, sorted by first step, and by
// index if the first steps are equal. Returns nullopt if the signal is set
// before the sort is complete. O(n).
optional<std::vector<uint32_t>> RecordsByBegin(const Problem& problem,
                                               const StopSignal& stop);

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_RECORDS_BY_BEGIN_H_
