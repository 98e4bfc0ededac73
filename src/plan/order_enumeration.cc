// SPDX-License-Identifier: Apache-2.0
#include "src/plan/order_enumeration.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "src/base/containers.h"
#include "src/base/work_limit.h"
#include "src/plan/order_graph.h"
#include "stowage/base/span.h"
#include "stowage/usage_record.h"

namespace stowage::order_planner {
namespace {

constexpr size_t kMaxTasks = 64;
constexpr size_t kMaxRecords = 128;
constexpr size_t kNoPeak = std::numeric_limits<size_t>::max();

uint64_t BitOfTask(size_t task) { return uint64_t{1} << task; }

class Enumerator {
 public:
  Enumerator(const OrderGraph& graph, size_t max, const VisitOrder& visit,
             WorkLimit* limit)
      : graph_(graph), max_(max), visit_(visit), limit_(*limit) {
    for (size_t task = 0; task < graph.tasks; ++task) {
      for (const uint32_t before : graph.before[task]) {
        before_[task] |= BitOfTask(before);
      }
    }
    users_.assign(graph.weights.size(), 0);
    for (size_t i = 0; i < users_.size(); ++i) {
      for (const uint32_t task : graph.users[i]) users_[i] |= BitOfTask(task);
    }
    const size_t records = users_.size();
    conflicts_.assign((records * records + 63) / 64, 0);
    all_ = graph.tasks == 64 ? ~uint64_t{0} : BitOfTask(graph.tasks) - 1;
    // The divisor is the size of a state and its entry in the hash table, in
    // bytes.
    max_states_ = kMaxBytes / (16 + 8 * (conflicts_.size() + 5));
  }

  EnumerationResult Run() {
    result_.next_peak = kNoPeak;
    result_.is_complete = Extend(0, 0);
    return result_;
  }

 private:
  struct Child {
    uint32_t task;
    size_t live;  // the bytes that are live at the task
    size_t peak;  // the least peak of any order that continues with the task

    friend bool operator<(const Child& a, const Child& b) {
      return std::tie(a.peak, a.live, a.task) <
             std::tie(b.peak, b.live, b.task);
    }
  };
  static constexpr size_t kMaxBytes = size_t{128} << 20;
  static constexpr size_t kMaxPeaks = size_t{1} << 18;

  bool Spend() {
    ++result_.nodes;
    return limit_.Spend(1);
  }

  bool IsReady(uint64_t done, size_t task) const {
    return (done & BitOfTask(task)) == 0 && (before_[task] & ~done) == 0;
  }

  // Returns whether a record is live at `task` if exactly the tasks `done` have
  // run before `task`.
  bool IsLive(uint64_t done, size_t task, size_t record) const {
    return (users_[record] & (done | BitOfTask(task))) != 0 &&
           (users_[record] & ~done) != 0;
  }

  size_t LiveBytes(uint64_t done, size_t task) const {
    size_t live = 0;
    for (size_t i = 0; i < users_.size(); ++i) {
      if (IsLive(done, task, i)) live += graph_.weights[i];
    }
    return live;
  }

  // Returns the least peak over all orders of the remaining tasks. Returns 0 if
  // the computation would need too much memory or time.
  size_t LeastPeakAfter(uint64_t done) {
    if (done == all_) return 0;
    const auto known = peaks_.find(done);
    if (known != peaks_.end()) return known->second;
    if (peaks_.size() >= kMaxPeaks || !Spend()) return 0;
    size_t least = kNoPeak;
    for (size_t task = 0; task < graph_.tasks; ++task) {
      if (!IsReady(done, task)) continue;
      const size_t live = LiveBytes(done, task);
      if (live >= least) continue;
      least = std::min(least,
                       std::max(live, LeastPeakAfter(done | BitOfTask(task))));
    }
    peaks_[done] = least;
    return least;
  }

  // Adds the conflicts of the records that become live at the task. Each of
  // these records conflicts with all other records that are live at the task.
  void AddConflicts(uint64_t done, size_t task) {
    for (const uint32_t i : graph_.records[task]) {
      if ((users_[i] & done) != 0) continue;
      for (size_t k = 0; k < users_.size(); ++k) {
        if (k == i || !IsLive(done, task, k)) continue;
        const size_t bit =
            std::min<size_t>(i, k) * users_.size() + std::max<size_t>(i, k);
        conflicts_[bit / 64] |= BitOfTask(bit % 64);
      }
    }
  }

  bool IsNew(uint64_t done) {
    std::vector<uint64_t> key = conflicts_;
    key.push_back(done);
    return seen_.insert(std::move(key)).second;
  }

  std::vector<Child> ChildrenOf(uint64_t done, size_t peak) {
    std::vector<Child> children;
    for (uint32_t task = 0; task < graph_.tasks; ++task) {
      if (!IsReady(done, task)) continue;
      const size_t live = LiveBytes(done, task);
      const size_t rest = LeastPeakAfter(done | BitOfTask(task));
      children.push_back({task, live, std::max({peak, live, rest})});
    }
    std::sort(children.begin(), children.end());
    return children;
  }

  // Visits all orders that begin with `order_`. Returns whether the enumeration
  // continues.
  bool Extend(uint64_t done, size_t peak) {
    if (done == all_) return visit_(order_, peak, conflicts_, &max_);
    for (const Child& child : ChildrenOf(done, peak)) {
      if (child.peak > max_) {
        result_.next_peak = std::min(result_.next_peak, child.peak);
        continue;
      }
      if (!Spend() || seen_.size() >= max_states_) return false;
      const ConflictBits conflicts = conflicts_;
      AddConflicts(done, child.task);
      const uint64_t next = done | BitOfTask(child.task);
      if (IsNew(next)) {
        order_.push_back(child.task);
        if (!Extend(next, std::max(peak, child.live))) return false;
        order_.pop_back();
      }
      conflicts_ = conflicts;
    }
    return true;
  }

  const OrderGraph& graph_;
  size_t max_;
  const VisitOrder& visit_;
  WorkLimit& limit_;
  // For each task, the tasks that precede it, as bits.
  uint64_t before_[kMaxTasks] = {};
  std::vector<uint64_t> users_;  // has the users of each record, as bits
  uint64_t all_ = 0;
  size_t max_states_ = 0;
  std::vector<TaskId> order_;
  // Bit i * records + k, where i < k, is set if records i and k conflict.
  ConflictBits conflicts_;
  flat_hash_map<uint64_t, size_t> peaks_;
  flat_hash_set<std::vector<uint64_t>> seen_;
  EnumerationResult result_;
};

}  // namespace

bool CanEnumerate(const OrderGraph& graph) {
  return graph.tasks <= kMaxTasks && graph.weights.size() <= kMaxRecords;
}

EnumerationResult EnumerateOrders(const OrderGraph& graph, size_t max,
                                  const VisitOrder& visit, WorkLimit* limit) {
  return Enumerator(graph, max, visit, limit).Run();
}

}  // namespace stowage::order_planner
