// SPDX-License-Identifier: Apache-2.0
#include "mincostflow/flow_solver.h"

#include <lemon/network_simplex.h>
#include <lemon/preflow.h>
#include <lemon/static_graph.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "stowage/base/status.h"

namespace stowage::mincostflow {
namespace {

using Graph = lemon::StaticDigraph;
using Simplex = lemon::NetworkSimplex<Graph, int64_t, Cost>;

// Returns the indices of the arcs, sorted by tail, because LEMON's static graph
// requires this order. Arc i of the graph is arcs[order[i]].
std::vector<size_t> OrderByTail(const std::vector<FlowArc>& arcs) {
  std::vector<size_t> order(arcs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&arcs](size_t a, size_t b) {
    return arcs[a].tail < arcs[b].tail;
  });
  return order;
}

Graph::Node NodeAt(size_t i) { return Graph::node(static_cast<int>(i)); }
Graph::Arc ArcAt(size_t i) { return Graph::arc(static_cast<int>(i)); }

}  // namespace

StatusOr<Flow> SolveFlow(const FlowProblem& problem) {
  const size_t node_count = problem.supplies.size();
  const std::vector<size_t> order = OrderByTail(problem.arcs);
  std::vector<std::pair<int, int>> ends;
  ends.reserve(order.size());
  for (const size_t i : order) {
    ends.emplace_back(static_cast<int>(problem.arcs[i].tail),
                      static_cast<int>(problem.arcs[i].head));
  }
  Graph graph;
  graph.build(static_cast<int>(node_count), ends.begin(), ends.end());

  // LEMON cannot start from the flow of an earlier solution, but reducing the
  // costs by the prices of that solution has a similar effect. Reduced costs
  // have the same optimal flows, and LEMON needs fewer pivots: the reduced cost
  // is 0 on every arc that had flow, and negative only where the flow has to
  // change.
  Graph::ArcMap<Cost> costs(graph);
  for (size_t i = 0; i < order.size(); ++i) {
    const FlowArc& arc = problem.arcs[order[i]];
    costs[ArcAt(i)] =
        arc.cost + problem.estimate[arc.tail] - problem.estimate[arc.head];
  }
  Graph::NodeMap<int64_t> supplies(graph);
  for (size_t i = 0; i < node_count; ++i) {
    supplies[NodeAt(i)] = problem.supplies[i];
  }
  Simplex simplex(graph);
  simplex.costMap(costs).supplyMap(supplies);
  if (simplex.run() != Simplex::OPTIMAL) {
    return InternalError("mincostflow: the network has no optimal flow");
  }

  Flow flow;
  flow.amounts.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    flow.amounts[order[i]] = simplex.flow(ArcAt(i));
  }
  flow.prices.resize(node_count);
  const Cost origin = simplex.potential(NodeAt(node_count - 1));
  for (size_t i = 0; i < node_count; ++i) {
    flow.prices[i] =
        problem.estimate[i] + simplex.potential(NodeAt(i)) - origin;
  }
  return flow;
}

std::vector<bool> FindLeastCut(size_t nodes, std::vector<LimitedArc> arcs,
                               size_t source, size_t sink) {
  std::stable_sort(
      arcs.begin(), arcs.end(),
      [](const LimitedArc& a, const LimitedArc& b) { return a.tail < b.tail; });
  std::vector<std::pair<int, int>> ends;
  ends.reserve(arcs.size());
  for (const LimitedArc& arc : arcs) {
    ends.emplace_back(static_cast<int>(arc.tail), static_cast<int>(arc.head));
  }
  Graph graph;
  graph.build(static_cast<int>(nodes), ends.begin(), ends.end());
  Graph::ArcMap<int64_t> max(graph);
  for (size_t i = 0; i < arcs.size(); ++i) max[ArcAt(i)] = arcs[i].max;
  lemon::Preflow<Graph, Graph::ArcMap<int64_t>> flow(graph, max, NodeAt(source),
                                                     NodeAt(sink));
  flow.runMinCut();
  std::vector<bool> is_near(nodes);
  for (size_t i = 0; i < nodes; ++i) is_near[i] = flow.minCut(NodeAt(i));
  return is_near;
}

}  // namespace stowage::mincostflow
