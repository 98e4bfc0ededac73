// SPDX-License-Identifier: Apache-2.0
#include "src/plan/order_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/work_limit.h"
#include "src/bounds/choice_bound.h"
#include "stowage/base/span.h"
#include "stowage/free_order.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {
namespace {

// Marks the tasks that can be reached from given tasks. Can be used repeatedly.
class Reach {
 public:
  Reach(const NumberLists& next, size_t tasks)
      : next_(next), marked_in_(tasks, 0) {}

  // Marks the given tasks and all tasks that can be reached from them. Returns
  // the number of tasks and edges that were visited.
  size_t Mark(Span<const uint32_t> tasks) {
    ++round_;
    reached_.clear();
    for (const uint32_t task : tasks) Add(task);
    size_t cost = 0;
    // reached_ grows during the loop.
    size_t looked_at = 0;
    while (looked_at < reached_.size()) {
      const Span<const uint32_t> next = next_[reached_[looked_at++]];
      cost += 1 + next.size();
      for (const uint32_t task : next) Add(task);
    }
    return cost;
  }
  Span<const uint32_t> reached() const { return reached_; }
  bool IsMarked(uint32_t task) const { return marked_in_[task] == round_; }

 private:
  void Add(uint32_t task) {
    if (marked_in_[task] == round_) return;
    marked_in_[task] = round_;
    reached_.push_back(task);
  }

  const NumberLists& next_;
  size_t round_ = 0;
  std::vector<size_t> marked_in_;
  std::vector<uint32_t> reached_;
};

}  // namespace

NumberLists::NumberLists(size_t lists, std::vector<Pair> pairs) {
  const auto key = [](const Pair& pair) { return std::tie(pair.x, pair.y); };
  std::sort(pairs.begin(), pairs.end(),
            [&](const Pair& a, const Pair& b) { return key(a) < key(b); });
  const auto end = std::unique(
      pairs.begin(), pairs.end(),
      [&](const Pair& a, const Pair& b) { return key(a) == key(b); });
  pairs.erase(end, pairs.end());
  begins_.assign(lists + 1, 0);
  numbers_.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    ++begins_[pair.x + 1];
    numbers_.push_back(pair.y);
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
}

OrderGraph OrderGraph::Reversed() const {
  OrderGraph reversed = *this;
  std::swap(reversed.before, reversed.after);
  return reversed;
}

OrderGraph MakeOrderGraph(const Problem& problem) {
  const FreeOrder& free_order = *problem.free_order();
  OrderGraph graph;
  graph.tasks = free_order.tasks;
  std::vector<NumberLists::Pair> forward;
  std::vector<NumberLists::Pair> backward;
  for (const TaskEdge& edge : free_order.edges) {
    const auto before = static_cast<uint32_t>(edge.before);
    const auto after = static_cast<uint32_t>(edge.after);
    forward.push_back({before, after});
    backward.push_back({after, before});
  }
  graph.after = NumberLists(graph.tasks, std::move(forward));
  graph.before = NumberLists(graph.tasks, std::move(backward));
  std::vector<NumberLists::Pair> records;
  std::vector<NumberLists::Pair> users;
  for (size_t i = 0; i < problem.size(); ++i) {
    const auto record = static_cast<uint32_t>(i);
    for (const TaskId task : free_order.users[i]) {
      users.push_back({record, static_cast<uint32_t>(task)});
      records.push_back({static_cast<uint32_t>(task), record});
    }
  }
  graph.records = NumberLists(graph.tasks, std::move(records));
  graph.users = NumberLists(problem.size(), std::move(users));
  graph.weights = WeightsInAnyOrder(problem);
  return graph;
}

size_t PeakOf(const OrderGraph& graph, Span<const TaskId> order) {
  std::vector<size_t> left(graph.weights.size());
  for (size_t i = 0; i < left.size(); ++i) left[i] = graph.users[i].size();
  size_t live = 0;
  size_t peak = 0;
  for (const TaskId task : order) {
    for (const uint32_t i : graph.records[task]) {
      if (left[i] == graph.users[i].size()) live += graph.weights[i];
    }
    peak = std::max(peak, live);
    for (const uint32_t i : graph.records[task]) {
      if (--left[i] == 0) live -= graph.weights[i];
    }
  }
  return peak;
}

size_t BytesOfAnyOrder(const OrderGraph& graph, const StopSignal& stop) {
  constexpr size_t kMaxWork = 50'000'000;
  std::vector<size_t> live(graph.tasks, 0);
  Reach later(graph.after, graph.tasks);
  Reach earlier(graph.before, graph.tasks);
  size_t work = 0;
  for (size_t i = 0; i < graph.weights.size(); ++i) {
    const Span<const uint32_t> users = graph.users[i];
    if (users.size() == 1 || work > kMaxWork || (i % 64 == 0 && stop.IsSet())) {
      for (const uint32_t task : users) live[task] += graph.weights[i];
      if (users.size() > 1) work = kMaxWork + 1;
      continue;
    }
    work += later.Mark(users) + earlier.Mark(users);
    for (const uint32_t task : later.reached()) {
      if (earlier.IsMarked(task)) live[task] += graph.weights[i];
    }
  }
  return live.empty() ? 0 : *std::max_element(live.begin(), live.end());
}

}  // namespace stowage::order_planner
