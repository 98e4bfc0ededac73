// SPDX-License-Identifier: Apache-2.0
// Shows the convention of intervals by example.
//
// A usage interval names the first and the last task that needs the tensor, and
// BOTH belong to it: {size, 2, 4} is live at the tasks 2, 3 and 4.
#include "stowage/usage_record.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "tests/model/extreme_sizes.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ByteRecords = std::vector<TensorUsageRecord<size_t>>;

// Returns the record that a picture shows. The picture has one character for
// each task, which is '=' if the record is live at the task.
TensorUsageRecord<size_t> Sampled(absl::string_view picture) {
  return {1, picture.find('='), picture.rfind('=')};
}

TEST(UsageIntervalTest, BothEndsBelongToIt) {
  const TensorUsageRecord<size_t> record = Sampled("..===.");
  EXPECT_EQ(record.first_task, 2);
  EXPECT_EQ(record.last_task, 4);
}

TEST(UsageIntervalTest, TwoTensorsConflictIfTheyShareATask) {
  const struct {
    absl::string_view a, b;
    bool conflict;
    const char* name;
  } cases[] = {
      // tasks
      // 012345    012345
      {"==....", "...===", false, "a task between them"},
      {"===...", "...===", false, "b begins right after a has ended"},
      {"====..", "...===", true, "touching: a is read while b is written"},
      {"=====.", ".=====", true, "overlapping"},
      {"======", "..==..", true, "b within a"},
      {".====.", ".====.", true, "the same tasks"},
      {"...=..", ".===..", true, "a lives at one task only, b's last"},
      {"...=..", "....==", false, "a lives at one task only, before b"},
      {"..=...", "..=...", true, "both at one task only, the same"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Conflict(Sampled(c.a), Sampled(c.b)), c.conflict) << c.name;
    EXPECT_EQ(Conflict(Sampled(c.b), Sampled(c.a)), c.conflict) << c.name;
  }
}

TEST(UsageIntervalTest, AnyTaskNumberWillDo) {
  const TensorUsageRecord<size_t> first(1, 0, 0);
  const TensorUsageRecord<size_t> last(1, kMax, kMax);
  const TensorUsageRecord<size_t> always(1, 0, kMax);
  EXPECT_FALSE(Conflict(first, last));
  EXPECT_TRUE(Conflict(always, first));
  EXPECT_TRUE(Conflict(always, last));
}

TEST(UsageIntervalTest, SizesPlayNoPartInAConflict) {
  const TensorUsageRecord<uint2> a(uint2(0, 0), 1, 2);
  const TensorUsageRecord<uint2> b(uint2(8, 4), 2, 3);
  EXPECT_TRUE(Conflict(a, b));
}

TEST(UsageRecordTest, IsNothingAtTaskZeroByDefault) {
  const TensorUsageRecord<BHWC> record;
  EXPECT_EQ(record.tensor_size, BHWC(0, 0, 0, 0));
  EXPECT_EQ(record.first_task, 0);
  EXPECT_EQ(record.last_task, 0);
}

TEST(UsageRecordTest, SortsByFirstTaskOnly) {
  ByteRecords records = {{10, 3, 9}, {20, 1, 9}, {30, 3, 3}, {40, 1, 1}};
  std::stable_sort(records.begin(), records.end(), BeginsBefore());
  std::vector<size_t> sizes;
  for (const auto& record : records) sizes.push_back(record.tensor_size);
  EXPECT_THAT(sizes, ::testing::ElementsAre(20, 40, 10, 30));
}

TEST(CheckUsageRecordsTest, AcceptsEverythingThatCanBePlanned) {
  const struct {
    const char* name;
    ByteRecords records;
  } cases[] = {
      {"no records", {}},
      {"no bytes", {{0, 0, 0}}},
      {"one task", {{16, 5, 5}}},
      {"any order", {{16, 5, 6}, {16, 0, 1}}},
      {"any 64-bit task", {{16, 0, kMax}, {16, kMax, kMax}}},
      {"the largest tensor", {{kMax, 0, 0}}},
      {"the largest sum", {{kMax - 1, 0, 0}, {1, 0, 0}, {0, 0, 0}}},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(CheckUsageRecords(c.records), IsOk()) << c.name;
  }
}

TEST(CheckUsageRecordsTest, NamesTheRecordThatIsWrong) {
  const struct {
    ByteRecords records;
    absl::StatusCode code;
    const char* message;
  } cases[] = {
      {{{16, 0, 1}, {16, 3, 2}},
       absl::StatusCode::kInvalidArgument,
       "record 1: its first task 3 is after its last task 2; "
       "expected the first not after the last"},
      {{{16, kMax, 0}},
       absl::StatusCode::kInvalidArgument,
       "record 0: its first task 18446744073709551615 is after its last task "
       "0; "
       "expected the first not after the last"},
      {{{kMax, 0, 0}, {0, 0, 0}, {1, 1, 1}},
       absl::StatusCode::kOutOfRange,
       "record 2: its size 1 makes the sum of sizes overflow 64 bits; expected "
       "a sum below 2^64"},
      // The sum of the sizes overflows before the record with the bad interval,
      // but the bad interval is reported first.
      {{{kMax, 0, 0}, {1, 0, 0}, {1, 2, 1}},
       absl::StatusCode::kInvalidArgument,
       "record 2: its first task 2 is after its last task 1; "
       "expected the first not after the last"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(CheckUsageRecords(c.records), FailsWith(c.code, c.message));
  }
}

// The spans claim to have more records than exist. They must be refused because
// of their length, before any record is read.
TEST(CheckUsageRecordsTest, RefusesMoreRecordsThanCanBeCounted) {
  const TensorUsageRecord<size_t> bytes;
  const TensorUsageRecord<BHWC> shape;
  const auto refused =
      FailsWith(absl::StatusCode::kOutOfRange,
                "records: 4294967296 given; expected at most 4294967295");
  EXPECT_THAT(CheckUsageRecords(absl::MakeConstSpan(&bytes, kMaxRecords + 1)),
              refused);
  EXPECT_THAT(CheckUsageRecords(absl::MakeConstSpan(&shape, kMaxRecords + 1)),
              refused);
}

TEST(CheckUsageRecordsTest, ChecksExtentsOneByOne) {
  const std::vector<TensorUsageRecord<uint2>> flat = {{uint2(8, 4), 0, 1},
                                                      {uint2(8, 4), 2, 1}};
  EXPECT_THAT(CheckUsageRecords(flat),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "record 1: its first task 2 is after its last task 1; "
                        "expected the first not after the last"));
  const std::vector<TensorUsageRecord<uint3>> deep = {
      {uint3(8, 4, 2), 0, 1}, {uint3(4294967295, 4294967295, 2), 0, 1}};
  EXPECT_THAT(CheckUsageRecords(deep),
              FailsWith(absl::StatusCode::kOutOfRange,
                        "record 1: size 4294967295x4294967295x2 has too many "
                        "elements; expected at most 2^64 - 1"));
  const std::vector<TensorUsageRecord<BHWC>> shapes = {
      {BHWC(1, 8, 4, 2), 0, 1}, {BHWC(1, 8, -4, 2), 0, 1}};
  EXPECT_THAT(CheckUsageRecords(shapes),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "record 1: size 1x8x-4x2 has a component below 0; "
                        "expected 0 or above"));
}

RC_GTEST_PROP(UsageIntervalTest, ConflictMeansACommonTask, ()) {
  const auto task = rc::gen::inRange<TaskId>(0, 8);
  const auto interval = rc::gen::map(
      rc::gen::pair(task, task), [](const std::pair<TaskId, TaskId>& ends) {
        return TensorUsageRecord<size_t>(1, std::min(ends.first, ends.second),
                                         std::max(ends.first, ends.second));
      });
  const auto a = *interval;
  const auto b = *interval;
  bool common = false;
  for (TaskId t = 0; t < 8; ++t) {
    common = common || (a.first_task <= t && t <= a.last_task &&
                        b.first_task <= t && t <= b.last_task);
  }
  RC_ASSERT(Conflict(a, b) == common);
}

}  // namespace
}  // namespace stowage
