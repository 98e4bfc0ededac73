#include "stowage/profile.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "stowage/usage_record.h"

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

// Counts over positions 0 .. n-1: adds one to a range, tells the maximum.
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

std::vector<TaskId> DistinctFirstTasks(absl::Span<const ByteRecord> records) {
  std::vector<TaskId> tasks;
  tasks.reserve(records.size());
  for (const ByteRecord& record : records) tasks.push_back(record.first_task);
  std::sort(tasks.begin(), tasks.end());
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  return tasks;
}

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
  struct Event {
    TaskId task;
    size_t size;
  };
  std::vector<Event> begins;
  std::vector<Event> ends;
  begins.reserve(records.size());
  ends.reserve(records.size());
  for (const ByteRecord& record : records) {
    begins.push_back({record.first_task, record.tensor_size});
    ends.push_back({record.last_task, record.tensor_size});
  }
  const auto by_task = [](const Event& a, const Event& b) {
    return a.task < b.task;
  };
  std::sort(begins.begin(), begins.end(), by_task);
  std::sort(ends.begin(), ends.end(), by_task);
  std::vector<TaskBreadth> breadths;
  size_t breadth = 0;
  size_t ended = 0;
  for (const Event& begin : begins) {
    for (; ends[ended].task < begin.task; ++ended) breadth -= ends[ended].size;
    breadth += begin.size;
    if (!breadths.empty() && breadths.back().task == begin.task) {
      breadths.back().breadth = breadth;
    } else {
      breadths.push_back({begin.task, breadth});
    }
  }
  return breadths;
}

TaskBreadth MaximumBreadth(absl::Span<const ByteRecord> records) {
  TaskBreadth maximum;
  bool first = true;
  for (const TaskBreadth& candidate : TaskBreadths(records)) {
    if (first || candidate.breadth > maximum.breadth) maximum = candidate;
    first = false;
  }
  return maximum;
}

// The number of sizes >= s alive at one task is at most k for every s above
// maximum k, so adding records by decreasing size raises the widest profile to
// k + 1 exactly when the record with that maximum comes.
std::vector<size_t> PositionalMaximums(absl::Span<const ByteRecord> records) {
  if (records.empty()) return {};
  const std::vector<TaskId> tasks = DistinctFirstTasks(records);
  std::vector<size_t> order(records.size());
  std::iota(order.begin(), order.end(), size_t{0});
  SortBySize(records, &order);
  RangeCounter widths(tasks.size());
  std::vector<size_t> maximums;
  for (const size_t i : order) {
    const auto begin =
        std::lower_bound(tasks.begin(), tasks.end(), records[i].first_task);
    const auto end = std::upper_bound(begin, tasks.end(), records[i].last_task);
    widths.Increment(static_cast<size_t>(begin - tasks.begin()),
                     static_cast<size_t>(end - tasks.begin()));
    if (widths.Maximum() > maximums.size()) {
      maximums.push_back(records[i].tensor_size);
    }
  }
  return maximums;
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
