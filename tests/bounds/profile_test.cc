// SPDX-License-Identifier: Apache-2.0
// Tests task profiles and lower bounds by example. For their properties, see
// profile_property_test.cc.
#include "stowage/profile.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/usage_record.h"
#include "tests/model/extreme_sizes.h"
#include "tests/support/vectors.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ByteRecords = std::vector<ByteRecord>;
using Breadths = std::vector<std::pair<TaskId, size_t>>;

// Returns the records of the example in profile.h.
//   task  0123
//   a 6   ===
//   b 4   ==
//   c 3    ==
//   d 5     =
const ByteRecords& Example() {
  static const auto* const records =
      new ByteRecords{{6, 0, 2}, {4, 0, 1}, {3, 1, 2}, {5, 2, 2}};
  return *records;
}

Breadths BreadthsOf(const ByteRecords& records) {
  Breadths breadths;
  for (const TaskBreadth& b : TaskBreadths(records)) {
    breadths.emplace_back(b.task, b.breadth);
  }
  return breadths;
}

TEST(TaskProfileTest, HasTheLiveTensorsBySize) {
  EXPECT_THAT(TaskProfile(Example(), 0), ElementsAre(0, 1));
  EXPECT_THAT(TaskProfile(Example(), 1), ElementsAre(0, 1, 2));
  EXPECT_THAT(TaskProfile(Example(), 2), ElementsAre(0, 3, 2));
  EXPECT_THAT(TaskProfile(Example(), 3), IsEmpty());
}

TEST(TaskProfileTest, BreaksTiesByIndex) {
  const ByteRecords records = {{8, 0, 1}, {16, 1, 1}, {8, 1, 1}, {16, 0, 1}};
  EXPECT_THAT(TaskProfile(records, 1), ElementsAre(1, 3, 0, 2));
}

TEST(TaskProfileTest, HasTensorsOfNoBytesToo) {
  EXPECT_THAT(TaskProfile(ByteRecords{{0, 3, 3}, {1, 3, 3}}, 3),
              ElementsAre(1, 0));
}

TEST(TaskProfileTest, AgreesWithTheOriginalsOwnCases) {
  const auto cases = support::LoadUpstreamCases({"records", "expected"});
  size_t seen = 0;
  for (const auto& c : cases) {
    if (!c.at("expected").contains("task_profiles")) continue;
    ++seen;
    SCOPED_TRACE(c.at("test"));
    const auto records = support::RecordsIn<size_t>(c.at("records"));
    const auto profiles = c.at("expected")
                              .at("task_profiles")
                              .get<std::vector<std::vector<size_t>>>();
    for (TaskId task = 0; task < profiles.size(); ++task) {
      EXPECT_EQ(TaskProfile(records, task), profiles[task]) << "task " << task;
    }
    EXPECT_THAT(TaskProfile(records, profiles.size()), IsEmpty());
    EXPECT_EQ(PositionalMaximums(records),
              c.at("expected").at("positional_max").get<std::vector<size_t>>());
  }
  EXPECT_EQ(seen, 4);
}

TEST(TaskBreadthsTest, AreToldWhereRecordsBegin) {
  EXPECT_EQ(BreadthsOf(Example()), (Breadths{{0, 10}, {1, 13}, {2, 14}}));
}

TEST(TaskBreadthsTest, CountATensorUpToItsLastTaskInclusive) {
  EXPECT_EQ(BreadthsOf({{8, 0, 2}, {1, 2, 2}, {1, 3, 3}}),
            (Breadths{{0, 8}, {2, 9}, {3, 1}}));
}

TEST(TaskBreadthsTest, ComeByTaskWhateverTheOrderOfTheRecords) {
  EXPECT_EQ(BreadthsOf({{1, 7, 9}, {2, 3, 7}, {4, 5, 5}}),
            (Breadths{{3, 2}, {5, 6}, {7, 3}}));
}

TEST(MaximumBreadthTest, IsToldWithTheFirstTaskThatHasIt) {
  const struct {
    const char* name;
    ByteRecords records;
    TaskId task;
    size_t breadth;
  } cases[] = {
      {"no records", {}, 0, 0},
      {"the example", Example(), 2, 14},
      {"the first of two", {{8, 5, 5}, {8, 9, 9}, {1, 7, 7}}, 5, 8},
      {"nothing but tensors of no bytes", {{0, 4, 6}, {0, 2, 3}}, 2, 0},
      {"the last task there is", {{8, 0, kMax}, {8, kMax, kMax}}, kMax, 16},
      {"the largest sum", {{kMax - 1, 0, 1}, {1, 1, 1}}, 1, kMax},
  };
  for (const auto& c : cases) {
    const TaskBreadth maximum = MaximumBreadth(c.records);
    EXPECT_EQ(maximum.task, c.task) << c.name;
    EXPECT_EQ(maximum.breadth, c.breadth) << c.name;
    EXPECT_EQ(OffsetsLowerBound(c.records), c.breadth) << c.name;
  }
}

TEST(PositionalMaximumsTest, AreTheMaximumsAtEachPositionOfTheProfiles) {
  const struct {
    const char* name;
    ByteRecords records;
    std::vector<size_t> maximums;
    size_t sum;
  } cases[] = {
      {"no records", {}, {}, 0},
      {"the example", Example(), {6, 5, 3}, 14},
      {"never live together", {{8, 0, 0}, {9, 1, 1}}, {9}, 9},
      {"always live together", {{8, 0, 1}, {9, 1, 2}}, {9, 8}, 17},
      {"the positions come from different tasks",
       {{9, 0, 0}, {1, 0, 0}, {5, 1, 1}, {5, 1, 1}},
       {9, 5},
       14},
      {"no bytes hold a position too", {{0, 0, 0}, {0, 0, 0}}, {0, 0}, 0},
      {"the last task there is", {{8, 0, kMax}, {4, kMax, kMax}}, {8, 4}, 12},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(PositionalMaximums(c.records), c.maximums) << c.name;
    EXPECT_EQ(ObjectsLowerBound(c.records), c.sum) << c.name;
  }
}

TEST(NaiveSizeTest, IsTheSumOfAllSizes) {
  EXPECT_EQ(NaiveSize({}), 0);
  EXPECT_EQ(NaiveSize(Example()), 18);
  EXPECT_EQ(NaiveSize(ByteRecords{{kMax, 0, 0}, {0, 1, 1}}), kMax);
}

// Some records end before they begin. Results for such records have no meaning,
// but the functions must not read beyond the ends of their lists.
TEST(ProfileTest, RecordsThatEndBeforeTheyBeginAreHarmless) {
  const ByteRecords broken = {{16, 5, 3}, {8, kMax, 0}, {4, 9, 8}, {2, 4, 4}};
  EXPECT_EQ(TaskBreadths(broken).size(), 4);
  EXPECT_THAT(TaskProfile(broken, 4), ElementsAre(3));
  EXPECT_THAT(PositionalMaximums(broken), ElementsAre(2));
}

}  // namespace
}  // namespace stowage
