// SPDX-License-Identifier: Apache-2.0
// Tests the adapter for TensorFlow Lite's GPU delegate. Like the delegate
// itself, the tests use only the names that the host declares.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/adapters/tflite_gpu/memory_management.h"
#include "tests/adapters/tflite_gpu_host.h"
#include "tests/support/status_matchers.h"

namespace tflite::gpu {
namespace {

using stowage::support::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr MemoryStrategy kAll[] = {
    MemoryStrategy::NAIVE,           MemoryStrategy::EQUALITY,
    MemoryStrategy::GREEDY_IN_ORDER, MemoryStrategy::GREEDY_BY_BREADTH,
    MemoryStrategy::GREEDY_BY_SIZE,  MemoryStrategy::GREEDY_BEST,
    MemoryStrategy::MINCOSTFLOW};

std::vector<TensorUsageRecord<size_t>> ThreeTensors() {
  return {{16, 0, 1}, {8, 1, 2}, {16, 2, 3}};
}

TEST(TfliteGpu, AssignsOffsets) {
  OffsetsAssignment assignment;
  ASSERT_THAT(
      AssignOffsetsToTensors(ThreeTensors(), MemoryStrategy::GREEDY_BY_SIZE,
                             &assignment, 16),
      IsOk());
  EXPECT_THAT(assignment.offsets, ElementsAre(0, 16, 0));
  EXPECT_EQ(assignment.total_size, 24u);
}

// Tasks are inclusive at both ends.
TEST(TfliteGpu, KeepsTouchingTensorsApart) {
  for (const MemoryStrategy strategy : kAll) {
    OffsetsAssignment assignment;
    ASSERT_THAT(
        AssignOffsetsToTensors({{8, 0, 5}, {8, 5, 9}}, strategy, &assignment),
        IsOk());
    EXPECT_EQ(assignment.total_size, 16u);
    ASSERT_THAT(
        AssignOffsetsToTensors({{8, 5, 9}, {8, 0, 5}}, strategy, &assignment),
        IsOk());
    EXPECT_EQ(assignment.total_size, 16u);
  }
}

TEST(TfliteGpu, AssignsNothing) {
  for (const MemoryStrategy strategy : kAll) {
    OffsetsAssignment assignment;
    ASSERT_THAT(AssignOffsetsToTensors({}, strategy, &assignment), IsOk());
    EXPECT_THAT(assignment.offsets, IsEmpty());
    EXPECT_EQ(assignment.total_size, 0u);
  }
}

TEST(TfliteGpu, AssignsObjectsOfBytes) {
  ObjectsAssignment<size_t> objects;
  ASSERT_THAT(BestGreedy(ThreeTensors(), &objects), IsOk());
  EXPECT_EQ(objects.object_ids[0], objects.object_ids[2]);
  const OffsetsAssignment offsets = ObjectsToOffsets(objects);
  EXPECT_EQ(offsets.total_size, 24u);
}

TEST(TfliteGpu, AssignsObjectsOfTheExtentsOfTheHost) {
  ObjectsAssignment<uint2> flat;
  ASSERT_THAT(
      AssignObjectsToTensors<uint2>({{{4, 2}, 0, 1}, {{3, 2}, 2, 3}},
                                    MemoryStrategy::GREEDY_IN_ORDER, &flat),
      IsOk());
  ASSERT_EQ(flat.object_sizes.size(), 1u);
  EXPECT_EQ(flat.object_sizes[0].x, 4u);
  EXPECT_EQ(flat.object_sizes[0].y, 2u);

  ObjectsAssignment<uint3> deep;
  ASSERT_THAT(AssignObjectsToTensors<uint3>(
                  {{{4, 2, 7}, 0, 1}}, MemoryStrategy::GREEDY_IN_ORDER, &deep),
              IsOk());
  ASSERT_EQ(deep.object_sizes.size(), 1u);
  EXPECT_EQ(deep.object_sizes[0].z, 7u);

  ObjectsAssignment<BHWC> shapes;
  ASSERT_THAT(
      AssignObjectsToTensors<BHWC>({{{1, 2, 3, 4}, 0, 1}, {{1, 2, 3, 4}, 2, 3}},
                                   MemoryStrategy::EQUALITY, &shapes),
      IsOk());
  ASSERT_EQ(shapes.object_sizes.size(), 1u);
  EXPECT_EQ(shapes.object_sizes[0].c, 4);
}

TEST(TfliteGpu, AssignsObjectsOfTypesThatAreOnlyEqual) {
  const std::vector<TensorUsageRecord<TensorDescriptor>> records = {
      {{7, 1}, 0, 1}, {{7, 2}, 1, 2}, {{7, 1}, 2, 3}};
  ObjectsAssignment<TensorDescriptor> objects;
  ASSERT_THAT(
      AssignObjectsToTensors(records, MemoryStrategy::EQUALITY, &objects),
      IsOk());
  EXPECT_EQ(objects.object_sizes.size(), 2u);
  for (size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(objects.object_sizes[objects.object_ids[i]],
              records[i].tensor_size);
  }
  EXPECT_EQ(objects.object_ids[0], objects.object_ids[2]);
  EXPECT_EQ(
      AssignObjectsToTensors(records, MemoryStrategy::GREEDY_BEST, &objects)
          .code(),
      absl::StatusCode::kUnimplemented);
}

TEST(TfliteGpu, ReusesObjectsAlongTheReallocationGraph) {
  const UsageGraph graph = ReallocationGraph({{1}, {2}, {}});
  ObjectsAssignment<size_t> objects;
  ASSERT_THAT(
      AssignObjectsToTensors(ThreeTensors(), MemoryStrategy::GREEDY_IN_ORDER,
                             &objects, &graph),
      IsOk());
  EXPECT_EQ(objects.object_sizes.size(), 2u);
  // If two tensors depend on each other, no graph exists.
  const UsageGraph none = ReallocationGraph({{1}, {0}, {}});
  EXPECT_EQ(
      AssignObjectsToTensors(ThreeTensors(), MemoryStrategy::GREEDY_IN_ORDER,
                             &objects, &none)
          .code(),
      absl::StatusCode::kInvalidArgument);
}

TEST(TfliteGpu, RefusesWhatTheHostWraps) {
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  OffsetsAssignment assignment = {{7}, 7};
  EXPECT_EQ(AssignOffsetsToTensors({{kMax, 0, 1}, {1, 1, 2}},
                                   MemoryStrategy::GREEDY_BY_SIZE, &assignment)
                .code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(AssignOffsetsToTensors(
                ThreeTensors(), MemoryStrategy::GREEDY_BY_SIZE, &assignment, 3)
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(assignment.offsets, ElementsAre(7));
  EXPECT_THAT(ObjectsToOffsets({{0, 1}, {kMax, 1}}).offsets, IsEmpty());
  EXPECT_THAT(ObjectsToOffsets({{5}, {8}}).offsets, IsEmpty());
}

TEST(TfliteGpu, OrdersRecordsByTheirFirstTask) {
  std::vector<TensorUsageRecord<size_t>> records = {{1, 5, 6}, {2, 0, 9}};
  std::sort(records.begin(), records.end());
  EXPECT_EQ(records[0].tensor_size, 2u);
}

RC_GTEST_PROP(TfliteGpuProperty, PlansAreSafe, ()) {
  const auto records =
      *rc::gen::container<std::vector<TensorUsageRecord<size_t>>>(
          rc::gen::exec([] {
            const auto first = *rc::gen::inRange<size_t>(0, 20);
            const auto length = *rc::gen::inRange<size_t>(0, 8);
            const auto size = *rc::gen::inRange<size_t>(0, 100);
            return TensorUsageRecord<size_t>(size, first, first + length);
          }));
  const MemoryStrategy strategy = *rc::gen::elementOf(
      std::vector<MemoryStrategy>(std::begin(kAll), std::end(kAll)));
  const size_t alignment = size_t{1} << *rc::gen::inRange(0, 7);
  OffsetsAssignment plan;
  const auto status =
      AssignOffsetsToTensors(records, strategy, &plan, alignment);
  RC_ASSERT(status.ok());
  for (size_t i = 0; i < records.size(); ++i) {
    const size_t end = plan.offsets[i] + records[i].tensor_size;
    RC_ASSERT(plan.offsets[i] % alignment == 0u);
    RC_ASSERT(end <= plan.total_size);
    for (size_t k = 0; k < i; ++k) {
      const bool meet = records[i].first_task <= records[k].last_task &&
                        records[k].first_task <= records[i].last_task;
      const size_t other_end = plan.offsets[k] + records[k].tensor_size;
      const bool share =
          std::max(plan.offsets[i], plan.offsets[k]) < std::min(end, other_end);
      RC_ASSERT(!meet || !share);
    }
  }
}

}  // namespace
}  // namespace tflite::gpu
