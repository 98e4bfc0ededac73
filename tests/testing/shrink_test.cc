// SPDX-License-Identifier: Apache-2.0
// From large failures to small ones.
#include "stowage/testing/shrink.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/random_records.h"

namespace stowage::testing {
namespace {

using Records = absl::Span<const ByteRecord>;

std::string Text(const Instance& instance) { return rc::toString(instance); }

// Whether two records conflict that have bytes.
bool HasConflict(Records records, const Alignments& /*alignments*/) {
  for (size_t i = 0; i < records.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (Conflict(records[i], records[j])) return true;
    }
  }
  return false;
}

// Whether some record begins at the very task at which another, begun before,
// ends.
bool HasTouch(Records records, const Alignments& /*alignments*/) {
  for (const ByteRecord& a : records) {
    for (const ByteRecord& b : records) {
      if (a.first_task < b.first_task && a.last_task == b.first_task) {
        return true;
      }
    }
  }
  return false;
}

size_t SizeOf(const Instance& instance, size_t i) {
  return instance.records[i].tensor_size;
}
size_t LastTaskOf(const Instance& instance, size_t i) {
  return instance.records[i].last_task;
}
size_t AlignmentOf(const Instance& instance, size_t i) {
  return instance.alignment().Of(i);
}

// The largest of one number of each record.
size_t Most(const Instance& instance,
            size_t (*number)(const Instance& instance, size_t i)) {
  size_t most = 0;
  for (size_t i = 0; i < instance.records.size(); ++i) {
    most = std::max(most, number(instance, i));
  }
  return most;
}

bool IsSorted(const Instance& instance) {
  return std::is_sorted(instance.records.begin(), instance.records.end());
}

TEST(ShrinkRecordsTest, LeavesTheCore) {
  constexpr TaskId kLast = std::numeric_limits<TaskId>::max();
  const struct {
    const char* name;
    ByteRecords records;
    StillFailsFn still_fails;
    const char* smallest;
  } cases[] = {
      {"nothing is needed",
       {{100, 3, 7}, {50, 4, 9}},
       [](Records, const Alignments&) { return true; },
       "[]"},
      {"one of them",
       {{100, 3, 7}, {50, 4, 9}},
       [](Records r, const Alignments&) { return !r.empty(); },
       "[{size 1, tasks [0, 0]}]"},
      {"two that conflict",
       {{100, 3, 7}, {50, 4, kLast}, {9, 100, kLast}},
       &HasConflict,
       "[{size 1, tasks [0, 0]}, {size 1, tasks [0, 0]}]"},
      {"two that touch",
       {{100, 3, 700}, {50, 4, 9}, {8, 700, kLast}},
       &HasTouch,
       "[{size 1, tasks [0, 1]}, {size 1, tasks [1, 1]}]"},
      {"a size above a limit, found by halving",
       {{100000, 3, 7}, {50, 4, 9}},
       [](Records r, const Alignments&) {
         return std::any_of(r.begin(), r.end(), [](const ByteRecord& record) {
           return record.tensor_size > 777;
         });
       },
       "[{size 778, tasks [0, 0]}]"},
      {"a distance of tasks stays, but moves to the start",
       {{100, 1000, 7000}, {50, 900, 900}},
       [](Records r, const Alignments&) {
         return std::any_of(r.begin(), r.end(), [](const ByteRecord& record) {
           return record.last_task - record.first_task == 6000;
         });
       },
       "[{size 1, tasks [0, 6000]}]"},
      {"a distance of two records",
       {{1, kLast - 6000, kLast - 6000}, {1, kLast, kLast}},
       [](Records r, const Alignments&) {
         return r.size() == 2 && r[1].first_task - r[0].last_task == 6000;
       },
       "[{size 1, tasks [0, 0]}, {size 1, tasks [6000, 6000]}]"},
      {"a size of zero stays",
       {{100, 3, 7}, {0, 4, 9}},
       [](Records r, const Alignments&) {
         return std::any_of(r.begin(), r.end(), [](const ByteRecord& record) {
           return record.tensor_size == 0;
         });
       },
       "[{size 0, tasks [0, 0]}]"},
      {"an order stays",
       {{1, 0, 0}, {1, 5, 9}, {1, 2, 9}},
       [](Records r, const Alignments&) {
         return !std::is_sorted(r.begin(), r.end());
       },
       "[{size 1, tasks [1, 1]}, {size 1, tasks [0, 0]}]"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Text(ShrinkRecords(c.records, Alignments(), c.still_fails)),
              c.smallest)
        << c.name;
  }
}

TEST(ShrinkRecordsTest, BringsAlignmentsDown) {
  const ByteRecords records = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  const std::vector<size_t> alignments = {64, 4096, 16};
  const Instance smallest =
      ShrinkRecords(records, absl::MakeConstSpan(alignments),
                    [](Records r, const Alignments& a) {
                      for (size_t i = 0; i < r.size(); ++i) {
                        if (a.Of(i) >= 32) return true;
                      }
                      return false;
                    });
  EXPECT_EQ(Text(smallest), "[{size 1, tasks [0, 0]}] aligned to [32]");

  const Instance unaligned =
      ShrinkRecords(records, absl::MakeConstSpan(alignments),
                    [](Records r, const Alignments&) { return !r.empty(); });
  EXPECT_EQ(Text(unaligned), "[{size 1, tasks [0, 0]}]");
}

TEST(ShrinkRecordsTest, KeepsRecordsInExecutionOrder) {
  const auto still_fails = [](Records records, const Alignments&) {
    EXPECT_TRUE(std::is_sorted(records.begin(), records.end()));
    return records.size() > 2;
  };
  const ByteRecords records = RandomRecords(Family::kBranches, 1, 40);
  EXPECT_EQ(ShrinkRecords(records, Alignments(), still_fails).records.size(),
            3);
}

TEST(ShrinkRecordsTest, EndsAfterAsManyCallsAsItMay) {
  size_t calls = 0;
  const auto still_fails = [&calls](Records records, const Alignments&) {
    ++calls;
    return records.size() > 500;
  };
  const ByteRecords records = RandomRecords(Family::kUnsorted, 1, 1000);
  for (const size_t max_calls : {size_t{0}, size_t{1}, size_t{100}}) {
    calls = 0;
    const Instance smallest =
        ShrinkRecords(records, Alignments(), still_fails, max_calls);
    EXPECT_EQ(calls, max_calls);
    EXPECT_GT(smallest.records.size(), 500);
  }
}

RC_GTEST_PROP(ShrinkRecordsTest, WhatIsLeftFailsAndIsNotLarger, ()) {
  Knobs knobs;
  knobs.max_alignment = 64;
  const Instance instance = *AnyInstances(knobs);
  const auto still_fails = [](Records records, const Alignments& alignments) {
    RC_ASSERT(CheckUsageRecords(records).ok());
    RC_ASSERT(alignments.Check(records.size()).ok());
    return HasTouch(records, alignments);
  };
  RC_PRE(still_fails(instance.records, instance.alignment()));
  const Instance smallest =
      ShrinkRecords(instance.records, instance.alignment(), still_fails);
  RC_ASSERT(still_fails(smallest.records, smallest.alignment()));
  RC_ASSERT(smallest.records.size() == 2u);
  RC_ASSERT(Most(smallest, SizeOf) <= Most(instance, SizeOf));
  RC_ASSERT(Most(smallest, LastTaskOf) <= Most(instance, LastTaskOf));
  RC_ASSERT(Most(smallest, AlignmentOf) <= Most(instance, AlignmentOf));
  RC_ASSERT(IsSorted(smallest) || !IsSorted(instance));
  const Instance again =
      ShrinkRecords(instance.records, instance.alignment(), still_fails);
  RC_ASSERT(Text(smallest) == Text(again));
}

}  // namespace
}  // namespace stowage::testing
