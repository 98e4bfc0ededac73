// SPDX-License-Identifier: Apache-2.0
// Bounds a problem under constraints, for LowerBoundOf (lower_bound.h).
#ifndef STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_
#define STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_

#include <cstdint>

#include "stowage/assignment.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a lower bound of the total over all pools. It takes into account the
// bytes live at a task (the union of the members of a group, the larger of a
// `never` pair), the bytes that holes and domains exclude, sets that are apart,
// and what a partial order keeps live or leaves unordered. With several pools,
// each pool counts the records that may go nowhere else. O(n log n), and one
// flow for an order of few records.
LowerBound BoundUnderConstraints(const Problem& problem);

// Returns the cost of preferences between records of one group that share a
// byte in every plan. O(preferences).
uint64_t CostWithinGroups(const Problem& problem);

// Returns a lower bound of Solution::cost: the sum of the costs of the cheapest
// choices, the cost of records that have to leave the cheapest pool
// (BoundPoolCost, pool_selection.h), and the cost within groups. O(n log n) for
// short lifetimes; for long ones only some tasks are examined.
uint64_t BoundCost(const Problem& problem);

// Returns the cost of a safe plan: its choices of pools, and the preferences
// whose records share a byte. O(n + preferences).
uint64_t CostOfPlan(const Problem& problem, const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_
