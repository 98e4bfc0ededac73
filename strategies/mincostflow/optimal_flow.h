// SPDX-License-Identifier: Apache-2.0
// Finds the optimal flow through the network. The flow is optimal over all
// O(n^2) arcs between records, although only O(n) arcs are in memory at any
// time.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_OPTIMAL_FLOW_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_OPTIMAL_FLOW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mincostflow/flow_solver.h"
#include "mincostflow/network.h"
#include "stowage/base/statusor.h"

namespace stowage::mincostflow {

// An amount of memory that moves between size classes along an arc, in the
// round of the head.
struct Transfer {
  Arc arc;
  int64_t amount = 0;
};

struct OptimalFlow {
  std::vector<Transfer> transfers;  // has positive amounts
  // The number of units that the world supplies to each node.
  std::vector<int64_t> bought;
  std::vector<Cost> prices;  // the price of one unit at each node
};

// Finds the flow by column generation: LEMON computes the optimal flow over a
// few likely arcs, and the prices of this flow determine, in O(n log n), which
// other arcs would lower the cost. These arcs are added and the flow is
// recomputed, until no such arc exists; the flow is then proved optimal over
// all arcs. Errors: ResourceExhausted if the search takes too much work; those
// of SolveFlow.
StatusOr<OptimalFlow> FindOptimalFlow(const Network& network);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_OPTIMAL_FLOW_H_
