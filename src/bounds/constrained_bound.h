// SPDX-License-Identifier: Apache-2.0
// Bounds a problem under constraints, for LowerBoundOf (lower_bound.h).
#ifndef STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_
#define STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_

#include <cstdint>
#include <vector>

#include "stowage/lower_bound.h"
#include "stowage/plan_cost.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

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

// Returns a lower bound of the cost of the pools that records use: the sum of
// the costs of the cheapest choices, and the cost of records that have to leave
// the cheapest pool (BoundPoolCost, bound_pool_cost.h). O(n log n) for short
// lifetimes; for long ones only some tasks are examined.
uint64_t BoundCostOfPools(const Problem& problem);

// A lower bound of CostOfPlan (plan_cost.h).
struct CostBound {
  uint64_t cost = 0;
  std::vector<CostProof> proofs;  // of the cost between groups
};

// Returns a lower bound of Solution::cost: the sum of BoundCostOfPools,
// CostWithinGroups and BoundReuse (reuse_bound.h). BoundReuse does so little
// work, at most some tens of milliseconds, that every call of Solve can spend
// it.
CostBound BoundCost(const Problem& problem);

// Returns CostLowerBound (lower_bound.h).
uint64_t CostLowerBoundUnderConstraints(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_
