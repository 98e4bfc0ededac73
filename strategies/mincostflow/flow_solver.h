// SPDX-License-Identifier: Apache-2.0
// Flows of minimum cost, and least cuts: the only door to LEMON.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_FLOW_SOLVER_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_FLOW_SOLVER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace stowage::mincostflow {

// Wide enough for the cost of any path, whatever the 64-bit sizes are.
// NOLINTNEXTLINE(modernize-use-using): only a typedef takes __extension__
__extension__ typedef __int128 Cost;

// An arc without a limit to its flow.
struct FlowArc {
  size_t tail = 0;
  size_t head = 0;
  Cost cost = 0;  // of one unit
};

struct FlowProblem {
  std::vector<FlowArc> arcs;
  std::vector<int64_t> supplies;  // of each node; they add up to 0
  // A guess at the prices below, 0 at the last node. The closer it is, the
  // sooner the flow is found.
  std::vector<Cost> estimate;
};

struct Flow {
  std::vector<int64_t> amounts;  // on each arc
  // What a unit is worth at each node, 0 at the last one: prices[head] <=
  // prices[tail] + cost for every arc, with equality where the amount is
  // positive. That proves the flow optimal.
  std::vector<Cost> prices;
};

// Error: Internal, if the problem has no optimal flow.
absl::StatusOr<Flow> SolveFlow(const FlowProblem& problem);

// An arc with one, from node to node.
struct LimitedArc {
  size_t tail = 0;
  size_t head = 0;
  int64_t most = 0;
};

// Of each node, whether it is on the source's side of a cut whose arcs carry
// least. The limits of what leaves the source sum to less than 2^62.
std::vector<bool> FindLeastCut(size_t nodes, std::vector<LimitedArc> arcs,
                               size_t source, size_t sink);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_FLOW_SOLVER_H_
