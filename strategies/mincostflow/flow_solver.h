// SPDX-License-Identifier: Apache-2.0
// Solves minimum-cost flows and minimum cuts. Hides LEMON, which only
// flow_solver.cc includes.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_FLOW_SOLVER_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_FLOW_SOLVER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/statusor.h"

namespace stowage::mincostflow {

// The type of costs. It is wide enough for the cost of any path with 64-bit
// sizes.
// NOLINTNEXTLINE(modernize-use-using): only a typedef takes __extension__
__extension__ typedef __int128 Cost;

// An arc with unlimited flow.
struct FlowArc {
  size_t tail = 0;
  size_t head = 0;
  Cost cost = 0;  // the cost of one unit
};

struct FlowProblem {
  std::vector<FlowArc> arcs;
  std::vector<int64_t> supplies;  // is indexed by node and sums to 0
  // An estimate of Flow::prices, in which the last node has the price 0. The
  // closer the estimate is to the final prices, the faster the flow is found.
  std::vector<Cost> estimate;
};

struct Flow {
  std::vector<int64_t> amounts;  // is indexed by arc
  // The price of one unit at each node. The price of the last node is 0. For
  // every arc, prices[head] <= prices[tail] + cost, with equality if the amount
  // on the arc is positive. These conditions prove that the flow is optimal.
  std::vector<Cost> prices;
};

// Returns an optimal flow. Error: Internal if no optimal flow exists.
StatusOr<Flow> SolveFlow(const FlowProblem& problem);

// An arc with the capacity `max`.
struct LimitedArc {
  size_t tail = 0;
  size_t head = 0;
  int64_t max = 0;
};

// Returns, for each node, whether it is on the side of the source in a minimum
// cut. Requires that the sum of the capacities of all arcs from the source is
// less than 2^62.
std::vector<bool> FindLeastCut(size_t nodes, std::vector<LimitedArc> arcs,
                               size_t source, size_t sink);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_FLOW_SOLVER_H_
