// SPDX-License-Identifier: Apache-2.0
#include "src/core/interval_ranks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "src/core/radix_sort.h"
#include "src/core/work_limit.h"

namespace stowage {
namespace {

// Whether tasks are hardly more than there are records: a number for each is
// quicker than a sort.
bool IsDense(TaskId last_begin, size_t records) {
  constexpr TaskId kTasksPerRecord = 4;
  return last_begin / kTasksPerRecord < records;
}

IntervalRanks RankDense(absl::Span<const ByteRecord> records,
                        TaskId last_begin) {
  // The steps of tasks before each task.
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

IntervalRanks RankSparse(absl::Span<const ByteRecord> records) {
  RecordSort sort(records.size(), StopSignal());
  IntervalRanks ranks;
  ranks.intervals.resize(records.size());
  sort.By([&](uint32_t i) { return uint64_t{records[i].first_task}; });
  for (const NumberedRecord& entry : sort.list()) {
    const auto task = static_cast<TaskId>(entry.number);
    if (ranks.tasks.empty() || ranks.tasks.back() != task) {
      ranks.tasks.push_back(task);
    }
    ranks.intervals[entry.record].begin =
        static_cast<uint32_t>(ranks.tasks.size() - 1);
  }
  sort.By([&](uint32_t i) { return uint64_t{records[i].last_task}; });
  size_t step = 0;
  for (const NumberedRecord& entry : sort.list()) {
    while (step < ranks.tasks.size() && ranks.tasks[step] <= entry.number) {
      ++step;
    }
    StepInterval& interval = ranks.intervals[entry.record];
    interval.end = std::max(interval.begin, static_cast<uint32_t>(step));
  }
  return ranks;
}

}  // namespace

IntervalRanks RankIntervals(absl::Span<const ByteRecord> records) {
  TaskId last_begin = 0;
  for (const ByteRecord& record : records) {
    last_begin = std::max(last_begin, record.first_task);
  }
  return IsDense(last_begin, records.size()) ? RankDense(records, last_begin)
                                             : RankSparse(records);
}

std::vector<size_t> StepBreadths(absl::Span<const ByteRecord> records,
                                 const IntervalRanks& ranks) {
  // First the change at every step; sums modulo 2^64 come out right since all
  // breadths fit.
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
