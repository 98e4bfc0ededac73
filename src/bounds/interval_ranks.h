// SPDX-License-Identifier: Apache-2.0
// Numbers usage intervals densely, so the time and memory of an algorithm do
// not depend on how large the task numbers are.
#ifndef STOWAGE_SRC_BOUNDS_INTERVAL_RANKS_H_
#define STOWAGE_SRC_BOUNDS_INTERVAL_RANKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/work_limit.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"

namespace stowage {

class Problem;

// An interval of *steps*, where step k is the k-th distinct first task of all
// records. Half-open, and not empty for any record of a problem. Two records
// conflict if and only if their steps intersect, because the later of two
// conflicting records begins at a step that both contain.
struct StepInterval {
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct IntervalRanks {
  std::vector<TaskId> tasks;            // the first task of every step, rising
  std::vector<StepInterval> intervals;  // one for every record
};

// Ranks the intervals. A record that ends before it begins gets no steps; no
// problem contains such a record. O(n).
IntervalRanks RankIntervals(Span<const ByteRecord> records);

// Returns the ranks of the problem's records. They are computed once and stored
// with the problem. Requires sizes in bytes. O(n) on the first call.
// Thread-safe.
const IntervalRanks& RanksOf(const Problem& problem);

// Returns the breadth of every step. O(n).
std::vector<size_t> StepBreadths(Span<const ByteRecord> records,
                                 const IntervalRanks& ranks);

// Equivalent to the function of the same name in profile.h, for callers that
// already have the ranks. O(n).
std::vector<TaskBreadth> TaskBreadths(Span<const ByteRecord> records,
                                      const IntervalRanks& ranks);

// Returns the first task with the largest breadth, or {0, 0} for an empty list.
// O(tasks).
TaskBreadth Broadest(Span<const TaskBreadth> breadths);

// Equivalent to the function of the same name in profile.h, for callers that
// already have the ranks. O(n log n).
std::vector<size_t> PositionalMaximums(Span<const ByteRecord> records,
                                       const IntervalRanks& ranks);

// Returns the result of PositionalMaximums, or nullopt if the signal is set
// before the result is complete. Requires that `largest_first` has the indices
// of the records by decreasing size.
optional<std::vector<size_t>> PositionalMaximumsUntil(
    const StopSignal& stop, Span<const ByteRecord> records,
    const IntervalRanks& ranks, Span<const uint32_t> largest_first);

}  // namespace stowage

#endif  // STOWAGE_SRC_BOUNDS_INTERVAL_RANKS_H_
