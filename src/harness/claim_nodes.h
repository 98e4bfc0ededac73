// SPDX-License-Identifier: Apache-2.0
// Finds the nodes of a graph that a delegate claims, as parts of the execution
// plan. To replace these nodes see RunningGraph::Replace.
#ifndef STOWAGE_SRC_HARNESS_CLAIM_NODES_H_
#define STOWAGE_SRC_HARNESS_CLAIM_NODES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/partition.h"

namespace stowage::harness {

// Asks the delegate once and returns the parts of the graph in order of
// execution; none if nothing is claimed. With `fuse` a part may have several
// nodes. Errors: those of the delegate; InvalidArgument for claims that are not
// operators of the plan.
absl::StatusOr<std::vector<GraphPartition>> PartitionClaims(
    const RunningGraph& graph, Delegate* delegate, const DelegateInfo& info,
    const ApplyOptions& options, bool fuse);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_CLAIM_NODES_H_
