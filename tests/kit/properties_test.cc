// SPDX-License-Identifier: Apache-2.0
// Tests the properties on planners with common bugs.
#include "stowage/testing/properties.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/testing/generators.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

using support::FailsWith;
using support::IsOk;

TEST(CheckPlanTest, AcceptsSafePlans) {
  const ByteRecords records = {{16, 0, 1}, {8, 1, 2}, {16, 2, 3}};
  EXPECT_THAT(CheckPlan(records, OffsetsAssignment{{0, 16, 0}, 24}), IsOk());
  EXPECT_THAT(CheckPlan(records, OffsetsAssignment{{0, 16, 0}, 24}, 8), IsOk());
  EXPECT_THAT(CheckPlan(records, ObjectsAssignment<size_t>{{0, 1, 0}, {16, 8}}),
              IsOk());
  const std::vector<TensorUsageRecord<uint2>> flat = {{uint2(8, 4), 0, 1}};
  EXPECT_THAT(CheckPlan(absl::MakeConstSpan(flat),
                        ObjectsAssignment<uint2>{{0}, {uint2(8, 4)}}),
              IsOk());
}

TEST(CheckPlanTest, ReportsTheViolation) {
  const ByteRecords records = {{16, 0, 1}, {8, 1, 2}};
  EXPECT_THAT(CheckPlan(records, OffsetsAssignment{{0, 8}, 16}),
              FailsWith(absl::StatusCode::kInternal,
                        "tensor 0 and tensor 1 both hold bytes [8, 16) at "
                        "task 1"));
  EXPECT_THAT(
      CheckPlan(records, OffsetsAssignment{{0, 17}, 25}, 8),
      FailsWith(absl::StatusCode::kInternal,
                "tensor 1 starts at byte 17, which is not a multiple of "
                "8"));
  EXPECT_THAT(CheckPlan(records, ObjectsAssignment<size_t>{{0, 1}, {15, 8}}),
              FailsWith(absl::StatusCode::kInternal,
                        "tensor 0 is larger than its object 0"));
  EXPECT_THAT(CheckPlan(records,
                        ObjectsAssignment<size_t>{
                            {0, 1}, {std::numeric_limits<size_t>::max(), 8}}),
              FailsWith(absl::StatusCode::kOutOfRange,
                        "object 1: its size makes the total overflow 64 bits; "
                        "expected a total below 2^64"));
  const std::vector<TensorUsageRecord<uint2>> flat = {{uint2(8, 4), 0, 1}};
  EXPECT_THAT(CheckPlan(absl::MakeConstSpan(flat),
                        ObjectsAssignment<uint2>{{0}, {uint2(8, 3)}}),
              FailsWith(absl::StatusCode::kInternal,
                        "tensor 0 is larger than its object 0"));
}

// The bugs that this test can plant in its planner FirstFit. They are common in
// real planners.
enum class Bug {
  kNone,
  kHalfOpen,     // reuses memory already at the last task of a record
  k32Bit,        // keeps sizes in 32 bits
  kSortedOnly,   // assumes that records are sorted by first task
  kForgetsTail,  // returns the end of the last record as the total
  kMoody,        // makes a different plan each time
};

class FirstFit {
 public:
  explicit FirstFit(Bug bug) : bug_(bug) {}

  OffsetsAssignment operator()(const ByteRecords& records) {
    OffsetsAssignment plan;
    const size_t floor = bug_ == Bug::kMoody ? calls_++ : 0;
    for (size_t i = 0; i < records.size(); ++i) {
      size_t offset = floor;
      for (const auto& [begin, end] : Taken(records, plan, i)) {
        if (offset + SizeOf(records[i]) <= begin) break;
        offset = std::max(offset, end);
      }
      plan.offsets.push_back(offset);
      const size_t end = offset + SizeOf(records[i]);
      plan.total_size =
          bug_ == Bug::kForgetsTail ? end : std::max(plan.total_size, end);
    }
    return plan;
  }

 private:
  using Range = std::pair<size_t, size_t>;

  size_t SizeOf(const ByteRecord& record) const {
    return bug_ == Bug::k32Bit ? static_cast<uint32_t>(record.tensor_size)
                               : record.tensor_size;
  }

  bool InTheWay(const ByteRecord& placed, const ByteRecord& record) const {
    switch (bug_) {
      case Bug::kHalfOpen:
        return placed.first_task < record.last_task &&
               record.first_task < placed.last_task;
      case Bug::kSortedOnly:
        return record.first_task <= placed.last_task &&
               placed.first_task <= record.first_task;
      default:
        return Conflict(placed, record);
    }
  }

  std::vector<Range> Taken(const ByteRecords& records,
                           const OffsetsAssignment& plan, size_t i) const {
    std::vector<Range> taken;
    for (size_t j = 0; j < i; ++j) {
      if (!InTheWay(records[j], records[i])) continue;
      taken.emplace_back(plan.offsets[j], plan.offsets[j] + SizeOf(records[j]));
    }
    std::sort(taken.begin(), taken.end());
    return taken;
  }

  Bug bug_;
  size_t calls_ = 0;
};

RC_GTEST_PROP(CheckPlannerTest, FindsNothingWrongWithAPlannerThatIsRight, ()) {
  const ByteRecords records = *AnyRecords();
  RC_ASSERT(CheckPlanner(records, FirstFit(Bug::kNone)) == absl::OkStatus());
}

// Generates 100 samples, the same in every run. Returns the number of samples
// on which the check finds the bug.
size_t Caught(Bug bug, const rc::Gen<ByteRecords>& gen) {
  size_t caught = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const ByteRecords records = gen(rc::Random(seed), 40).value();
    if (!CheckPlanner(records, FirstFit(bug)).ok()) ++caught;
  }
  return caught;
}

TEST(CheckPlannerTest, FindsTheBugsThatPlannersHave) {
  const struct {
    const char* name;
    Bug bug;
    rc::Gen<ByteRecords> family;  // records for which the bug shows
    size_t at_least;              // of 100 samples
  } cases[] = {
      {"half-open intervals", Bug::kHalfOpen, ChainRecords(), 80},
      {"sizes of 32 bits", Bug::k32Bit, HugeRecords(), 90},
      {"records taken to be sorted", Bug::kSortedOnly, UnsortedRecords(), 80},
      {"a total that is too small", Bug::kForgetsTail, BranchyRecords(), 40},
      {"a new plan each time", Bug::kMoody, TiedRecords(), 90},
  };
  for (const auto& c : cases) {
    EXPECT_GE(Caught(c.bug, c.family), c.at_least) << c.name;
    EXPECT_GE(Caught(c.bug, AnyRecords()), 3) << c.name;
  }
  EXPECT_EQ(Caught(Bug::k32Bit, ChainRecords()), 0);
  EXPECT_EQ(Caught(Bug::kSortedOnly, AnySortedRecords()), 0);
}

TEST(CheckPlannerTest, ReportsAPlannerThatIsNotDeterministic) {
  EXPECT_THAT(
      CheckPlanner(ByteRecords{{16, 0, 1}}, FirstFit(Bug::kMoody)),
      FailsWith(absl::StatusCode::kInternal,
                "the planner returned a different plan for the same records"));
}

TEST(CheckPlannerTest, TakesPlannersOfObjectsAndExtents) {
  const auto one_object = [](const auto& records) {
    ObjectsAssignment<std::decay_t<decltype(records[0].tensor_size)>> plan;
    for (const auto& record : records) {
      plan.object_ids.push_back(0);
      if (plan.object_sizes.empty()) {
        plan.object_sizes.push_back(record.tensor_size);
      }
    }
    return plan;
  };
  EXPECT_THAT(CheckPlanner(ByteRecords{{16, 0, 0}, {8, 1, 1}}, one_object),
              IsOk());
  EXPECT_THAT(CheckPlanner(ByteRecords{{16, 0, 1}, {8, 1, 1}}, one_object),
              FailsWith(absl::StatusCode::kInternal,
                        "tensor 0 and tensor 1 both hold object 0 at task 1"));
  using Shapes = std::vector<TensorUsageRecord<BHWC>>;
  EXPECT_THAT(CheckPlanner(Shapes{{BHWC(1, 8, 4, 2), 0, 0}}, one_object),
              IsOk());
  EXPECT_THAT(
      CheckPlanner(Shapes{{BHWC(1, 8, 4, 2), 0, 1}, {BHWC(1, 8, 4, 2), 1, 1}},
                   one_object),
      FailsWith(absl::StatusCode::kInternal,
                "tensor 0 and tensor 1 both hold object 0 at task 1"));
}

}  // namespace
}  // namespace stowage::testing
