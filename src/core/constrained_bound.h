// SPDX-License-Identifier: Apache-2.0
// The lower bound of a problem under constraints, for Problem::lower_bound.
#ifndef STOWAGE_CORE_CONSTRAINED_BOUND_H_
#define STOWAGE_CORE_CONSTRAINED_BOUND_H_

#include <cstdint>

#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage {

// Of the total over all pools: what is live at a task (the union of a group,
// and of `never` pairs the larger), what holes and domains leave no room for,
// sets that are apart, and what a partial order holds or leaves unordered. Of
// several pools, each counts what may go nowhere else. O(n log n), and one flow
// for an order of few records.
LowerBound BoundUnderConstraints(const Problem& problem);

// Preferences between records of one group that share a byte in every plan.
// O(preferences).
uint64_t CostWithinGroups(const Problem& problem);

// A bound of Solution::cost: the cheapest choices, what has to leave the
// cheapest pool (BoundPoolCost, pool_selection.h), and the cost within groups.
// O(n log n) for short lifetimes; of long ones not every task is looked at.
uint64_t BoundCost(const Problem& problem);

// What a safe plan costs: its choices of pools, and the preferences whose
// records share a byte. O(n + preferences).
uint64_t CostOfPlan(const Problem& problem, const OffsetsAssignment& plan);

}  // namespace stowage

#endif  // STOWAGE_CORE_CONSTRAINED_BOUND_H_
