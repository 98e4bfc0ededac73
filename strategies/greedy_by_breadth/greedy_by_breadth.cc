#include "greedy_by_breadth/greedy_by_breadth.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "src/core/best_fit.h"
#include "src/core/conflict_index.h"
#include "src/core/interval_ranks.h"
#include "stowage/profile.h"

namespace stowage::greedy_by_breadth {
namespace {

// All records in the order in which the strategy places them: tasks by breadth
// descending, in each the records of its profile that no earlier task had.
// Only tasks at which a record begins can bring any.
std::vector<size_t> PlacingOrder(absl::Span<const ByteRecord> records,
                                 const IntervalRanks& ranks) {
  const std::vector<TaskBreadth> breadths = TaskBreadths(records);
  std::vector<uint32_t> steps(breadths.size());
  for (uint32_t step = 0; step < steps.size(); ++step) steps[step] = step;
  std::stable_sort(steps.begin(), steps.end(), [&](uint32_t a, uint32_t b) {
    return breadths[a].breadth > breadths[b].breadth;
  });
  ConflictIndex waiting(ranks.intervals);
  for (size_t i = 0; i < records.size(); ++i) waiting.Insert(i);
  std::vector<size_t> order;
  order.reserve(records.size());
  for (const uint32_t step : steps) {
    const auto begin = static_cast<ptrdiff_t>(order.size());
    waiting.ForEachConflict({step, step + 1},
                            [&](size_t i) { order.push_back(i); });
    std::sort(std::next(order.begin(), begin), order.end(),
              [&](size_t a, size_t b) {
                if (records[a].tensor_size != records[b].tensor_size) {
                  return records[a].tensor_size > records[b].tensor_size;
                }
                return a < b;
              });
    for (auto i = std::next(order.begin(), begin); i != order.end(); ++i) {
      waiting.Erase(*i);
    }
  }
  return order;
}

// Objects by size, with what it takes to find the best one that is free.
class ObjectPool {
 public:
  // No object of this id is free for the record that is placed next.
  void Block(size_t id) { blocked_[id] = round_; }
  void NextRound() { ++round_; }

  // The smallest free object of at least `size`, else the largest free one,
  // the lowest id on ties; the number of objects if none is free.
  size_t Choose(size_t size) const {
    const auto larger = by_size_.lower_bound({size, 0});
    auto fits = FirstFree(larger);
    if (fits != by_size_.end()) return fits->second;
    for (auto smaller = larger; smaller != by_size_.begin();) {
      --smaller;
      if (!IsFree(*smaller)) continue;
      // From above, the highest id of a size comes first.
      return FirstFree(by_size_.lower_bound({smaller->first, 0}))->second;
    }
    return blocked_.size();
  }

  void Add(size_t size) {
    by_size_.emplace(size, blocked_.size());
    blocked_.push_back(round_);
  }

  void Grow(size_t id, size_t old_size, size_t size) {
    by_size_.erase({old_size, id});
    by_size_.emplace(size, id);
  }

 private:
  using Entry = std::pair<size_t, size_t>;  // size, id
  using Iterator = absl::btree_set<Entry>::const_iterator;

  Iterator FirstFree(Iterator from) const {
    return std::find_if(from, by_size_.end(),
                        [this](const Entry& entry) { return IsFree(entry); });
  }

  bool IsFree(const Entry& entry) const {
    return blocked_[entry.second] != round_;
  }

  absl::btree_set<Entry> by_size_;
  std::vector<size_t> blocked_;  // by id: the last round that blocked it
  size_t round_ = 0;
};

ObjectsAssignment<size_t> AssignObjects(absl::Span<const ByteRecord> records) {
  const IntervalRanks ranks = RankIntervals(records);
  ObjectsAssignment<size_t> assignment;
  assignment.object_ids.resize(records.size());
  std::vector<size_t>& sizes = assignment.object_sizes;
  ConflictIndex assigned(ranks.intervals);
  ObjectPool pool;
  for (const size_t i : PlacingOrder(records, ranks)) {
    pool.NextRound();
    assigned.ForEachConflict(ranks.intervals[i], [&](size_t other) {
      pool.Block(assignment.object_ids[other]);
    });
    const size_t size = records[i].tensor_size;
    const size_t id = pool.Choose(size);
    if (id == sizes.size()) {
      pool.Add(size);
      sizes.push_back(size);
    } else if (sizes[id] < size) {
      pool.Grow(id, sizes[id], size);
      sizes[id] = size;
    }
    assignment.object_ids[i] = id;
    assigned.Insert(i);
  }
  return assignment;
}

class GreedyByBreadth final : public Strategy {
 public:
  using Strategy::PlanObjects;

  const StrategyInfo& info() const override {
    static const StrategyInfo* const info = new StrategyInfo{
        "greedy_by_breadth",
        "the tasks with most bytes alive first, best fit",
        "O((n + c) log n), c conflicting pairs",
        "Pisarchyk and Lee 2020, sections 4.2 and 5.2",
        {/*objects=*/true, /*offsets=*/true, /*extents=*/false, /*bhwc=*/false,
         /*reallocation_graph=*/false}};
    return *info;
  }

  absl::StatusOr<ObjectsAssignment<size_t>> PlanObjects(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& /*options*/) const override {
    return AssignObjects(records);
  }

  absl::StatusOr<OffsetsAssignment> PlanOffsets(
      absl::Span<const TensorUsageRecord<size_t>> records,
      const StrategyOptions& options) const override {
    const IntervalRanks ranks = RankIntervals(records);
    return PlaceBestFit(records, ranks, PlacingOrder(records, ranks),
                        options.alignments);
  }
};

}  // namespace

std::unique_ptr<const Strategy> Create() {
  return std::make_unique<GreedyByBreadth>();
}

}  // namespace stowage::greedy_by_breadth
