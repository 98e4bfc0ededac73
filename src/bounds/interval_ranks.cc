// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/interval_ranks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/span.h"

namespace stowage {
namespace {

// Returns whether the highest task number is at most a few times the number of
// records. If so, a table of all tasks is faster than a sort.
bool IsDense(TaskId last_begin, size_t records) {
  constexpr TaskId kTasksPerRecord = 4;
  return last_begin / kTasksPerRecord < records;
}

IntervalRanks RankDense(Span<const ByteRecord> records, TaskId last_begin) {
  // After the loop below, entry t is the number of steps whose task comes
  // before task t.
  std::vector<uint32_t> steps(last_begin + 2, 0);
  for (const ByteRecord& record : records) steps[record.first_task + 1] = 1;
  IntervalRanks ranks;
  for (TaskId task = 0; task <= last_begin; ++task) {
    if (steps[task + 1] != 0) ranks.tasks.push_back(task);
    steps[task + 1] += steps[task];
  }
  ranks.intervals.reserve(records.size());
  for (const ByteRecord& record : records) {
    const uint32_t begin = steps[record.first_task];
    const uint32_t end = steps[std::min(record.last_task, last_begin) + 1];
    ranks.intervals.push_back({begin, std::max(begin, end)});
  }
  return ranks;
}

// Returns the first step after `begin` whose task is above `last_task`.
// Searches in growing distances from `begin`, since most records are live for
// only a few steps.
size_t EndStep(const std::vector<TaskId>& tasks, size_t begin,
               TaskId last_task) {
  size_t width = 1;
  while (begin + width < tasks.size() && tasks[begin + width] <= last_task) {
    width *= 2;
  }
  const auto at = [&](size_t step) {
    return tasks.begin() + static_cast<ptrdiff_t>(step);
  };
  return static_cast<size_t>(
      std::upper_bound(at(begin + width / 2),
                       at(std::min(begin + width, tasks.size())), last_task) -
      tasks.begin());
}

IntervalRanks RankSparse(Span<const ByteRecord> records) {
  IntervalRanks ranks;
  std::vector<TaskId>& tasks = ranks.tasks;
  tasks.reserve(records.size());
  for (const ByteRecord& record : records) tasks.push_back(record.first_task);
  if (!std::is_sorted(tasks.begin(), tasks.end())) {
    std::sort(tasks.begin(), tasks.end());
  }
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  ranks.intervals.reserve(records.size());
  size_t begin = 0;
  for (const ByteRecord& record : records) {
    // If the records are in execution order, each record begins at the step of
    // the previous record or at the next step.
    if (begin + 1 < tasks.size() && tasks[begin + 1] == record.first_task) {
      ++begin;
    } else if (tasks[begin] != record.first_task) {
      begin = static_cast<size_t>(
          std::lower_bound(tasks.begin(), tasks.end(), record.first_task) -
          tasks.begin());
    }
    const size_t end = EndStep(tasks, begin, record.last_task);
    ranks.intervals.push_back(
        {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
  }
  return ranks;
}

}  // namespace

IntervalRanks RankIntervals(Span<const ByteRecord> records) {
  TaskId last_begin = 0;
  for (const ByteRecord& record : records) {
    last_begin = std::max(last_begin, record.first_task);
  }
  return IsDense(last_begin, records.size()) ? RankDense(records, last_begin)
                                             : RankSparse(records);
}

std::vector<size_t> StepBreadths(Span<const ByteRecord> records,
                                 const IntervalRanks& ranks) {
  // At first, each entry is the change of the breadth at its step. The sums are
  // computed modulo 2^64. They are correct because all breadths fit in 64 bits.
  std::vector<size_t> breadths(ranks.tasks.size() + 1, 0);
  for (size_t i = 0; i < records.size(); ++i) {
    breadths[ranks.intervals[i].begin] += records[i].tensor_size;
    breadths[ranks.intervals[i].end] -= records[i].tensor_size;
  }
  breadths.pop_back();
  for (size_t step = 1; step < breadths.size(); ++step) {
    breadths[step] += breadths[step - 1];
  }
  return breadths;
}

}  // namespace stowage
