// SPDX-License-Identifier: Apache-2.0
// Derives the problem in which pairs with a cost must be apart. Its plans are
// the plans of cost 0, and can be constructed without a search over costs. To
// pack groups regardless of costs, use pack_without_costs.h.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_COSTLESS_GROUPS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_COSTLESS_GROUPS_H_

#include <memory>
#include <vector>

#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "src/construct/group_search.h"
#include "stowage/problem.h"

namespace stowage::optimal {

// The groups of one pool, in a problem of their own.
struct CostlessGroups {
  std::unique_ptr<const Problem> problem;
  std::unique_ptr<const rigid::RigidGroups> groups;
  std::unique_ptr<const rigid::Relation> relation;
};

// Returns `groups`, with the same numbers, in a problem in which every pair of
// `costly` with a cost above 0 is apart, and no plan may end above `limit`. The
// members are null if a Level would overflow. O(size of the problem + pairs).
CostlessGroups MakeCostlessGroups(const rigid::RigidGroups& groups,
                                  const std::vector<rigid::CostlyPair>& costly,
                                  rigid::Level limit);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_COSTLESS_GROUPS_H_
