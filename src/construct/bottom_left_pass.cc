// SPDX-License-Identifier: Apache-2.0
#include "src/construct/bottom_left_pass.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/range_tree.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/place_fixed.h"
#include "src/construct/placed_records.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

struct Waiting {
  size_t offset;  // a lower bound of the offset of the record
  uint32_t rank;  // the rank in the placing order

  bool operator<(const Waiting& other) const {
    return offset != other.offset ? offset < other.offset : rank < other.rank;
  }
};

// A heap for uses in which the smallest entry is replaced far more often than
// removed.
class WaitingHeap {
 public:
  // Creates a heap of all ranks below `count`, each with offset 0. The ranks
  // are added in rising order, since a sorted list is already a heap.
  explicit WaitingHeap(size_t count) {
    entries_.reserve(count);
    for (uint32_t rank = 0; rank < count; ++rank) entries_.push_back({0, rank});
  }

  bool empty() const { return entries_.empty(); }
  const Waiting& least() const { return entries_.front(); }

  void ReplaceLeast(const Waiting& entry) {
    size_t hole = 0;
    while (true) {
      const size_t first = hole * kFanOut + 1;
      if (first >= entries_.size()) break;
      const size_t end = std::min(first + kFanOut, entries_.size());
      size_t least = first;
      for (size_t child = first + 1; child < end; ++child) {
        if (entries_[child] < entries_[least]) least = child;
      }
      if (!(entries_[least] < entry)) break;
      entries_[hole] = entries_[least];
      hole = least;
    }
    entries_[hole] = entry;
  }

  void RemoveLeast() {
    const Waiting last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) ReplaceLeast(last);
  }

 private:
  static constexpr size_t kFanOut = 4;

  std::vector<Waiting> entries_;
};

// One bottom-left pass in progress.
class BottomLeftPass {
 public:
  BottomLeftPass(const Problem& problem, WorkLimit* work)
      : problem_(problem),
        intervals_(RanksOf(problem).intervals),
        skyline_(RanksOf(problem).tasks.size()),
        plan_(PlaceFixed(problem)),
        work_(*work) {
    if (!problem.has_fixed_offsets()) return;
    fixed_.emplace(intervals_);
    PlaceFixed(problem, &*fixed_);
  }

  // Returns the lowest offset at which the record can currently be placed. This
  // offset is never lower than an earlier result for the same record. A record
  // of 0 bytes can be placed at any offset.
  size_t LowestPlace(uint32_t record) {
    const size_t size = problem_.records()[record].tensor_size;
    if (size == 0) return 0;
    const size_t alignment = problem_.alignments().Of(record);
    const StepInterval interval = intervals_[record];
    const size_t offset =
        AlignUp(skyline_.Highest(interval.begin, interval.end), alignment);
    return fixed_ ? PlaceAroundFixed(interval, offset, size, alignment)
                  : offset;
  }

  // Places a record and returns its end.
  size_t Place(uint32_t record, size_t offset) {
    const size_t size = problem_.records()[record].tensor_size;
    if (size > 0) {
      const StepInterval interval = intervals_[record];
      skyline_.Raise(interval.begin, interval.end, offset + size);
    }
    plan_.offsets[record] = offset;
    plan_.total_size = std::max(plan_.total_size, offset + size);
    return offset + size;
  }

  OffsetsAssignment TakePlan() { return std::move(plan_); }
  size_t total_size() const { return plan_.total_size; }

 private:
  size_t PlaceAroundFixed(StepInterval interval, size_t offset, size_t size,
                          size_t alignment) {
    fixed_->WalkUntil(interval, [&](const stowage::Place& place) {
      work_.Spend(1);
      if (place.offset >= offset && place.offset - offset >= size) return true;
      if (place.end > offset) offset = AlignUp(place.end, alignment);
      return false;
    });
    return offset;
  }

  const Problem& problem_;
  const std::vector<StepInterval>& intervals_;
  // The height of the placed records at each step.
  RangeHeights<size_t> skyline_;
  OffsetsAssignment plan_;
  WorkLimit& work_;
  optional<PlacedRecords> fixed_;  // is set if there are fixed records
};

std::vector<uint32_t> WithoutFixed(const Problem& problem,
                                   Span<const uint32_t> order) {
  std::vector<uint32_t> movable;
  for (const uint32_t i : order) {
    if (!problem.fixed_offset(i)) movable.push_back(i);
  }
  return movable;
}

}  // namespace

optional<OffsetsAssignment> PlaceBottomLeft(const Problem& problem,
                                            Span<const uint32_t> order,
                                            size_t limit, WorkLimit* work) {
  std::vector<uint32_t> movable;
  if (problem.has_fixed_offsets()) {
    movable = WithoutFixed(problem, order);
    order = movable;
  }
  BottomLeftPass pass(problem, work);
  if (pass.total_size() >= limit) return nullopt;
  WaitingHeap waiting(order.size());
  while (!waiting.empty()) {
    if (!work->Spend(1)) return nullopt;
    const Waiting next = waiting.least();
    const uint32_t record = order[next.rank];
    const size_t offset = pass.LowestPlace(record);
    if (offset > next.offset) {
      waiting.ReplaceLeast({offset, next.rank});
      continue;
    }
    waiting.RemoveLeast();
    if (pass.Place(record, offset) >= limit) return nullopt;
  }
  return pass.TakePlan();
}

}  // namespace stowage
