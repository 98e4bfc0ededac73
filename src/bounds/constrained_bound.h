// SPDX-License-Identifier: Apache-2.0
// Computes lower bounds of a problem under constraints, for LowerBoundOf
// (lower_bound.h).
#ifndef STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_
#define STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_

#include <cstdint>
#include <vector>

#include "stowage/lower_bound.h"
#include "stowage/plan_cost.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {

// Returns a lower bound of the total over all pools. The bound takes into
// account:
//
// - the bytes that are live at a task, where a group counts as the union of its
//   members and a `never` pair as its larger record;
// - the bytes that holes and domains exclude;
// - apart sets;
// - the records that are held at one task of a partial order, or that the order
//   leaves unordered.
//
// With several pools, the bound of each pool counts the records that may be
// placed in no other pool. O(n log n), plus one flow if there is a partial
// order and few records.
LowerBound BoundUnderConstraints(const Problem& problem);

// Returns the total cost of the preferences between records of one group that
// share a byte in every plan. O(preferences).
uint64_t CostWithinGroups(const Problem& problem);

// Returns a lower bound of the cost of the pools that records use: the sum of
// the costs of the cheapest choices, plus the cost of the records that have to
// leave their cheapest pool (BoundPoolCost, bound_pool_cost.h). O(n log n) for
// short lifetimes; with long lifetimes only some tasks are examined.
uint64_t BoundCostOfPools(const Problem& problem);

// A lower bound of CostOfPlan (plan_cost.h).
struct CostBound {
  uint64_t cost = 0;
  std::vector<CostProof> proofs;  // of the cost between groups
};

// Returns a lower bound of Solution::cost: the sum of BoundCostOfPools,
// CostWithinGroups and BoundReuse (reuse_bound.h). Every call of Solve can
// afford this bound, since BoundReuse takes at most some tens of milliseconds.
CostBound BoundCost(const Problem& problem);

// Returns CostLowerBound (lower_bound.h).
uint64_t CostLowerBoundUnderConstraints(const Problem& problem);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_CONSTRAINED_BOUND_H_
