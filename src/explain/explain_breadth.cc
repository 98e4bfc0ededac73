// SPDX-License-Identifier: Apache-2.0
// Computes how much each record contributes to the largest breadth.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "src/base/range_tree.h"
#include "src/explain/steps.h"
#include "stowage/explain/explain.h"
#include "stowage/profile.h"
#include "stowage/usage_record.h"

namespace stowage::views {
namespace {

// Returns the steps with the largest breadth, in rising order.
std::vector<size_t> PeakSteps(const Steps& steps, size_t breadth) {
  std::vector<size_t> peaks;
  if (breadth == 0) return peaks;
  for (size_t k = 0; k < steps.breadths.size(); ++k) {
    if (steps.breadths[k] == breadth) peaks.push_back(k);
  }
  return peaks;
}

// Returns, for each peak, the last task before the breadth changes or the next
// record begins. Requires that the breadth at the peaks is not 0.
std::vector<TaskId> PeakEnds(absl::Span<const ByteRecord> records,
                             const Steps& steps,
                             const std::vector<size_t>& peaks) {
  std::vector<TaskId> last_tasks;
  for (const ByteRecord& record : records) {
    if (record.tensor_size > 0) last_tasks.push_back(record.last_task);
  }
  std::sort(last_tasks.begin(), last_tasks.end());
  std::vector<TaskId> ends;
  for (const size_t step : peaks) {
    // There is such a record, because some record with bytes is live here.
    TaskId end = *std::lower_bound(last_tasks.begin(), last_tasks.end(),
                                   steps.tasks[step]);
    if (step + 1 < steps.tasks.size()) {
      end = std::min(end, steps.tasks[step + 1] - 1);
    }
    ends.push_back(end);
  }
  return ends;
}

// Returns the largest breadth that remains if the record is no longer live from
// step `from` on. This is the larger of two numbers: the largest breadth at the
// record's steps from `from` on, minus the size of the record, and the largest
// breadth at all other steps. If `from` is the first step of the record, the
// record is removed entirely.
size_t BreadthWithout(const BestOfRange<size_t>& breadths, size_t steps,
                      const StepRange& range, size_t from, size_t size) {
  return std::max({breadths.Best(0, from), breadths.Best(range.end, steps),
                   breadths.Best(from, range.end) - size});
}

// Returns the smallest set of records of `at_peak` such that at least one of
// them is live at every peak. Greedy: visits the peaks in rising order, and for
// each peak that is not yet covered, chooses the live record that ends last.
std::vector<size_t> CoverPeaks(const std::vector<size_t>& peaks,
                               const std::vector<size_t>& at_peak,
                               const std::vector<StepRange>& ranges) {
  std::vector<size_t> by_begin = at_peak;
  std::sort(by_begin.begin(), by_begin.end(), [&](size_t a, size_t b) {
    return ranges[a].begin != ranges[b].begin
               ? ranges[a].begin < ranges[b].begin
               : a < b;
  });
  std::vector<size_t> cover;
  size_t next = 0;
  // The index below `next` in `by_begin` of the record that ends last.
  size_t longest = 0;
  size_t covered = 0;  // the end of the steps that are covered
  for (const size_t peak : peaks) {
    if (peak < covered) continue;
    for (; next < by_begin.size() && ranges[by_begin[next]].begin <= peak;
         ++next) {
      const bool is_longer = next == 0 || ranges[by_begin[next]].end >
                                              ranges[by_begin[longest]].end;
      if (is_longer) longest = next;
    }
    cover.push_back(by_begin[longest]);
    covered = ranges[by_begin[longest]].end;
  }
  return cover;
}

}  // namespace

Steps StepsOf(absl::Span<const ByteRecord> records) {
  Steps steps;
  for (const TaskBreadth& at : TaskBreadths(records)) {
    steps.tasks.push_back(at.task);
    steps.breadths.push_back(at.breadth);
  }
  const auto position = [](auto found, const std::vector<TaskId>& tasks) {
    return static_cast<size_t>(found - tasks.begin());
  };
  steps.ranges.reserve(records.size());
  for (const ByteRecord& record : records) {
    const std::vector<TaskId>& tasks = steps.tasks;
    steps.ranges.push_back(
        {position(
             std::lower_bound(tasks.begin(), tasks.end(), record.first_task),
             tasks),
         position(
             std::upper_bound(tasks.begin(), tasks.end(), record.last_task),
             tasks)});
  }
  return steps;
}

BreadthExplanation ExplainBreadth(absl::Span<const ByteRecord> records) {
  const Steps steps = StepsOf(records);
  const BestOfRange<size_t> breadths(steps.breadths);
  BreadthExplanation why;
  const size_t step_count = steps.breadths.size();
  why.breadth = breadths.Best(0, step_count);
  const std::vector<size_t> peaks = PeakSteps(steps, why.breadth);
  for (const size_t step : peaks) why.peaks.push_back(steps.tasks[step]);
  why.peak_ends = PeakEnds(records, steps, peaks);
  why.values.resize(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    const StepRange& range = steps.ranges[i];
    const auto peak = std::lower_bound(peaks.begin(), peaks.end(), range.begin);
    const bool is_at_peak = peak != peaks.end() && *peak < range.end;
    const size_t size = records[i].tensor_size;
    if (!is_at_peak || size == 0) continue;
    why.at_peak.push_back(i);
    why.values[i].marginal =
        why.breadth -
        BreadthWithout(breadths, step_count, range, range.begin, size);
    if (*peak == range.begin) continue;
    why.values[i].if_ended_before_peak =
        why.breadth - BreadthWithout(breadths, step_count, range, *peak, size);
  }
  why.plateau = CoverPeaks(peaks, why.at_peak, steps.ranges);
  std::sort(why.at_peak.begin(), why.at_peak.end(), [&](size_t a, size_t b) {
    if (why.values[a].marginal != why.values[b].marginal) {
      return why.values[a].marginal > why.values[b].marginal;
    }
    if (records[a].tensor_size != records[b].tensor_size) {
      return records[a].tensor_size > records[b].tensor_size;
    }
    return a < b;
  });
  // If one record covers all peaks, other records may do so too. Reports the
  // one with the highest marginal value.
  if (why.plateau.size() == 1) why.plateau[0] = why.at_peak[0];
  return why;
}

}  // namespace stowage::views
