// SPDX-License-Identifier: Apache-2.0
// The optimal flow through the network, over all n^2 pairs of records, without
// ever having more than O(n) of them in memory.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_OPTIMAL_FLOW_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_OPTIMAL_FLOW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "mincostflow/flow_solver.h"
#include "mincostflow/network.h"

namespace stowage::mincostflow {

// Memory carried from shelf to shelf, at the turn of the head.
struct Transfer {
  Arc arc;
  int64_t amount = 0;
};

struct OptimalFlow {
  std::vector<Transfer> transfers;  // amounts are positive
  std::vector<int64_t> bought;      // from the world, at each node
  std::vector<Cost> prices;         // of one unit, at each node
};

// Column generation: LEMON finds the optimal flow over a few likely arcs; its
// prices tell in O(n log n) which of all the other arcs would lower the cost;
// these are added, until there are none. That there are none proves that the
// flow is optimal over all arcs.
absl::StatusOr<OptimalFlow> FindOptimalFlow(const Network& network);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_OPTIMAL_FLOW_H_
