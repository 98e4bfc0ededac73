// SPDX-License-Identifier: Apache-2.0
// Computes the total that a plan needs, which may differ from the total that
// the plan states.
#ifndef STOWAGE_SRC_MODEL_LEAST_TOTAL_H_
#define STOWAGE_SRC_MODEL_LEAST_TOTAL_H_

#include <cstddef>

#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/problem.h"

namespace stowage {

// Returns the least total with which the plan can be valid: the highest end or,
// if the plan has pools, the sum of the highest ends of the pools. Returns
// nothing if this total exceeds 2^64 - 1, if a record has no offset, or if the
// plan has pools but a record has no pool. Verifies nothing else.
// O(n log pools).
optional<size_t> LeastTotal(const Problem& problem,
                            const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_SRC_MODEL_LEAST_TOTAL_H_
