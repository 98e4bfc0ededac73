// SPDX-License-Identifier: Apache-2.0
// Splits the plan of execution of a graph into parts that a delegate runs and
// parts that it does not, each as large as the dependencies allow.
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
// Nodes and tensors are indices; it knows neither models nor interpreters. To
// run a model as it is use interpreter.h.
// Variables and constants are tensors that no node of the plan writes.
//
// Source: the rules of the partitioner of TensorFlow Lite (graph_info.cc); the
// parts, their order and their tensors are the same.
#ifndef STOWAGE_HARNESS_PARTITION_H_
#define STOWAGE_HARNESS_PARTITION_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"

namespace stowage::harness {

struct PartitionNode {
  // Tensors; -1 is one that is left out.
  std::vector<int> inputs;
  std::vector<int> outputs;
  // Its order among the nodes with side effects matters: it reads or writes a
  // resource, or runs another subgraph.
  bool has_side_effects = false;
};

struct PartitionRequest {
  int tensor_count = 0;
  // Without effect beyond the check of the indices: what no node of the plan
  // writes is there.
  std::vector<int> graph_inputs;
  std::vector<int> graph_outputs;
  std::vector<PartitionNode> nodes;  // by node id
  // Node ids in order of execution; nodes that are not in it play no part.
  std::vector<int> execution_plan;
  // Ids of the nodes that the delegate can run, in any order; those that are
  // not in the plan are ignored.
  std::vector<int> claims;
  // Whether nodes that do not depend on each other may change places so that
  // parts are larger. If not, parts are runs of consecutive nodes, going on
  // from the end of a plan that is not in the order of its tensors to its
  // beginning.
  bool greedy = true;
  // Whether a part may have more than one node.
  bool fuse = true;
  // Pairs (before, after) of positions in the plan, beside the order that
  // tensors impose. Without a value: nodes with side effects stay in the order
  // of the plan (where `greedy` could change it).
  absl::optional<std::vector<std::pair<int, int>>> control_edges;
};

struct GraphPartition {
  bool delegated = false;
  std::vector<int> nodes;  // ids, in order of execution
  // Tensors that its nodes read and none of them has written before, constants
  // and variables among them; ascending.
  std::vector<int> inputs;
  // Tensors that it writes and a later part reads, or the graph returns;
  // ascending. A tensor that is used only within the part is in neither list.
  std::vector<int> outputs;
};

// The parts in order of execution; each node of the plan is in one of them.
//
// A part takes every node of its kind (claimed or not) whose inputs are there,
// then those that become ready by this, again and again; the first node of the
// plan that is ready decides on the kind.
//
// Error: InvalidArgument for an index out of range, a node that is in the plan
// twice, a tensor with two writers, and a cycle; the message names the node.
// O((n + e) log n) for n nodes and e uses of tensors and control edges.
absl::StatusOr<std::vector<GraphPartition>> PartitionGraph(
    const PartitionRequest& request);

struct PartitionLimits {
  int max_partitions = 0;  // parts that are delegated; <= 0: any number
  int min_nodes_per_partition = 0;  // of a part that is delegated
};

// What is left of `request.claims` under limits: the nodes of the largest
// `max_partitions` delegated parts that have at least
// `min_nodes_per_partition` nodes, ascending. Of parts of one size the earlier
// go first. Partition again with these claims: what is claimed no more may
// join its neighbours. Errors and complexity: those of PartitionGraph.
absl::StatusOr<std::vector<int>> LimitClaims(const PartitionRequest& request,
                                             const PartitionLimits& limits);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_PARTITION_H_
