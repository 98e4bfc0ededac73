// SPDX-License-Identifier: Apache-2.0
// The total that a plan needs, whatever total it claims.
#ifndef STOWAGE_SRC_MODEL_LEAST_TOTAL_H_
#define STOWAGE_SRC_MODEL_LEAST_TOTAL_H_

#include <cstddef>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/problem.h"

namespace stowage {

// Returns the least total with which the plan can be valid: the highest end,
// or, if there are pools, the sum of the highest ends of the pools. Returns
// nothing if it is above 2^64 - 1, or if the plan does not have an offset, and
// with pools a pool, for every record. Nothing else of the plan is verified.
// O(n log pools).
optional<size_t> LeastTotal(const Problem& problem,
                            const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_LEAST_TOTAL_H_
