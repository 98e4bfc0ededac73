// SPDX-License-Identifier: Apache-2.0
// Which arcs, of all that there could be, the prices of a flow leave
// profitable.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_PRICING_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_PRICING_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "mincostflow/flow_solver.h"
#include "mincostflow/network.h"

namespace stowage::mincostflow {

// For every node of `part` at which records start, the most profitable arc from
// a larger shelf and the most profitable one from a smaller shelf: an arc pays
// if a unit is worth more at its head than it costs to bring it there. Without
// any, the prices prove that no arc between nodes of the part can lower the
// cost of the flow that they belong to.
//
// `part` ascends; prices[i] is that of node part[i]. O(p log s) time for p
// nodes and s shelves.
std::vector<Arc> FindProfitableArcs(const Network& network,
                                    absl::Span<const size_t> part,
                                    absl::Span<const Cost> prices);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_PRICING_H_
