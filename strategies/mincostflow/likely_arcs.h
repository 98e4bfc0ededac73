// SPDX-License-Identifier: Apache-2.0
// Finds arcs that the flow is likely to use. Column generation starts with
// these arcs.
#ifndef STOWAGE_STRATEGIES_MINCOSTFLOW_LIKELY_ARCS_H_
#define STOWAGE_STRATEGIES_MINCOSTFLOW_LIKELY_ARCS_H_

#include <vector>

#include "mincostflow/network.h"

namespace stowage::mincostflow {

// Returns arcs to every node at which records start. One group of arcs comes
// from the size classes that are nearest in size. The other group comes from
// the nearest size classes that have memory left in a simulation, in which each
// record takes memory from the smallest class that is large enough and has
// memory, or else from the largest class that has memory. The arcs are sorted
// by head and distinct, and there are at most eight of them for each record
// that starts. O(n log n).
std::vector<Arc> FindLikelyArcs(const Network& network);

}  // namespace stowage::mincostflow

#endif  // STOWAGE_STRATEGIES_MINCOSTFLOW_LIKELY_ARCS_H_
