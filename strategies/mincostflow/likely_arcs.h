// SPDX-License-Identifier: Apache-2.0
// Where memory is likely to come from: arcs to begin the search with.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_LIKELY_ARCS_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_LIKELY_ARCS_H_

#include <vector>

#include "mincostflow/network.h"

namespace stowage::mincostflow {

// For every node at which records start, arcs from the shelves nearest in size,
// and from the nearest of those on which a planner that takes whatever is
// closest would still find memory. Ascending by head, without repetitions, at
// most eight for each start. O(n log n).
std::vector<Arc> FindLikelyArcs(const Network& network);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_LIKELY_ARCS_H_
