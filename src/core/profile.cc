// SPDX-License-Identifier: Apache-2.0
#include "stowage/profile.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "src/core/interval_ranks.h"

namespace stowage {
namespace {

// Indices of the records by size descending, ties by index.
void SortBySize(absl::Span<const ByteRecord> records,
                std::vector<size_t>* indices) {
  std::sort(indices->begin(), indices->end(), [&](size_t a, size_t b) {
    if (records[a].tensor_size != records[b].tensor_size) {
      return records[a].tensor_size > records[b].tensor_size;
    }
    return a < b;
  });
}

// Counts over positions 0 .. n-1: adds one to a range, returns the maximum.
// A segment tree that stores in each node the maximum of its range less what
// was added to whole ancestors.
class RangeCounter {
 public:
  explicit RangeCounter(size_t positions) {
    while (leaves_ < positions) leaves_ *= 2;
    maximum_.assign(2 * leaves_, 0);
    added_.assign(2 * leaves_, 0);
  }

  // Adds one to positions [begin, end). O(log n).
  void Increment(size_t begin, size_t end) {
    const size_t first = begin + leaves_;
    const size_t last = end - 1 + leaves_;
    for (size_t l = first, r = last + 1; l < r; l /= 2, r /= 2) {
      if (l % 2 == 1) AddToNode(l++);
      if (r % 2 == 1) AddToNode(--r);
    }
    Rebuild(first);
    Rebuild(last);
  }

  size_t Maximum() const { return maximum_[1]; }

 private:
  void AddToNode(size_t node) {
    ++maximum_[node];
    ++added_[node];
  }

  void Rebuild(size_t leaf) {
    for (size_t node = leaf / 2; node >= 1; node /= 2) {
      maximum_[node] =
          std::max(maximum_[2 * node], maximum_[2 * node + 1]) + added_[node];
    }
  }

  size_t leaves_ = 1;
  std::vector<size_t> maximum_;
  std::vector<size_t> added_;
};

}  // namespace

std::vector<size_t> TaskProfile(absl::Span<const ByteRecord> records,
                                TaskId task) {
  std::vector<size_t> profile;
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].first_task <= task && task <= records[i].last_task) {
      profile.push_back(i);
    }
  }
  SortBySize(records, &profile);
  return profile;
}

std::vector<TaskBreadth> TaskBreadths(absl::Span<const ByteRecord> records) {
  return TaskBreadths(records, RankIntervals(records));
}

std::vector<TaskBreadth> TaskBreadths(absl::Span<const ByteRecord> records,
                                      const IntervalRanks& ranks) {
  const std::vector<size_t> breadths = StepBreadths(records, ranks);
  std::vector<TaskBreadth> result;
  result.reserve(breadths.size());
  for (size_t step = 0; step < breadths.size(); ++step) {
    result.push_back({ranks.tasks[step], breadths[step]});
  }
  return result;
}

TaskBreadth Broadest(absl::Span<const TaskBreadth> breadths) {
  const auto* const broadest =
      std::max_element(breadths.begin(), breadths.end(),
                       [](const TaskBreadth& a, const TaskBreadth& b) {
                         return a.breadth < b.breadth;
                       });
  return broadest == breadths.end() ? TaskBreadth() : *broadest;
}

TaskBreadth MaximumBreadth(absl::Span<const ByteRecord> records) {
  return Broadest(TaskBreadths(records));
}

// The number of sizes >= s live at one task is at most k for every s above
// maximum k, so adding records by decreasing size raises the widest profile to
// k + 1 exactly when the record with that maximum comes.
std::vector<size_t> PositionalMaximums(absl::Span<const ByteRecord> records,
                                       const IntervalRanks& ranks) {
  if (records.empty()) return {};
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  SortBySize(records, &order);
  RangeCounter widths(ranks.tasks.size());
  std::vector<size_t> maximums;
  for (const size_t i : order) {
    widths.Increment(ranks.intervals[i].begin, ranks.intervals[i].end);
    if (widths.Maximum() > maximums.size()) {
      maximums.push_back(records[i].tensor_size);
    }
  }
  return maximums;
}

std::vector<size_t> PositionalMaximums(absl::Span<const ByteRecord> records) {
  return PositionalMaximums(records, RankIntervals(records));
}

size_t ObjectsLowerBound(absl::Span<const ByteRecord> records) {
  const std::vector<size_t> maximums = PositionalMaximums(records);
  return std::accumulate(maximums.begin(), maximums.end(), size_t{0});
}

size_t OffsetsLowerBound(absl::Span<const ByteRecord> records) {
  return MaximumBreadth(records).breadth;
}

size_t NaiveSize(absl::Span<const ByteRecord> records) {
  size_t sum = 0;
  for (const ByteRecord& record : records) sum += record.tensor_size;
  return sum;
}

}  // namespace stowage
