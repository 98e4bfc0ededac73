// SPDX-License-Identifier: Apache-2.0
#include "src/plan/order_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/work_limit.h"
#include "src/plan/order_graph.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {
namespace {

constexpr uint32_t kNoState = std::numeric_limits<uint32_t>::max();

// A set of numbers, as bits.
using Bits = std::vector<uint64_t>;
bool HasBit(Span<const uint64_t> bits, uint32_t number) {
  return (bits[number / 64] >> (number % 64) & 1) != 0;
}
void SetBit(Bits* bits, uint32_t number) {
  (*bits)[number / 64] |= uint64_t{1} << (number % 64);
}
void ClearBit(Bits* bits, uint32_t number) {
  (*bits)[number / 64] &= ~(uint64_t{1} << (number % 64));
}

// Calls `visit` for each number in a set of bits, in rising order.
template <typename Visit>
void ForEachBit(Span<const uint64_t> bits, Visit visit) {
  for (size_t w = 0; w < bits.size(); ++w) {
    for (uint64_t word = bits[w]; word != 0; word &= word - 1) {
      const auto bit = static_cast<uint32_t>(__builtin_ctzll(word));
      visit(static_cast<uint32_t>(w * 64) + bit);
    }
  }
}

// A set of tasks that have already run.
struct State {
  Bits done;
  Bits ready;
  size_t held = 0;  // the bytes that are live after all tasks of the set
  // The lowest known peak over the orders of these tasks, or the given bound if
  // that is higher.
  size_t peak = 0;
  uint32_t count = 0;
  uint32_t parent = kNoState;
  uint32_t task = 0;  // the task that was added last
};

// A transition to a state with one more task.
struct Step {
  size_t peak = 0;
  uint32_t count = 0;
  size_t held = 0;
  uint32_t parent = 0;
  uint32_t task = 0;

  // Sorts by lowest peak and then by most tasks, so the first complete state
  // that the search reaches is optimal. The other members break ties.
  friend bool operator<(const Step& a, const Step& b) {
    return std::tie(b.peak, a.count, b.held, b.parent, b.task) <
           std::tie(a.peak, b.count, a.held, a.parent, a.task);
  }
};

class LeastPeakSearch {
 public:
  LeastPeakSearch(const OrderGraph& graph, size_t bound, size_t peak,
                  uint64_t max_nodes, const StopSignal& stop)
      : graph_(graph), max_(peak), max_nodes_(max_nodes), stop_(stop) {
    // The size of a state in bytes: its bit sets and its entries in the
    // containers.
    const size_t bytes = 3 * ((graph.tasks + 63) / 64) * 8 + 160;
    max_states_ = std::max<size_t>(kMaxBytes / bytes, 2);
    State& start = states_.emplace_back();
    start.done.assign((graph.tasks + 63) / 64, 0);
    start.ready = start.done;
    start.peak = bound;
    for (uint32_t task = 0; task < graph.tasks; ++task) {
      if (graph.before[task].empty()) SetBit(&start.ready, task);
    }
  }

  OrderSearchResult Run() {
    if (graph_.tasks == 0 || states_[0].peak >= max_) return {{}, max_, 0};
    PushSteps(0);
    while (!steps_.empty()) {
      const Step step = steps_.top();
      if (IsAtLimit()) return {{}, step.peak, Nodes()};
      steps_.pop();
      if (!Enter(step)) continue;
      if (step.count == graph_.tasks) {
        return {OrderOf(states_.back()), step.peak, Nodes()};
      }
      PushSteps(static_cast<uint32_t>(states_.size() - 1));
    }
    return {{}, max_, Nodes()};
  }

  // Searches for an order, but keeps only the `width` best states of each size.
  std::vector<TaskId> RunBeam(size_t width) {
    if (graph_.tasks == 0 || states_[0].peak >= max_) return {};
    width = std::min(width, (max_states_ - 1) / graph_.tasks);
    std::vector<uint32_t> beam = {0};
    for (size_t count = 0; count < graph_.tasks; ++count) {
      for (const uint32_t index : beam) {
        if (IsAtLimit()) return {};
        PushSteps(index);
      }
      beam.clear();
      for (; !steps_.empty() && beam.size() < width; steps_.pop()) {
        if (!Enter(steps_.top())) continue;
        beam.push_back(static_cast<uint32_t>(states_.size() - 1));
      }
      if (beam.empty()) return {};
      steps_ = {};
      seen_.clear();
    }
    return OrderOf(states_[beam.front()]);
  }

 private:
  static constexpr size_t kMaxBytes = size_t{96} << 20;
  static constexpr size_t kMaxSteps = size_t{1} << 21;

  uint64_t Nodes() const { return states_.size() - 1; }

  bool IsAtLimit() const {
    return Nodes() >= max_nodes_ || states_.size() >= max_states_ ||
           steps_.size() >= kMaxSteps || stop_.IsSet();
  }

  // Sets `step` to the transition that adds a ready task. Returns false if the
  // peak of the transition is too high.
  bool Weigh(const State& state, uint32_t task, Step* step) const {
    size_t begins = 0;
    size_t ends = 0;
    for (const uint32_t i : graph_.records[task]) {
      const Span<const uint32_t> users = graph_.users[i];
      const auto done = std::count_if(
          users.begin(), users.end(),
          [&](uint32_t user) { return HasBit(state.done, user); });
      if (done == 0) begins += graph_.weights[i];
      if (static_cast<size_t>(done) + 1 == users.size()) {
        ends += graph_.weights[i];
      }
    }
    step->peak = std::max(state.peak, state.held + begins);
    step->held = state.held + begins - ends;
    step->task = task;
    return step->peak < max_;
  }

  void PushSteps(uint32_t index) {
    const State& state = states_[index];
    Step step;
    step.count = state.count + 1;
    step.parent = index;
    found_.clear();
    bool is_best = false;
    ForEachBit(state.ready, [&](uint32_t task) {
      if (is_best || !Weigh(state, task, &step)) return;
      is_best = step.peak == state.peak && step.held <= state.held;
      if (is_best) found_.clear();
      found_.push_back(step);
    });
    for (const Step& found : found_) steps_.push(found);
  }

  // Appends the state that results from a transition to states_. Returns false
  // if the same set has been entered before; its peak was then the same or
  // lower.
  bool Enter(const Step& step) {
    const State& parent = states_[step.parent];
    Bits done = parent.done;
    SetBit(&done, step.task);
    if (!seen_.insert(done).second) return false;
    State state;
    state.ready = parent.ready;
    ClearBit(&state.ready, step.task);
    for (const uint32_t next : graph_.after[step.task]) {
      const Span<const uint32_t> before = graph_.before[next];
      const bool is_ready =
          std::all_of(before.begin(), before.end(),
                      [&](uint32_t task) { return HasBit(done, task); });
      if (is_ready) SetBit(&state.ready, next);
    }
    state.done = std::move(done);
    state.held = step.held;
    state.peak = step.peak;
    state.count = step.count;
    state.parent = step.parent;
    state.task = step.task;
    states_.push_back(std::move(state));
    return true;
  }

  std::vector<TaskId> OrderOf(const State& last) const {
    std::vector<TaskId> order;
    const State* state = &last;
    for (; state->parent != kNoState; state = &states_[state->parent]) {
      order.push_back(state->task);
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  const OrderGraph& graph_;
  const size_t max_;  // peaks must be below this number
  const uint64_t max_nodes_;
  const StopSignal& stop_;
  size_t max_states_ = 0;
  std::vector<State> states_;
  std::vector<Step> found_;
  std::priority_queue<Step> steps_;
  flat_hash_set<Bits> seen_;
};

}  // namespace

OrderSearchResult SearchLeastPeak(const OrderGraph& graph, size_t bound,
                                  size_t peak, uint64_t max_nodes,
                                  const StopSignal& stop) {
  return LeastPeakSearch(graph, bound, peak, max_nodes, stop).Run();
}

std::vector<TaskId> SearchBeam(const OrderGraph& graph, size_t peak,
                               size_t width, const StopSignal& stop) {
  constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
  return LeastPeakSearch(graph, 0, peak, kNoLimit, stop).RunBeam(width);
}

}  // namespace stowage::order_planner
