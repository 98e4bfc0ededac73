// SPDX-License-Identifier: Apache-2.0
// Plans when each tensor of a prepared graph is live. To compute the offsets of
// the tensors use placement.h.
#ifndef STOWAGE_SRC_HARNESS_PLAN_GRAPH_H_
#define STOWAGE_SRC_HARNESS_PLAN_GRAPH_H_

#include "absl/status/statusor.h"
#include "src/harness/graph_states.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"

namespace stowage::harness {

// Plans the order of the tasks and the lifetimes of the tensors of a graph.
// Requires that the graph is prepared. Error: InvalidArgument if the graph runs
// on several streams and has shapes that depend on data, because a plan made
// before the run could not include the tensors with these shapes.
absl::StatusOr<Planned> PlanGraph(const RunningGraph& graph,
                                  const InterpreterOptions& options);

// Updates the description of the graph in the plan to include all nodes that
// are prepared now.
void DescribeGraph(const RunningGraph& graph, MemoryPlan* plan);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_PLAN_GRAPH_H_
