// SPDX-License-Identifier: Apache-2.0
// Computes the total that a plan actually needs, which may differ from the
// total stored in the plan.
#ifndef STOWAGE_SRC_MODEL_LEAST_TOTAL_H_
#define STOWAGE_SRC_MODEL_LEAST_TOTAL_H_

#include <cstddef>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/problem.h"

namespace stowage {

// Returns the least total with which the plan can be valid: the highest end of
// a record or, if the plan has pools, the sum over the pools of the highest end
// in each pool. Returns nothing if this total exceeds 2^64 - 1, if a record has
// no offset, or if the plan has pools but a record has no pool. Does not verify
// the plan otherwise. O(n log pools).
optional<size_t> LeastTotal(const Problem& problem,
                            const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_LEAST_TOTAL_H_
