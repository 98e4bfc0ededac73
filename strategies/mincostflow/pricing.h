// SPDX-License-Identifier: Apache-2.0
// Finds, among all possible arcs, those that are profitable at the prices of a
// flow.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_PRICING_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_PRICING_H_

#include <cstddef>
#include <vector>

#include "mincostflow/flow_solver.h"
#include "mincostflow/network.h"
#include "stowage/base/span.h"

namespace stowage::mincostflow {

// Returns, for every node of `part` at which records start, the most profitable
// arc from a larger size class and the most profitable arc from a smaller size
// class, if such arcs exist. An arc is profitable if the price of a unit at its
// head exceeds the price at its tail plus the cost of the arc. If no arc is
// profitable, the prices prove that no further arc between nodes of the part
// can lower the cost of the flow in this part.
//
// Requires that `part` is ascending and that prices[i] is the price of node
// part[i]. O(p log s) time for p nodes and s size classes.
std::vector<Arc> FindProfitableArcs(const Network& network,
                                    Span<const size_t> part,
                                    Span<const Cost> prices);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_PRICING_H_
