// SPDX-License-Identifier: Apache-2.0
#include "mincostflow/optimal_flow.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "mincostflow/likely_arcs.h"
#include "mincostflow/pricing.h"
#include "src/base/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"

namespace stowage::mincostflow {
namespace {

// The number of nodes in a window. Solving all windows costs little compared
// with solving the whole network, and finds nearly all the arcs and prices that
// the whole network needs.
constexpr size_t kWindow = 2048;

// The amount of work after which the search gives up: the number of nodes times
// the number of arcs, summed over all runs of the solver. Takes about a minute
// at worst.
constexpr size_t kWorkLimit = 250'000'000'000;

// The number of runs of the solver on the whole network that most searches need
// at least. If these runs alone would exceed the maximum work, the search gives
// up at once.
constexpr size_t kLeastRuns = 3;

// The unused memory of a node after a window.
struct Leftover {
  size_t node = 0;
  int64_t amount = 0;
};

// The nodes [begin, end) of the network, together with the earlier nodes that
// have unused memory.
struct Part {
  size_t begin = 0;
  size_t end = 0;
  // The nodes of the part, in ascending order, so the nodes before `begin` come
  // first.
  std::vector<size_t> nodes;
  std::vector<int64_t> supplies;  // the supply of each of `nodes`
  std::vector<Arc> transfers;
  // The amounts of the flow are, in this order: the amount of each transfer;
  // for each node, the amount on the arc to its next node in the part, or to
  // the world if it has no next node; for each node with starts, the amount
  // that the world supplies. The last price is that of the world.
  Flow flow;
};

class FlowSearch {
 public:
  explicit FlowSearch(const Network& network)
      : network_(network),
        arcs_(FindLikelyArcs(network)),
        prices_(network.nodes.size(), 0),
        place_(network.nodes.size(), kNone) {}

  StatusOr<OptimalFlow> Run() {
    const size_t node_count = network_.nodes.size();
    Status status =
        SpendWork(kLeastRuns * node_count, arcs_.size() + 2 * node_count);
    if (!status.ok()) return status;
    work_ = 0;
    if (node_count > 2 * kWindow) status = SolveWindows();
    if (!status.ok()) return status;
    Part whole = MakePart(0, node_count, {});
    whole.transfers = std::move(arcs_);
    status = Solve(&whole);
    if (!status.ok()) return status;
    return Result(whole);
  }

 private:
  // Solves one window after another. Each window can use the memory that the
  // previous windows have left unused, but ignores the windows after it.
  // Appends new arcs to `arcs_`, and stores the prices of the nodes in
  // `prices_`.
  Status SolveWindows() {
    const size_t likely_count = arcs_.size();
    size_t next_likely = 0;
    std::vector<Leftover> leftovers;
    for (size_t begin = 0; begin < network_.nodes.size();) {
      const size_t last = std::min(begin + kWindow, network_.nodes.size()) - 1;
      Part window = MakePart(begin, network_.EndOfTurn(last), leftovers);
      for (; next_likely < likely_count && arcs_[next_likely].head < window.end;
           ++next_likely) {
        if (place_[arcs_[next_likely].tail] != kNone) {
          window.transfers.push_back(arcs_[next_likely]);
        }
      }
      const auto known_count =
          static_cast<std::ptrdiff_t>(window.transfers.size());
      if (Status s = Solve(&window); !s.ok()) return s;
      arcs_.insert(arcs_.end(), window.transfers.begin() + known_count,
                   window.transfers.end());
      leftovers = Leftovers(window);
      for (const size_t node : window.nodes) place_[node] = kNone;
      begin = window.end;
    }
    return OkStatus();
  }

  Part MakePart(size_t begin, size_t end,
                const std::vector<Leftover>& leftovers) {
    Part part;
    part.begin = begin;
    part.end = end;
    for (const Leftover& leftover : leftovers) {
      part.nodes.push_back(leftover.node);
      part.supplies.push_back(leftover.amount);
    }
    for (size_t i = begin; i < end; ++i) {
      const Node& node = network_.nodes[i];
      part.nodes.push_back(i);
      part.supplies.push_back(static_cast<int64_t>(node.end_count()) -
                              static_cast<int64_t>(node.start_count()));
    }
    for (size_t i = 0; i < part.nodes.size(); ++i) place_[part.nodes[i]] = i;
    return part;
  }

  // Solves a part: adds profitable arcs and solves again until none is
  // profitable.
  Status Solve(Part* part) {
    for (;;) {
      if (Status s = SolveOnce(part); !s.ok()) return s;
      const std::vector<Arc> profitable = FindProfitableArcs(
          network_, part->nodes,
          MakeConstSpan(part->flow.prices).first(part->nodes.size()));
      if (profitable.empty()) return OkStatus();
      part->transfers.insert(part->transfers.end(), profitable.begin(),
                             profitable.end());
    }
  }

  // Computes the optimal flow over the current transfers.
  Status SolveOnce(Part* part) {
    const FlowProblem problem = MakeProblem(*part);
    if (Status s = SpendWork(part->nodes.size(), problem.arcs.size());
        !s.ok()) {
      return s;
    }
    StatusOr<Flow> flow = SolveFlow(problem);
    if (!flow.ok()) return flow.status();
    part->flow = *std::move(flow);
    for (size_t i = 0; i < part->nodes.size(); ++i) {
      prices_[part->nodes[i]] = part->flow.prices[i];
    }
    return OkStatus();
  }

  FlowProblem MakeProblem(const Part& part) const {
    const size_t world = part.nodes.size();
    FlowProblem problem;
    problem.supplies = part.supplies;
    problem.supplies.push_back(-std::accumulate(
        part.supplies.begin(), part.supplies.end(), int64_t{0}));
    problem.estimate.reserve(world + 1);
    for (const size_t node : part.nodes) {
      problem.estimate.push_back(prices_[node]);
    }
    problem.estimate.push_back(0);
    problem.arcs.reserve(part.transfers.size() + 2 * world);
    for (const Arc& arc : part.transfers) {
      problem.arcs.push_back({place_[arc.tail], place_[arc.head],
                              static_cast<Cost>(network_.CostOf(arc))});
    }
    for (size_t i = 0; i < world; ++i) {
      const Node& node = network_.nodes[part.nodes[i]];
      problem.arcs.push_back(
          {i, node.next < part.end ? place_[node.next] : world, 0});
    }
    for (size_t i = 0; i < world; ++i) {
      const size_t node = part.nodes[i];
      if (network_.nodes[node].start_count() == 0) continue;
      problem.arcs.push_back(
          {world, i, static_cast<Cost>(network_.SizeOf(node))});
    }
    return problem;
  }

  Status SpendWork(size_t node_count, size_t arc_count) {
    if (arc_count <= (kWorkLimit - work_) / node_count) {
      work_ += node_count * arc_count;
      return OkStatus();
    }
    return ResourceExhaustedError(StrCat(
        "mincostflow: given up, since the minimum-cost flow of ",
        network_.events.size() / 2, " records takes more than ", kWorkLimit,
        " nodes times arcs of work; a greedy strategy has no such limit"));
  }

  // Returns the unused memory of each node, by ascending node. Unused memory is
  // the amount that the flow sends to the world.
  std::vector<Leftover> Leftovers(const Part& part) const {
    std::vector<Leftover> leftovers;
    for (size_t i = 0; i < part.nodes.size(); ++i) {
      const int64_t amount = part.flow.amounts[part.transfers.size() + i];
      if (network_.nodes[part.nodes[i]].next >= part.end && amount > 0) {
        leftovers.push_back({part.nodes[i], amount});
      }
    }
    return leftovers;
  }

  OptimalFlow Result(const Part& whole) const {
    OptimalFlow result;
    const std::vector<int64_t>& amounts = whole.flow.amounts;
    for (size_t i = 0; i < whole.transfers.size(); ++i) {
      if (amounts[i] == 0) continue;
      result.transfers.push_back({whole.transfers[i], amounts[i]});
    }
    size_t arc = whole.transfers.size() + whole.nodes.size();
    for (const Node& node : network_.nodes) {
      result.bought.push_back(node.start_count() == 0 ? 0 : amounts[arc++]);
    }
    result.prices = prices_;
    return result;
  }

  const Network& network_;
  // The initial arcs of searches: first the likely arcs, sorted by head, and
  // then the arcs that were found in windows. The search for the flow of a part
  // uses the arcs that have both nodes in the part.
  std::vector<Arc> arcs_;
  std::vector<Cost> prices_;  // the latest known price of each node
  // The index of each node in the current part, or kNone.
  std::vector<size_t> place_;
  size_t work_ = 0;  // the work that is done so far
};

}  // namespace

StatusOr<OptimalFlow> FindOptimalFlow(const Network& network) {
  if (network.nodes.empty()) return OptimalFlow();
  return FlowSearch(network).Run();
}

}  // namespace stowage::mincostflow
