// SPDX-License-Identifier: Apache-2.0
// Splits the execution plan of a graph into parts that a delegate runs and
// parts that it does not run. Each part is as large as the dependencies permit.
//
//   PartitionRequest request;
//   request.tensor_count = 4;
//   request.graph_inputs = {0};
//   request.graph_outputs = {3};
//   request.nodes = {{{0}, {1}}, {{1}, {2}}, {{2}, {3}}};
//   request.execution_plan = {0, 1, 2};
//   request.claims = {0, 1};
//   auto parts = PartitionGraph(request);
//   // nodes 0 and 1, delegated, tensor 0 to tensor 2; then node 2
//
// Nodes and tensors are indices, so this header needs neither models nor
// interpreters. To run a model without delegates, use interpreter.h. Variables
// and constants are tensors that no node of the plan writes.
//
// Source: the partitioner of TensorFlow Lite (graph_info.cc). The parts, their
// order and their tensors are the same.
#ifndef STOWAGE_HARNESS_PARTITION_H_
#define STOWAGE_HARNESS_PARTITION_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"

namespace stowage::harness {

// A node of the graph: the tensors that it reads and writes.
struct PartitionNode {
  // Indices of tensors. -1 means that the tensor is left out.
  std::vector<int> inputs;
  std::vector<int> outputs;
  // True if the node must keep its order among all nodes with side effects,
  // because it reads or writes a resource, or runs another subgraph.
  bool has_side_effects = false;
};

// The graph to split, and the nodes that the delegate can run.
struct PartitionRequest {
  int tensor_count = 0;
  // The inputs of the graph. They are only checked for valid indices, because
  // every tensor that no node of the plan writes counts as available.
  std::vector<int> graph_inputs;
  std::vector<int> graph_outputs;
  std::vector<PartitionNode> nodes;  // is indexed by node id
  // The ids of nodes in execution order. Nodes that are not in this list are
  // ignored.
  std::vector<int> execution_plan;
  // The ids of the nodes that the delegate can run, in any order. Nodes that
  // are not in the plan are ignored.
  std::vector<int> claims;
  // If true, nodes that do not depend on each other may be reordered to make
  // parts larger. If false, each part consists of consecutive nodes. There is
  // one exception: if the plan lists a node that reads a tensor before the node
  // that writes it, a part may extend to the end of the plan and continue at
  // the beginning of the plan.
  bool greedy = true;
  // If true, a part may have more than one node.
  bool fuse = true;
  // Pairs (before, after) of positions in the plan: the node at `before` must
  // run before the node at `after`, in addition to the order that tensors
  // impose. If not set and `greedy` is true, all nodes with side effects remain
  // in the order of the plan.
  absl::optional<std::vector<std::pair<int, int>>> control_edges;
};

// A part of the execution plan. The delegate can run either all of its nodes or
// none.
struct GraphPartition {
  bool delegated = false;
  std::vector<int> nodes;  // has ids in order of execution
  // The tensors that nodes of the part read and that no earlier node of the
  // part writes, in ascending order, including constants and variables.
  std::vector<int> inputs;
  // The tensors that nodes of the part write and that are needed later, in
  // ascending order. A tensor is needed later if a later part reads it, or if
  // it is an output of the graph. A tensor that is used only within the part is
  // neither an input nor an output.
  std::vector<int> outputs;
};

// Returns the parts in execution order. Each node of the plan is in exactly one
// part.
//
// A node is ready if all of its inputs are available. The first ready node of
// the plan determines whether the next part consists of claimed nodes or of
// other nodes. The part then gets all ready nodes of this kind, and repeatedly
// the nodes of this kind that become ready as a result.
//
// Error: InvalidArgument, naming the node, for an index out of range, a node
// that is in the plan twice, a tensor with two writers, and a cycle. O((n + e)
// log n) for n nodes, where e is the number of uses of tensors plus the number
// of control edges.
absl::StatusOr<std::vector<GraphPartition>> PartitionGraph(
    const PartitionRequest& request);

// Limits on the parts that a delegate runs.
struct PartitionLimits {
  // The maximum number of delegated parts. 0 or less means no limit.
  int max_partitions = 0;
  // The minimum number of nodes of a delegated part.
  int min_nodes_per_partition = 0;
};

// Returns the elements of `request.claims` that the limits permit, in rising
// order. These are the nodes of the largest delegated parts that have at least
// `min_nodes_per_partition` nodes, for at most `max_partitions` parts. Among
// parts of equal size, earlier ones are preferred. Call PartitionGraph again
// with these claims, because nodes that are no longer claimed may join adjacent
// parts. Errors and complexity: those of PartitionGraph.
absl::StatusOr<std::vector<int>> LimitClaims(const PartitionRequest& request,
                                             const PartitionLimits& limits);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_PARTITION_H_
