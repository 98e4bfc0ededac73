// SPDX-License-Identifier: Apache-2.0
#include "greedy_by_breadth/greedy_by_breadth.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/sorted_blocks.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/best_fit.h"
#include "src/construct/placing_order.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/profile.h"

namespace stowage::greedy_by_breadth {
namespace {

// Returns all records in the order in which the strategy places them.
// Conceptually, visits the tasks by decreasing breadth and appends, at each
// task, the live records that are not in the order yet. Each record is thus
// appended at the task of greatest breadth in its interval.
optional<std::vector<uint32_t>> PlacingOrder(Span<const ByteRecord> records,
                                             const IntervalRanks& ranks,
                                             const StopSignal& stop) {
  return PlacingOrders(records, ranks, stop)
      .By({PlacingKey::kCongestion, PlacingKey::kBroadestStep,
           PlacingKey::kSize});
}

// Keeps the shared objects sorted by size, and stores the steps at which each
// object is in use.
class ObjectPool {
 public:
  // Returns the smallest object of at least `size` that is free during
  // `interval`. If there is none, returns the largest free object, or Count()
  // if no object is free. On ties, returns the lowest id. O(log n) for each
  // object that is checked and is not free.
  size_t Choose(size_t size, StepInterval interval) const {
    const auto larger = by_size_.lower_bound({size, 0});
    const auto fits = FirstFree(larger, interval);
    if (fits != by_size_.end()) return fits->second;
    for (auto smaller = larger; smaller != by_size_.begin();) {
      --smaller;
      if (!IsFree(smaller->second, interval)) continue;
      // The loop visits objects of the same size from the highest id to the
      // lowest, so `smaller` is the free object of its size with the highest
      // id. Returns the one with the lowest id instead.
      return FirstFree(by_size_.lower_bound({smaller->first, 0}), interval)
          ->second;
    }
    return Count();
  }

  // Assigns a record to object `id`, or to a new object if `id` is Count().
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
  using Entry = std::pair<size_t, size_t>;  // a size and an id
  using Iterator = btree_set<Entry>::const_iterator;

  bool IsFree(size_t id, StepInterval interval) const {
    // Successive records in the placing order tend to conflict, so this quick
    // check is often enough.
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

  btree_set<Entry> by_size_;
  std::vector<size_t> sizes_;
  std::vector<SortedBlocks<StepInterval>> in_use_;
  // The latest addition to in_use_, for each object.
  std::vector<StepInterval> last_use_;
};

optional<ObjectsAssignment<size_t>> AssignByBreadth(
    Span<const ByteRecord> records, const IntervalRanks& ranks,
    const StopSignal& stop) {
  constexpr size_t kRecordsPerPoll = 64;
  const auto order = PlacingOrder(records, ranks, stop);
  if (!order) return nullopt;
  ObjectsAssignment<size_t> assignment;
  assignment.object_ids.resize(records.size());
  ObjectPool pool;
  size_t placed = 0;
  for (const uint32_t i : *order) {
    if (placed++ % kRecordsPerPoll == 0 && stop.IsSet()) return nullopt;
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
          "O(n log n); offsets O(n k), k stretches in use beside a record";
      strategy->source = "Pisarchyk and Lee 2020, sections 4.2 and 5.3";
      strategy->features = {Feature::kOffsets, Feature::kObjects,
                            Feature::kFixedOffsets};
      strategy->is_order_independent = true;
      return strategy;
    }();
    return *info;
  }

  StatusOr<Solution> Solve(const Problem& problem,
                           const SolveOptions& /*options*/) const override {
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

optional<ObjectsAssignment<size_t>> AssignObjectsUntil(const StopSignal& stop,
                                                       const Problem& problem) {
  return AssignByBreadth(problem.records(), RanksOf(problem), stop);
}

OffsetsAssignment AssignOffsets(const Problem& problem) {
  return PlaceBestFit(problem,
                      *PlacingOrder(problem.records(), RanksOf(problem), {}));
}

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<GreedyByBreadth>();
}

}  // namespace stowage::greedy_by_breadth
