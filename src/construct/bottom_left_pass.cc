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
#include "src/construct/waiting_heap.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

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
  WaitingHeap<size_t> waiting(order);
  while (!waiting.empty()) {
    if (!work->Spend(1)) return nullopt;
    const auto [least, rank, record] = waiting.least();
    const size_t offset = pass.LowestPlace(record);
    if (offset > least) {
      waiting.RaiseLeast(offset);
      continue;
    }
    waiting.RemoveLeast();
    if (pass.Place(record, offset) >= limit) return nullopt;
  }
  return pass.TakePlan();
}

}  // namespace stowage
