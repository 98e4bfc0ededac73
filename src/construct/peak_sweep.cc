// SPDX-License-Identifier: Apache-2.0
#include "src/construct/peak_sweep.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/sort_until.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/gap_list.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"

namespace stowage {
namespace {

// Returns the same intervals with time reversed.
std::vector<StepInterval> Mirrored(const IntervalRanks& ranks) {
  const auto steps = static_cast<uint32_t>(ranks.tasks.size());
  std::vector<StepInterval> mirrored;
  mirrored.reserve(ranks.intervals.size());
  for (const StepInterval interval : ranks.intervals) {
    mirrored.push_back({steps - interval.end, steps - interval.begin});
  }
  return mirrored;
}

}  // namespace

PeakSweep::PeakSweep(Span<const ByteRecord> records, const IntervalRanks& ranks,
                     const Alignments& alignments, uint32_t peak,
                     const StopSignal& stop)
    : records_(records), alignments_(alignments) {
  for (uint32_t i = 0; i < records.size(); ++i) {
    const StepInterval interval = ranks.intervals[i];
    if (interval.begin <= peak && peak < interval.end) live_.push_back(i);
  }
  const auto steps = static_cast<uint32_t>(ranks.tasks.size());
  if (stop.IsSet()) {
    is_complete_ = false;
    return;
  }
  later_ = MakeSide(ranks.intervals, peak, stop);
  if (!is_complete_) return;
  earlier_ = MakeSide(Mirrored(ranks), steps - 1 - peak, stop);
}

PeakSweep::Side PeakSweep::MakeSide(std::vector<StepInterval> intervals,
                                    uint32_t peak, const StopSignal& stop) {
  Side side;
  side.intervals = std::move(intervals);
  for (uint32_t i = 0; i < records_.size(); ++i) {
    // Records of 0 bytes need no place and stay at offset 0.
    if (records_[i].tensor_size == 0) continue;
    if (side.intervals[i].begin > peak) side.by_begin.push_back(i);
    if (side.intervals[i].end > peak) side.by_end.push_back(i);
  }
  is_complete_ = is_complete_ && !stop.IsSet();
  const auto begins_before = [&](uint32_t a, uint32_t b) {
    const uint32_t x = side.intervals[a].begin;
    const uint32_t y = side.intervals[b].begin;
    if (x != y) return x < y;
    const size_t size = records_[a].tensor_size;
    const size_t other = records_[b].tensor_size;
    return size != other ? size > other : a < b;
  };
  const auto ends_before = [&](uint32_t a, uint32_t b) {
    const uint32_t x = side.intervals[a].end;
    const uint32_t y = side.intervals[b].end;
    return x != y ? x < y : a < b;
  };
  is_complete_ = is_complete_ &&
                 SortUntil(stop, begins_before, &side.by_begin) &&
                 SortUntil(stop, ends_before, &side.by_end);
  return side;
}

// Sets the offsets of the stack and of all records on the side. Returns false
// if the plan does not end below `limit`, or if `work` is exhausted.
bool PeakSweep::Sweep(const Side& side, Span<const uint32_t> stack,
                      size_t limit, WorkLimit* work,
                      OffsetsAssignment* plan) const {
  GapList arena;
  std::vector<GapList::Block> blocks(records_.size());
  const auto take = [&](uint32_t i, bool on_top) {
    const size_t size = records_[i].tensor_size;
    const size_t alignment = alignments_.Of(i);
    blocks[i] =
        on_top ? arena.TakeOnTop(size, alignment) : arena.Take(size, alignment);
    plan->offsets[i] = arena.OffsetOf(blocks[i]);
    return arena.top() < limit && work->Spend(1);
  };
  for (const uint32_t i : stack) {
    if (records_[i].tensor_size > 0 && !take(i, /*on_top=*/true)) return false;
  }
  auto ended = side.by_end.begin();
  for (const uint32_t i : side.by_begin) {
    const uint32_t now = side.intervals[i].begin;
    for (; side.intervals[*ended].end <= now; ++ended) {
      arena.Release(blocks[*ended]);
    }
    if (!take(i, /*on_top=*/false)) return false;
  }
  plan->total_size = std::max(plan->total_size, arena.top());
  return true;
}

optional<OffsetsAssignment> PeakSweep::Plan(Span<const uint32_t> stack,
                                            size_t limit,
                                            WorkLimit* work) const {
  OffsetsAssignment plan;
  plan.offsets.resize(records_.size());
  if (!is_complete_ || !Sweep(later_, stack, limit, work, &plan) ||
      !Sweep(earlier_, stack, limit, work, &plan)) {
    return nullopt;
  }
  return plan;
}

}  // namespace stowage
