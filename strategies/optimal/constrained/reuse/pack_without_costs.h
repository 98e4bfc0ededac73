// SPDX-License-Identifier: Apache-2.0
// Finds a plan of any cost within a small capacity, with the search for
// problems without constraints. The annealing can start from this plan:
// annealing lowers costs well, but seldom finds room. If a constructed plan
// fits, use that plan instead.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_PACK_WITHOUT_COSTS_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_PACK_WITHOUT_COSTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/conflicts.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/optional.h"

namespace stowage::optimal {

struct CostlessPacking {
  optional<std::vector<rigid::Level>> starts;
  std::string found_by;  // see Solution::found_by
  uint64_t nodes = 0;
};

// Searches for a plan that ends at or below `limit`. Uses at most `nodes`
// nodes, and at most half of the time until the deadline of `stop`. Finds no
// plan if the groups have constraints other than costs, alignments and fixed
// offsets.
CostlessPacking PackWithoutCosts(const rigid::RigidGroups& groups,
                                 const rigid::Relation& relation,
                                 rigid::Level limit, uint64_t nodes,
                                 uint64_t seed, const StopSignal& stop);

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_PACK_WITHOUT_COSTS_H_
