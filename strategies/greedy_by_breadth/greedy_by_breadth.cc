// SPDX-License-Identifier: Apache-2.0
#include "greedy_by_breadth/greedy_by_breadth.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/core/best_fit.h"
#include "src/core/interval_ranks.h"
#include "src/core/sorted_blocks.h"
#include "stowage/profile.h"

namespace stowage::greedy_by_breadth {
namespace {

// The broadest step of any stretch, the earliest on ties.
class BroadestStep {
 public:
  explicit BroadestStep(std::vector<size_t> breadths)
      : breadths_(std::move(breadths)), best_(2 * breadths_.size()) {
    const size_t steps = breadths_.size();
    std::iota(best_.begin() + static_cast<ptrdiff_t>(steps), best_.end(),
              uint32_t{0});
    for (size_t node = steps; node-- > 1;) {
      best_[node] = Broader(best_[2 * node], best_[2 * node + 1]);
    }
  }

  // O(1) for a short interval, O(log n) for a long one.
  uint32_t In(StepInterval interval) const {
    uint32_t broadest = interval.begin;
    if (interval.end - interval.begin < kShort) {
      for (uint32_t step = interval.begin + 1; step < interval.end; ++step) {
        broadest = Broader(broadest, step);
      }
      return broadest;
    }
    size_t first = interval.begin + breadths_.size();
    size_t last = interval.end + breadths_.size();
    for (; first < last; first /= 2, last /= 2) {
      if (first % 2 == 1) broadest = Broader(broadest, best_[first++]);
      if (last % 2 == 1) broadest = Broader(broadest, best_[--last]);
    }
    return broadest;
  }

  size_t BreadthOf(uint32_t step) const { return breadths_[step]; }

 private:
  static constexpr uint32_t kShort = 16;

  uint32_t Broader(uint32_t a, uint32_t b) const {
    if (breadths_[a] == breadths_[b]) return std::min(a, b);
    return breadths_[a] > breadths_[b] ? a : b;
  }

  std::vector<size_t> breadths_;  // by step
  std::vector<uint32_t> best_;    // of node k, whose children are 2k and 2k + 1
};

// All records in the order in which the strategy places them: tasks by breadth
// descending, in each the records of its profile that no earlier task had. So
// a record comes with the broadest task of its interval.
std::vector<size_t> PlacingOrder(absl::Span<const ByteRecord> records,
                                 const IntervalRanks& ranks) {
  struct Turn {
    size_t breadth;
    size_t size;
    uint32_t step;
    uint32_t record;
  };
  const BroadestStep broadest(StepBreadths(records, ranks));
  std::vector<Turn> turns(records.size());
  for (uint32_t i = 0; i < records.size(); ++i) {
    const uint32_t step = broadest.In(ranks.intervals[i]);
    turns[i] = {broadest.BreadthOf(step), records[i].tensor_size, step, i};
  }
  std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
    if (a.breadth != b.breadth) return a.breadth > b.breadth;
    if (a.step != b.step) return a.step < b.step;
    if (a.size != b.size) return a.size > b.size;
    return a.record < b.record;
  });
  std::vector<size_t> order;
  order.reserve(records.size());
  for (const Turn& turn : turns) order.push_back(turn.record);
  return order;
}

// The shared objects by size, each with the steps in which it is in use.
class ObjectPool {
 public:
  // The smallest object of at least `size` that is free during `interval`,
  // else the largest free one, the lowest id on ties; Count() if none is free.
  // O(log n) for each object that is not free on the way.
  size_t Choose(size_t size, StepInterval interval) const {
    const auto larger = by_size_.lower_bound({size, 0});
    const auto fits = FirstFree(larger, interval);
    if (fits != by_size_.end()) return fits->second;
    for (auto smaller = larger; smaller != by_size_.begin();) {
      --smaller;
      if (!IsFree(smaller->second, interval)) continue;
      // From above, the highest id of a size comes first.
      return FirstFree(by_size_.lower_bound({smaller->first, 0}), interval)
          ->second;
    }
    return Count();
  }

  // Gives an object, or a new one if `id` is Count(), to a record.
  void Use(size_t id, size_t size, StepInterval interval) {
    if (id == Count()) {
      sizes_.push_back(size);
      in_use_.emplace_back();
      last_use_.emplace_back();
      by_size_.emplace(size, id);
    } else if (sizes_[id] < size) {
      by_size_.erase({sizes_[id], id});
      by_size_.emplace(size, id);
      sizes_[id] = size;
    }
    in_use_[id].Insert(interval, [&](const StepInterval& use) {
      return use.begin < interval.begin;
    });
    last_use_[id] = interval;
  }

  size_t Count() const { return sizes_.size(); }
  const std::vector<size_t>& sizes() const { return sizes_; }

 private:
  using Entry = std::pair<size_t, size_t>;  // size, id
  using Iterator = absl::btree_set<Entry>::const_iterator;

  bool IsFree(size_t id, StepInterval interval) const {
    // Records that follow each other in placing order tend to conflict.
    const StepInterval& last = last_use_[id];
    if (last.begin < interval.end && interval.begin < last.end) return false;
    const StepInterval* const before = in_use_[id].LastBefore(
        [&](const StepInterval& use) { return use.begin < interval.end; });
    return before == nullptr || before->end <= interval.begin;
  }

  Iterator FirstFree(Iterator from, StepInterval interval) const {
    return std::find_if(from, by_size_.end(), [&](const Entry& entry) {
      return IsFree(entry.second, interval);
    });
  }

  absl::btree_set<Entry> by_size_;
  std::vector<size_t> sizes_;
  std::vector<SortedBlocks<StepInterval>> in_use_;
  std::vector<StepInterval> last_use_;  // the one added last to in_use_
};

absl::optional<ObjectsAssignment<size_t>> AssignByBreadth(
    absl::Span<const ByteRecord> records, const IntervalRanks& ranks,
    const StopSignal& stop) {
  constexpr size_t kRecordsPerLook = 64;
  if (stop.IsSetWithin(TimeToSort(records.size()))) return absl::nullopt;
  ObjectsAssignment<size_t> assignment;
  assignment.object_ids.resize(records.size());
  ObjectPool pool;
  size_t placed = 0;
  for (const size_t i : PlacingOrder(records, ranks)) {
    if (placed++ % kRecordsPerLook == 0 && stop.IsSet()) return absl::nullopt;
    const size_t size = records[i].tensor_size;
    const size_t id = pool.Choose(size, ranks.intervals[i]);
    pool.Use(id, size, ranks.intervals[i]);
    assignment.object_ids[i] = id;
  }
  assignment.object_sizes = pool.sizes();
  return assignment;
}

class GreedyByBreadth final : public Strategy {
 public:
  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = [] {
      auto* const strategy = new StrategyInfo;
      strategy->name = "greedy_by_breadth";
      strategy->summary = "the tasks with most bytes live first, best fit";
      strategy->complexity =
          "O(n log n); offsets O((n + c) log n), c conflicting pairs";
      strategy->source = "Pisarchyk and Lee 2020, sections 4.2 and 5.3";
      strategy->features = {Feature::kOffsets, Feature::kObjects,
                            Feature::kFixedOffsets};
      strategy->is_order_independent = true;
      return strategy;
    }();
    return *info;
  }

  absl::StatusOr<Solution> Solve(
      const Problem& problem, const SolveOptions& /*options*/) const override {
    if (problem.kind() == PlanKind::kObjects) {
      return Solution(AssignObjects(problem));
    }
    return Solution(AssignOffsets(problem));
  }
};

}  // namespace

ObjectsAssignment<size_t> AssignObjects(const Problem& problem) {
  return *AssignObjectsUntil(StopSignal(), problem);
}

absl::optional<ObjectsAssignment<size_t>> AssignObjectsUntil(
    const StopSignal& stop, const Problem& problem) {
  return AssignByBreadth(problem.records(), problem.ranks(), stop);
}

OffsetsAssignment AssignOffsets(const Problem& problem) {
  return PlaceBestFit(problem,
                      PlacingOrder(problem.records(), problem.ranks()));
}

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<GreedyByBreadth>();
}

}  // namespace stowage::greedy_by_breadth
