// SPDX-License-Identifier: Apache-2.0
// Compares lower bounds with their definition, task by task. Also tests how
// changes of the records affect the bounds.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/profile.h"
#include "stowage/testing/generators.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

using testing::ByteRecords;

TaskId EndOf(const ByteRecords& records) {
  TaskId end = 0;
  for (const ByteRecord& r : records) end = std::max(end, r.last_task + 1);
  return end;
}

// Returns the sizes that are live at a task, largest first.
std::vector<size_t> SizesAt(const ByteRecords& records, TaskId task) {
  std::vector<size_t> sizes;
  for (const ByteRecord& r : records) {
    if (r.first_task <= task && task <= r.last_task) {
      sizes.push_back(r.tensor_size);
    }
  }
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  return sizes;
}

// Renumbers the tasks as 0, 1, 2, ... in the same order, so that they are few
// enough for a test to check each of them.
ByteRecords WithDenseTasks(ByteRecords records) {
  std::map<TaskId, TaskId> rank;
  for (const ByteRecord& r : records) {
    rank[r.first_task] = 0;
    rank[r.last_task] = 0;
  }
  TaskId next = 0;
  for (auto& entry : rank) entry.second = next++;
  for (ByteRecord& r : records) {
    r.first_task = rank[r.first_task];
    r.last_task = rank[r.last_task];
  }
  return records;
}

RC_GTEST_PROP(BoundsTest, AreTheMaximumsOverEveryTask, ()) {
  const ByteRecords records = WithDenseTasks(*testing::AnyRecords());
  size_t breadth = 0;
  TaskId peak = 0;
  std::vector<size_t> maximums;
  for (TaskId task = 0; task < EndOf(records); ++task) {
    const std::vector<size_t> sizes = SizesAt(records, task);
    size_t sum = 0;
    for (size_t k = 0; k < sizes.size(); ++k) {
      sum += sizes[k];
      if (k == maximums.size()) maximums.push_back(0);
      maximums[k] = std::max(maximums[k], sizes[k]);
    }
    if (sum > breadth) peak = task;
    breadth = std::max(breadth, sum);
  }
  size_t maximums_sum = 0;
  for (const size_t maximum : maximums) maximums_sum += maximum;

  RC_ASSERT(OffsetsLowerBound(records) == breadth);
  RC_ASSERT(MaximumBreadth(records).breadth == breadth);
  if (breadth > 0) RC_ASSERT(MaximumBreadth(records).task == peak);
  RC_ASSERT(PositionalMaximums(records) == maximums);
  RC_ASSERT(ObjectsLowerBound(records) == maximums_sum);
}

RC_GTEST_PROP(BoundsTest, BreadthsAreToldAtEveryTaskWhereARecordBegins, ()) {
  const ByteRecords records = *testing::AnyRecords();
  std::map<TaskId, size_t> want;
  for (const ByteRecord& r : records) {
    size_t sum = 0;
    for (const size_t size : SizesAt(records, r.first_task)) sum += size;
    want[r.first_task] = sum;
  }
  std::vector<std::pair<TaskId, size_t>> got;
  for (const TaskBreadth& b : TaskBreadths(records)) {
    got.emplace_back(b.task, b.breadth);
  }
  RC_ASSERT(got == decltype(got)(want.begin(), want.end()));
}

RC_GTEST_PROP(BoundsTest, ProfilesHaveExactlyWhatIsLiveInOrder, ()) {
  const ByteRecords records = *testing::AnyRecords();
  RC_PRE(!records.empty());
  const TaskId task = (*rc::gen::elementOf(records)).last_task;
  const std::vector<size_t> profile = TaskProfile(records, task);
  std::vector<size_t> sizes;
  sizes.reserve(profile.size());
  for (const size_t i : profile) sizes.push_back(records[i].tensor_size);
  RC_ASSERT(sizes == SizesAt(records, task));
  for (size_t k = 1; k < profile.size(); ++k) {
    RC_ASSERT(sizes[k - 1] > sizes[k] || profile[k - 1] < profile[k]);
  }
}

RC_GTEST_PROP(BoundsTest, DependOnTheOrderOfTasksOnly, ()) {
  const ByteRecords records = *testing::GappyRecords();
  const ByteRecords dense = WithDenseTasks(records);
  RC_ASSERT(OffsetsLowerBound(records) == OffsetsLowerBound(dense));
  RC_ASSERT(PositionalMaximums(records) == PositionalMaximums(dense));
}

RC_GTEST_PROP(BoundsTest, StayWhenTimeIsReversed, ()) {
  const ByteRecords records = *testing::AnyRecords();
  TaskId last = 0;
  for (const ByteRecord& r : records) last = std::max(last, r.last_task);
  ByteRecords reversed;
  for (const ByteRecord& r : records) {
    reversed.emplace_back(r.tensor_size, last - r.last_task,
                          last - r.first_task);
  }
  RC_ASSERT(OffsetsLowerBound(reversed) == OffsetsLowerBound(records));
  RC_ASSERT(PositionalMaximums(reversed) == PositionalMaximums(records));
}

RC_GTEST_PROP(BoundsTest, StayWhenRecordsAreShuffled, ()) {
  const ByteRecords records = *testing::AnyRecords();
  ByteRecords shuffled = records;
  std::reverse(shuffled.begin(), shuffled.end());
  for (size_t i = 1; i < shuffled.size(); ++i) {
    std::swap(shuffled[i], shuffled[*rc::gen::inRange<size_t>(0, i + 1)]);
  }
  RC_ASSERT(MaximumBreadth(shuffled).task == MaximumBreadth(records).task);
  RC_ASSERT(OffsetsLowerBound(shuffled) == OffsetsLowerBound(records));
  RC_ASSERT(PositionalMaximums(shuffled) == PositionalMaximums(records));
}

RC_GTEST_PROP(BoundsTest, ScaleWithSizes, ()) {
  const ByteRecords records = *testing::AnyRecords();
  const size_t factor = *rc::gen::inRange<size_t>(0, 100);
  ByteRecords scaled = records;
  for (ByteRecord& r : scaled) r.tensor_size *= factor;
  RC_ASSERT(OffsetsLowerBound(scaled) == factor * OffsetsLowerBound(records));
  RC_ASSERT(ObjectsLowerBound(scaled) == factor * ObjectsLowerBound(records));
  RC_ASSERT(NaiveSize(scaled) == factor * NaiveSize(records));
}

RC_GTEST_PROP(BoundsTest, NeverSinkWhenARecordIsAdded, ()) {
  const ByteRecords records = *testing::AnyRecords();
  RC_PRE(!records.empty());
  ByteRecords fewer = records;
  fewer.erase(fewer.begin() +
              *rc::gen::inRange<std::ptrdiff_t>(
                  0, static_cast<std::ptrdiff_t>(records.size())));
  RC_ASSERT(OffsetsLowerBound(fewer) <= OffsetsLowerBound(records));
  RC_ASSERT(ObjectsLowerBound(fewer) <= ObjectsLowerBound(records));
}

// The bound for an arena is at most the bound for shared objects, which is at
// most the size without sharing.
RC_GTEST_PROP(BoundsTest, AreOrdered, ()) {
  const ByteRecords records = *testing::AnyRecords();
  RC_ASSERT(OffsetsLowerBound(records) <= ObjectsLowerBound(records));
  RC_ASSERT(ObjectsLowerBound(records) <= NaiveSize(records));
}

}  // namespace
}  // namespace stowage
