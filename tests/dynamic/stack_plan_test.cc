// SPDX-License-Identifier: Apache-2.0
// Tests that stacks are safe for all sizes, and as low as their order allows.
#include "stowage/dynamic/stack_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "stowage/base/random.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/planner.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "tests/dynamic/random_order.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<ByteRecord> SomeRecords(Random* random, size_t count) {
  std::vector<ByteRecord> records;
  for (size_t i = 0; i < count; ++i) {
    const auto first = static_cast<size_t>(random->Below(20));
    records.emplace_back(random->Below(50), first,
                         first + static_cast<size_t>(random->Below(8)));
  }
  return records;
}

// Computes the offsets from their definition: each record is placed above all
// earlier records that it conflicts with.
std::vector<size_t> StackedOffsets(const std::vector<ByteRecord>& records,
                                   const std::vector<size_t>& order,
                                   const std::vector<size_t>& alignments) {
  std::vector<size_t> offsets(records.size());
  for (size_t k = 0; k < order.size(); ++k) {
    const size_t record = order[k];
    size_t bottom = 0;
    for (size_t j = 0; j < k; ++j) {
      if (!Conflict(records[order[j]], records[record])) continue;
      bottom =
          std::max(bottom, offsets[order[j]] + records[order[j]].tensor_size);
    }
    offsets[record] = AlignUp(bottom, alignments[record]);
  }
  return offsets;
}

TEST(StackPlan, LeavesOutEdgesThatFollowFromOthers) {
  // All records conflict, so each record needs only an edge to the previous
  // one.
  const std::vector<ByteRecord> records = {{8, 0, 4}, {8, 1, 3}, {8, 2, 2}};
  const StatusOr<StackPlan> plan = StackPlan::Create(records, 4, {2, 0, 1});
  ASSERT_THAT(plan, support::IsOk());
  EXPECT_THAT(plan->order(), ElementsAre(2, 0, 1));
  EXPECT_THAT(plan->Below(0), ElementsAre());
  EXPECT_THAT(plan->Below(1), ElementsAre(2));
  EXPECT_THAT(plan->Below(2), ElementsAre(0));
  EXPECT_EQ(plan->edges(), 2u);
}

TEST(StackPlan, PutsEachRecordAboveThoseBeforeIt) {
  const std::vector<ByteRecord> records = {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}};
  const StatusOr<StackPlan> plan = StackPlan::Create(records, 8, {1, 0, 2});
  ASSERT_THAT(plan, support::IsOk());
  std::vector<size_t> offsets(3);
  const StatusOr<size_t> height = plan->Offsets({10, 5, 20}, MakeSpan(offsets));
  ASSERT_THAT(height, support::IsOk());
  EXPECT_THAT(offsets, ElementsAre(8, 0, 8));
  EXPECT_EQ(*height, 28u);
}

TEST(StackPlan, RefusesOtherOrders) {
  const std::vector<ByteRecord> records = {{8, 0, 4}, {8, 1, 3}};
  const auto message = [&](std::vector<size_t> order, size_t alignment) {
    return std::string(StackPlan::Create(records, alignment, std::move(order))
                           .status()
                           .message());
  };
  EXPECT_THAT(message({0}, 1),
              HasSubstr("an order of 1 records; expected all 2"));
  EXPECT_THAT(message({0, 0}, 1), HasSubstr("record 0 twice"));
  EXPECT_THAT(message({0, 2}, 1),
              HasSubstr("record 2 in the order does not exist"));
  EXPECT_THAT(message({0, 1}, 3), HasSubstr("expected a power of two"));
}

TEST(StackPlan, SaysWhichRecordEndsTooHigh) {
  constexpr size_t kLargest = std::numeric_limits<size_t>::max();
  const std::vector<ByteRecord> records = {{8, 0, 4}, {8, 1, 3}};
  const StatusOr<StackPlan> plan = StackPlan::Create(records, 8, {0, 1});
  ASSERT_THAT(plan, support::IsOk());
  std::vector<size_t> offsets(2);
  const auto message = [&](size_t a, size_t b) {
    return std::string(
        plan->Offsets({a, b}, MakeSpan(offsets)).status().message());
  };
  EXPECT_THAT(message(kLargest, 0), HasSubstr("record 1"));
  EXPECT_THAT(message(kLargest - 7, 8), HasSubstr("record 1"));
  EXPECT_EQ(message(kLargest - 7, 7), "");
}

RC_GTEST_PROP(StackPlanProperty, StacksByTheDefinition, (uint64_t seed)) {
  Random random(seed);
  const auto count = static_cast<size_t>(random.Below(40));
  std::vector<ByteRecord> records = SomeRecords(&random, count);
  std::vector<size_t> alignments(count);
  for (size_t& each : alignments) each = size_t{1} << random.Below(6);
  const std::vector<size_t> order = RandomOrder(&random, count);
  const StatusOr<StackPlan> plan =
      StackPlan::Create(records, Alignments(alignments), order);
  RC_ASSERT(plan.ok());
  RC_ASSERT(plan->edges() <= 3 * count);
  // The plan is made only once, and is then evaluated for many sizes.
  for (int run = 0; run < 20; ++run) {
    std::vector<size_t> sizes;
    for (ByteRecord& record : records) {
      record.tensor_size =
          random.Below(3) == 0 ? 0 : static_cast<size_t>(random.Below(100));
      sizes.push_back(record.tensor_size);
    }
    std::vector<size_t> offsets(count);
    const StatusOr<size_t> height = plan->Offsets(sizes, MakeSpan(offsets));
    RC_ASSERT(height.ok());
    RC_ASSERT(offsets == StackedOffsets(records, order, alignments));
    RC_ASSERT(
        !FindViolation(records, {offsets, *height}, Alignments(alignments)));
  }
}

// The stack of an order that is derived from a plan is at most as high as the
// plan.
RC_GTEST_PROP(StackPlanProperty, LosesNothingWhereItWasMade, (uint64_t seed)) {
  Random random(seed);
  const auto count = static_cast<size_t>(1 + random.Below(30));
  const std::vector<ByteRecord> records = SomeRecords(&random, count);
  OffsetsAssignment made;
  RC_ASSERT(
      AssignOffsetsToTensors(records, MemoryStrategy::GREEDY_BY_SIZE, &made, 4)
          .ok());
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(made.offsets[a], records[a].tensor_size) <
           std::pair(made.offsets[b], records[b].tensor_size);
  });
  const StatusOr<StackPlan> plan = StackPlan::Create(records, 4, order);
  RC_ASSERT(plan.ok());
  std::vector<size_t> sizes;
  for (const ByteRecord& record : records) sizes.push_back(record.tensor_size);
  std::vector<size_t> offsets(count);
  RC_ASSERT(*plan->Offsets(sizes, MakeSpan(offsets)) <= made.total_size);
}

}  // namespace
}  // namespace stowage
