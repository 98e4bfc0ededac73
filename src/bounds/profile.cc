// SPDX-License-Identifier: Apache-2.0
#include "stowage/profile.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "src/base/range_tree.h"
#include "src/base/sort_until.h"
#include "src/bounds/interval_ranks.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"

namespace stowage {
namespace {

// Sorts indices of records by decreasing size, and by index if the sizes are
// equal.
template <typename Index>
void SortBySize(Span<const ByteRecord> records, std::vector<Index>* indices) {
  std::sort(indices->begin(), indices->end(), [&](Index a, Index b) {
    if (records[a].tensor_size != records[b].tensor_size) {
      return records[a].tensor_size > records[b].tensor_size;
    }
    return a < b;
  });
}

}  // namespace

std::vector<size_t> TaskProfile(Span<const ByteRecord> records, TaskId task) {
  std::vector<size_t> profile;
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].first_task <= task && task <= records[i].last_task) {
      profile.push_back(i);
    }
  }
  SortBySize(records, &profile);
  return profile;
}

std::vector<TaskBreadth> TaskBreadths(Span<const ByteRecord> records) {
  return TaskBreadths(records, RankIntervals(records));
}

std::vector<TaskBreadth> TaskBreadths(Span<const ByteRecord> records,
                                      const IntervalRanks& ranks) {
  const std::vector<size_t> breadths = StepBreadths(records, ranks);
  std::vector<TaskBreadth> result;
  result.reserve(breadths.size());
  for (size_t step = 0; step < breadths.size(); ++step) {
    result.push_back({ranks.tasks[step], breadths[step]});
  }
  return result;
}

TaskBreadth Broadest(Span<const TaskBreadth> breadths) {
  const auto* const broadest =
      std::max_element(breadths.begin(), breadths.end(),
                       [](const TaskBreadth& a, const TaskBreadth& b) {
                         return a.breadth < b.breadth;
                       });
  return broadest == breadths.end() ? TaskBreadth() : *broadest;
}

TaskBreadth MaximumBreadth(Span<const ByteRecord> records) {
  return Broadest(TaskBreadths(records));
}

std::vector<size_t> PositionalMaximums(Span<const ByteRecord> records,
                                       const IntervalRanks& ranks) {
  std::vector<uint32_t> order(records.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  SortBySize(records, &order);
  return *PositionalMaximumsUntil(StopSignal(), records, ranks, order);
}

// Adds the records by decreasing size. At most k records that are larger than
// the k-th maximum (counted from 0) are live at any task. The largest profile
// therefore grows to k + 1 records exactly when a record is added whose size is
// the k-th maximum.
optional<std::vector<size_t>> PositionalMaximumsUntil(
    const StopSignal& stop, Span<const ByteRecord> records,
    const IntervalRanks& ranks, Span<const uint32_t> largest_first) {
  RangeCounts widths(ranks.tasks.size());
  std::vector<size_t> maximums;
  for (size_t k = 0; k < largest_first.size(); ++k) {
    if (k % kSortedAtOnce == 0 && stop.IsSet()) return nullopt;
    const size_t i = largest_first[k];
    widths.Add(ranks.intervals[i].begin, ranks.intervals[i].end, 1);
    if (static_cast<size_t>(widths.greatest()) > maximums.size()) {
      maximums.push_back(records[i].tensor_size);
    }
  }
  return maximums;
}

std::vector<size_t> PositionalMaximums(Span<const ByteRecord> records) {
  return PositionalMaximums(records, RankIntervals(records));
}

size_t ObjectsLowerBound(Span<const ByteRecord> records) {
  const std::vector<size_t> maximums = PositionalMaximums(records);
  return std::accumulate(maximums.begin(), maximums.end(), size_t{0});
}

size_t OffsetsLowerBound(Span<const ByteRecord> records) {
  return MaximumBreadth(records).breadth;
}

size_t NaiveSize(Span<const ByteRecord> records) {
  size_t sum = 0;
  for (const ByteRecord& record : records) sum += record.tensor_size;
  return sum;
}

}  // namespace stowage
