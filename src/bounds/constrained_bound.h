// SPDX-License-Identifier: Apache-2.0
// Bounds a problem under constraints, for LowerBoundOf (lower_bound.h).
#ifndef STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_
#define STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_

#include <cstdint>

#include "stowage/assignment.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"

namespace stowage {

// Returns a lower bound of the total over all pools. It takes these into
// account: the bytes live at a task (for a group the union of its members, for
// a `never` pair the larger record); the bytes that holes and domains exclude;
// apart sets; and the records that are held at one task of a partial order, or
// that the order leaves unordered. With several pools, the bound of each pool
// counts the records that may go to no other pool. O(n log n), plus one flow if
// there is a partial order and few records.
LowerBound BoundUnderConstraints(const Problem& problem);

// Returns the cost of preferences between records of one group that share a
// byte in every plan. O(preferences).
uint64_t CostWithinGroups(const Problem& problem);

// Returns a lower bound of Solution::cost: the sum of the costs of the cheapest
// choices, the cost of records that have to leave the cheapest pool
// (BoundPoolCost, pool_selection.h), and the cost within groups. O(n log n) for
// short lifetimes; for long ones only some tasks are examined.
uint64_t BoundCost(const Problem& problem);

// Returns the cost of a safe plan: the costs of the pools that it chooses, and
// of those preferences whose records share a byte. O(n + preferences).
uint64_t CostOfPlan(const Problem& problem, const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_
