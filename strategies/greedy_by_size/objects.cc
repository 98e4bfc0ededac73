// SPDX-License-Identifier: Apache-2.0
#include "greedy_by_size/objects.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "greedy_by_size/free_gaps.h"
#include "greedy_by_size/waiting_records.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage::greedy_by_size {
namespace {

class Assigner {
 public:
  Assigner(const Problem& problem, Span<const uint32_t> largest_first,
           const StopSignal& stop)
      : records_(problem.records()),
        ranks_(RanksOf(problem)),
        stop_(stop),
        gaps_(records_),
        waiting_(records_),
        order_(largest_first),
        rank_(records_.size()),
        is_assigned_(records_.size(), false) {}

  optional<ObjectsAssignment<size_t>> Run() {
    if (!gaps_.Prepare(stop_) || !waiting_.Prepare(stop_)) return nullopt;
    const optional<std::vector<size_t>> stage_ends = StageEnds();
    if (!stage_ends) return nullopt;
    assignment_.object_ids.resize(records_.size());
    for (size_t k = 0; k < order_.size(); ++k) rank_[order_[k]] = k;
    size_t begin = 0;
    for (const size_t end : *stage_ends) {
      for (size_t k = begin; k < end; ++k) {
        if (stop_.IsSet()) return nullopt;
        const size_t record = order_[k];
        Enqueue(record, gaps_.NearestDistance(record));
      }
      for (; begin < end; ++begin) {
        if (!Step()) return nullopt;
      }
    }
    return std::move(assignment_);
  }

 private:
  // Returns the position in order_ at which each stage ends. Stages are
  // separated by the positional maximums: two records are in the same stage iff
  // the number of positional maximums that are at least as large is the same
  // for both. Returns nullopt if the signal is set.
  optional<std::vector<size_t>> StageEnds() const {
    const optional<std::vector<size_t>> found =
        PositionalMaximumsUntil(stop_, records_, ranks_, order_);
    if (!found) return nullopt;
    const std::vector<size_t>& maximums = *found;
    std::vector<size_t> ends;
    size_t k = 0;
    for (size_t m = 1; m <= maximums.size(); ++m) {
      while (k < order_.size() &&
             (m == maximums.size() ||
              records_[order_[k]].tensor_size > maximums[m])) {
        ++k;
      }
      ends.push_back(k);
    }
    return ends;
  }

  // Queues a record with a new lower bound.
  void Enqueue(size_t record, Distance bound) {
    waiting_.SetBound(record, bound);
    queue_.emplace(bound, rank_[record]);
  }

  // Assigns one record of this stage: the record that is closest to an object,
  // and on ties the largest such record. Returns false if the signal is set.
  bool Step() {
    for (;;) {
      // Checks the signal before each query of the gaps, because a query takes
      // up to a millisecond if there are many objects.
      if (stop_.IsSet()) return false;
      const auto [bound, rank] = queue_.top();
      queue_.pop();
      const size_t record = order_[rank];
      // The queue has an entry for every bound that a record has ever had.
      // Skips the outdated entries.
      if (is_assigned_[record] || waiting_.BoundOf(record) != bound) continue;
      const Distance distance = gaps_.NearestDistance(record);
      if (distance == bound) {
        Assign(record, distance);
        return true;
      }
      Enqueue(record, distance);
    }
  }

  void Assign(size_t record, Distance distance) {
    const size_t object = ObjectFor(record, distance);
    assignment_.object_ids[record] = object;
    is_assigned_[record] = true;
    waiting_.SetBound(record, 0);
    const Gap gap = gaps_.Assign(record, object);
    waiting_.LowerBounds(gap, records_[record],
                         [&](size_t other, Distance to_other) {
                           const Distance bound = to_other - to_other / 2;
                           queue_.emplace(bound, rank_[other]);
                           return bound;
                         });
  }

  // Returns the nearest object, after enlarging it if it is too small for the
  // record. If `distance` is kInfinite, returns a new object instead.
  size_t ObjectFor(size_t record, Distance distance) {
    std::vector<size_t>& sizes = assignment_.object_sizes;
    const size_t size = records_[record].tensor_size;
    if (distance == kInfinite) {
      gaps_.AddObject();
      sizes.push_back(size);
      return sizes.size() - 1;
    }
    const size_t object = gaps_.NearestObject(record, distance);
    sizes[object] = std::max(sizes[object], size);
    return object;
  }

  using Entry = std::pair<Distance, size_t>;  // a bound and a rank

  Span<const ByteRecord> records_;
  const IntervalRanks& ranks_;
  const StopSignal& stop_;
  FreeGaps gaps_;
  WaitingRecords waiting_;
  ObjectsAssignment<size_t> assignment_;
  Span<const uint32_t> order_;  // all records by size, then by index
  std::vector<size_t> rank_;    // the position in order_ of each record
  std::vector<bool> is_assigned_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

optional<ObjectsAssignment<size_t>> AssignObjects(
    const Problem& problem, Span<const uint32_t> largest_first,
    const StopSignal& stop) {
  return Assigner(problem, largest_first, stop).Run();
}

}  // namespace stowage::greedy_by_size
