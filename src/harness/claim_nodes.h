// SPDX-License-Identifier: Apache-2.0
// Finds the nodes of a graph that a delegate claims, as parts of the execution
// plan. To replace these nodes use RunningGraph::Replace.
#ifndef STOWAGE_SRC_HARNESS_CLAIM_NODES_H_
#define STOWAGE_SRC_HARNESS_CLAIM_NODES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/partition.h"

namespace stowage::harness {

// Queries once which nodes the delegate claims, and returns the parts of the
// graph in the order in which they run, or no parts if the delegate claims no
// node. If `fuse` is false, every part has one node. Errors: those of the
// delegate; InvalidArgument if a claimed node is not an operator of the
// execution plan.
absl::StatusOr<std::vector<GraphPartition>> PartitionClaims(
    const RunningGraph& graph, Delegate* delegate, const DelegateInfo& info,
    const ApplyOptions& options, bool fuse);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_CLAIM_NODES_H_
