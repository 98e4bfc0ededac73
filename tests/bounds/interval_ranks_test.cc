// SPDX-License-Identifier: Apache-2.0
#include "src/bounds/interval_ranks.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "stowage/base/random.h"
#include "stowage/profile.h"

namespace stowage {
namespace {

constexpr TaskId kLast = std::numeric_limits<TaskId>::max();

// Returns whether the ranks from RankIntervals are those that its header
// defines.
bool AreRanked(const std::vector<ByteRecord>& records) {
  std::set<TaskId> firsts;
  for (const ByteRecord& record : records) firsts.insert(record.first_task);
  const IntervalRanks ranks = RankIntervals(records);
  if (ranks.tasks != std::vector<TaskId>(firsts.begin(), firsts.end()) ||
      ranks.intervals.size() != records.size()) {
    return false;
  }
  for (size_t i = 0; i < records.size(); ++i) {
    size_t begin = 0;
    size_t end = 0;
    for (const TaskId task : firsts) {
      if (task < records[i].first_task) ++begin;
      if (task <= records[i].last_task) ++end;
    }
    if (ranks.intervals[i].begin != begin || ranks.intervals[i].end != end) {
      return false;
    }
  }
  return true;
}

// Tests different distances between tasks. In some cases the number of tasks is
// similar to the number of records, and in others the tasks are too far apart
// for a table. Some last tasks are far above all first tasks.
RC_GTEST_PROP(RankIntervals, NumbersTheFirstTasks, ()) {
  const auto count = *rc::gen::inRange<size_t>(0, 300);
  const TaskId apart = *rc::gen::element(TaskId{1}, TaskId{3}, TaskId{100},
                                         TaskId{1} << 40, kLast / 1000);
  Random random(*rc::gen::arbitrary<uint64_t>());
  std::vector<ByteRecord> records;
  for (size_t i = 0; i < count; ++i) {
    const TaskId first = random.Below(500) * apart;
    const TaskId last =
        random.Below(10) == 0 ? kLast : first + random.Below(40) * apart;
    records.emplace_back(size_t{1}, first, last);
  }
  RC_ASSERT(AreRanked(records));
}

TEST(RankIntervals, TakesTheLastTaskThereIs) {
  EXPECT_TRUE(AreRanked({{1, 0, 0}, {1, kLast, kLast}, {1, 0, kLast}}));
  EXPECT_TRUE(AreRanked({{1, kLast, kLast}}));
}

// Tests tasks that are close together and tasks that are far apart, because
// RankIntervals ranks them with different algorithms.
TEST(RankIntervals, GivesNoStepsToRecordsThatEndBeforeTheyBegin) {
  for (const TaskId apart : {TaskId{1}, TaskId{1} << 40}) {
    const IntervalRanks ranks =
        RankIntervals({{1, 0, 0}, {1, 2 * apart, 1}, {1, apart, apart}});
    EXPECT_EQ(ranks.intervals[1].begin, 2u) << apart;
    EXPECT_EQ(ranks.intervals[1].end, 2u) << apart;
  }
}

}  // namespace
}  // namespace stowage
