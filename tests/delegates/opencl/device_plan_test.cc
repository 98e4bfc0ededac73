// SPDX-License-Identifier: Apache-2.0
// Tests plans of device memory: which layout is chosen, and the offsets of
// tensors.
#include "src/delegates/opencl/device_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "stowage/usage_record.h"

namespace stowage::harness::opencl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Records = std::vector<TensorUsageRecord<size_t>>;

constexpr size_t kNoLimit = size_t{1} << 40;

TEST(DevicePlan, TakesOffsetsWhereTheyAreNotLarger) {
  const Records records = {{256, 0, 1}, {128, 1, 2}, {256, 2, 3}};
  const auto plan =
      PlanDeviceMemory(records, {128, kNoLimit}, DeviceLayout::kSmallest);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->layout, DeviceLayout::kOffsets);
  EXPECT_THAT(plan->buffers, ElementsAre(384));
  EXPECT_EQ(plan->total_size(), 384);
}

// Returns two records of 100 bytes that are live together. Because offsets are
// aligned, the second record begins at byte 128.
const Records& RecordsOf100() {
  static const Records* const records = new Records{{100, 0, 1}, {100, 1, 2}};
  return *records;
}

TEST(DevicePlan, TakesObjectsWhereOffsetsAreLarger) {
  const auto plan =
      PlanDeviceMemory(RecordsOf100(), {128, 228}, DeviceLayout::kSmallest);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->layout, DeviceLayout::kObjects);
  EXPECT_THAT(plan->buffers, ElementsAre(228));
  EXPECT_EQ(plan->tensors[1].offset + plan->tensors[0].offset, 128);
}

TEST(DevicePlan, TakesBuffersWhereOneIsAboveTheLargestAllocation) {
  const auto plan =
      PlanDeviceMemory(RecordsOf100(), {128, 227}, DeviceLayout::kSmallest);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->layout, DeviceLayout::kBuffers);
  EXPECT_THAT(plan->buffers, ElementsAre(100, 100));
  EXPECT_EQ(plan->total_size(), 200);
}

TEST(DevicePlan, RefusesWhatIsAboveTheLargestAllocation) {
  for (const DeviceLayout layout :
       {DeviceLayout::kSmallest, DeviceLayout::kOffsets, DeviceLayout::kObjects,
        DeviceLayout::kBuffers}) {
    const auto plan = PlanDeviceMemory(RecordsOf100(), {128, 99}, layout);
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(plan.status().message(), HasSubstr("expected at most 99"));
  }
}

TEST(DevicePlan, OfNothingHasNoBuffers) {
  const auto plan = PlanDeviceMemory({}, {128, 0}, DeviceLayout::kSmallest);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->total_size(), 0);
}

// Returns the number of pairs of tensors that are live together and share
// bytes.
size_t CountOverlaps(const Records& records, const DevicePlan& plan) {
  size_t count = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const DevicePlan::Part& a = plan.tensors[i];
      const DevicePlan::Part& b = plan.tensors[j];
      const bool overlap = a.buffer == b.buffer &&
                           a.offset < b.offset + b.size &&
                           b.offset < a.offset + a.size;
      if (overlap && Conflict(records[i], records[j])) ++count;
    }
  }
  return count;
}

TEST(DevicePlan, IsSafeAndAlignedInEveryLayout) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Records records;
    for (int i = 0; i < 20; ++i) {
      const size_t first = random() % 20;
      records.emplace_back(1 + random() % 5000, first, first + random() % 5);
    }
    for (const DeviceLayout layout :
         {DeviceLayout::kOffsets, DeviceLayout::kObjects,
          DeviceLayout::kBuffers}) {
      const auto plan = PlanDeviceMemory(records, {128, kNoLimit}, layout);
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_EQ(plan->layout, layout);
      EXPECT_EQ(CountOverlaps(records, *plan), 0);
      EXPECT_TRUE(std::is_sorted(plan->buffers.begin(), plan->buffers.end(),
                                 std::greater<>()));
      for (size_t i = 0; i < records.size(); ++i) {
        const DevicePlan::Part& part = plan->tensors[i];
        EXPECT_EQ(part.offset % 128, 0);
        EXPECT_EQ(part.size, records[i].tensor_size);
        EXPECT_LE(part.offset + part.size, plan->buffers[part.buffer]);
      }
    }
  }
}

}  // namespace
}  // namespace stowage::harness::opencl
