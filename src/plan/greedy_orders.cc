// SPDX-License-Identifier: Apache-2.0
#include "src/plan/greedy_orders.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "src/base/work_limit.h"
#include "src/plan/order_graph.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {
namespace {

// The sort keys of ready tasks. A record counts as allocated at the first task
// that uses it, and as freed at the last. A *freeing* task frees at least as
// many bytes as it allocates. Ties are broken by the bytes that the task
// allocates (fewest first), except under kTask, and then by the task number.
enum class Rule {
  kTask,  // compares task numbers alone
  // Freeing tasks come first, sorted by the bytes that they allocate (fewest
  // first). All other tasks follow, sorted by the bytes that they free (most
  // first).
  kSegment,
  kGrowth,  // compares the growth of the live bytes, the least first
  // Freeing tasks come before all others. Within each of the two groups, the
  // task that became ready most recently comes first.
  kDepth,
};

// Builds an order step by step. Each step appends the ready task that is first
// under the rule.
class GreedyOrder {
 public:
  GreedyOrder(const OrderGraph& graph, Rule rule)
      : graph_(graph),
        rule_(rule),
        awaited_(graph.tasks),
        left_(graph.weights.size()),
        begins_(graph.tasks, 0),
        ends_(graph.tasks, 0),
        ready_since_(graph.tasks, 0) {
    for (size_t i = 0; i < left_.size(); ++i) {
      left_[i] = graph.users[i].size();
      for (const uint32_t task : graph.users[i]) {
        begins_[task] += graph.weights[i];
        if (left_[i] == 1) ends_[task] += graph.weights[i];
      }
    }
    for (uint32_t task = 0; task < graph.tasks; ++task) {
      awaited_[task] = graph.before[task].size();
      if (awaited_[task] == 0) ready_.insert(EntryOf(task));
    }
  }

  std::vector<TaskId> Build() {
    std::vector<TaskId> order;
    order.reserve(graph_.tasks);
    while (!ready_.empty()) {
      const uint32_t task = ready_.begin()->second;
      ready_.erase(ready_.begin());
      order.push_back(task);
      awaited_[task] = kDone;
      Use(task);
      for (const uint32_t next : graph_.after[task]) {
        if (--awaited_[next] > 0) continue;
        ready_since_[next] = order.size();
        ready_.insert(EntryOf(next));
      }
    }
    return order;
  }

 private:
  using Key = std::array<size_t, 3>;
  static constexpr size_t kDone = static_cast<size_t>(-1);
  // Returns a sort key for which larger numbers sort first.
  static size_t Falling(size_t number) { return ~number; }

  std::pair<Key, uint32_t> EntryOf(uint32_t task) const {
    const size_t begins = begins_[task];
    const size_t ends = ends_[task];
    const bool frees = ends >= begins;
    switch (rule_) {
      case Rule::kTask:
        return {{0, 0, 0}, task};
      case Rule::kSegment:
        return {{frees ? size_t{0} : size_t{1}, frees ? begins : Falling(ends),
                 begins},
                task};
      case Rule::kGrowth:
        return {{frees ? size_t{0} : size_t{1},
                 frees ? Falling(ends - begins) : begins - ends, begins},
                task};
      case Rule::kDepth:
        break;
    }
    return {
        {frees ? size_t{0} : size_t{1}, Falling(ready_since_[task]), begins},
        task};
  }

  // Sets `*bytes`, one of the numbers that determine the sort key of the task,
  // to `value`. If the task is ready, also moves it to its new place among the
  // ready tasks. Requires that the task is not done.
  void Change(uint32_t task, size_t* bytes, size_t value) {
    const bool is_ready = awaited_[task] == 0;
    if (is_ready) ready_.erase(EntryOf(task));
    *bytes = value;
    if (is_ready) ready_.insert(EntryOf(task));
  }

  void Use(uint32_t task) {
    for (const uint32_t i : graph_.records[task]) {
      const Span<const uint32_t> users = graph_.users[i];
      if (left_[i]-- == users.size()) {
        for (const uint32_t user : users) {
          if (awaited_[user] == kDone) continue;
          Change(user, &begins_[user], begins_[user] - graph_.weights[i]);
        }
      }
      if (left_[i] != 1) continue;
      for (const uint32_t user : users) {
        if (awaited_[user] == kDone) continue;
        Change(user, &ends_[user], ends_[user] + graph_.weights[i]);
      }
    }
  }

  const OrderGraph& graph_;
  const Rule rule_;
  // For each task, the number of preceding tasks that are not yet done.
  std::vector<size_t> awaited_;
  // For each record, the number of its users that are not yet done.
  std::vector<size_t> left_;
  // For each task, the bytes that it begins and the bytes that it ends.
  std::vector<size_t> begins_;
  std::vector<size_t> ends_;
  std::vector<size_t> ready_since_;
  std::set<std::pair<Key, uint32_t>> ready_;
};

}  // namespace

std::vector<RatedOrder> GreedyOrders(const OrderGraph& graph,
                                     const StopSignal& stop) {
  std::vector<RatedOrder> orders;
  const auto add = [&](std::vector<TaskId> order) {
    RatedOrder rated;
    rated.peak = PeakOf(graph, order);
    rated.order = std::move(order);
    orders.push_back(std::move(rated));
  };
  add(GreedyOrder(graph, Rule::kTask).Build());
  const OrderGraph reversed = graph.Reversed();
  for (const Rule rule : {Rule::kSegment, Rule::kGrowth, Rule::kDepth}) {
    if (stop.IsSet()) break;
    add(GreedyOrder(graph, rule).Build());
    if (stop.IsSet()) break;
    std::vector<TaskId> order = GreedyOrder(reversed, rule).Build();
    std::reverse(order.begin(), order.end());
    add(std::move(order));
  }
  std::stable_sort(
      orders.begin(), orders.end(),
      [](const RatedOrder& a, const RatedOrder& b) { return a.peak < b.peak; });
  return orders;
}

}  // namespace stowage::order_planner
