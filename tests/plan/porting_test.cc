// SPDX-License-Identifier: Apache-2.0
// Contains a program that was written for the planner of TensorFlow Lite. To
// port the program, only the namespace below had to be changed.
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/stowage.h"

namespace gpu = stowage;  // was tflite::gpu

namespace {

using ::testing::ElementsAre;

// The signatures equal those of TensorFlow Lite exactly.
static_assert(
    std::is_same_v<decltype(&gpu::AssignObjectsToTensors<gpu::uint3>),
                   absl::Status (*)(
                       const std::vector<gpu::TensorUsageRecord<gpu::uint3>>&,
                       gpu::MemoryStrategy, gpu::ObjectsAssignment<gpu::uint3>*,
                       const gpu::UsageGraph*)>);
static_assert(
    std::is_same_v<
        decltype(&gpu::AssignOffsetsToTensors),
        absl::Status (*)(const std::vector<gpu::TensorUsageRecord<size_t>>&,
                         const gpu::MemoryStrategy&, gpu::OffsetsAssignment*,
                         size_t, const gpu::UsageGraph*)>);

// An operator as a delegate knows it: the tensors that it reads and writes.
struct Node {
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
};

template <typename TensorSizeT>
std::vector<gpu::TensorUsageRecord<TensorSizeT>> UsageOf(
    const std::vector<Node>& nodes, const std::vector<TensorSizeT>& sizes) {
  std::vector<gpu::TensorUsageRecord<TensorSizeT>> usage_records;
  usage_records.reserve(sizes.size());
  for (const TensorSizeT& size : sizes) {
    usage_records.emplace_back(/*size=*/size, /*first=*/nodes.size(),
                               /*last=*/0);
  }
  for (gpu::TaskId task = 0; task < nodes.size(); ++task) {
    const auto extend = [&](size_t tensor) {
      auto& record = usage_records[tensor];
      record.first_task = std::min(record.first_task, task);
      record.last_task = std::max(record.last_task, task);
    };
    for (const size_t tensor : nodes[task].inputs) extend(tensor);
    for (const size_t tensor : nodes[task].outputs) extend(tensor);
  }
  std::sort(usage_records.begin(), usage_records.end(), gpu::BeginsBefore());
  return usage_records;
}

const std::vector<Node>& Nodes() {
  static const auto* const nodes =
      new std::vector<Node>{{{}, {0}}, {{0}, {1}}, {{1}, {2}}};
  return *nodes;
}

TEST(PortingTest, BuffersInOneArena) {
  const auto usage_records = UsageOf<size_t>(Nodes(), {64, 32, 16});

  gpu::OffsetsAssignment offsets;
  ASSERT_TRUE(gpu::AssignOffsetsToTensors(usage_records,
                                          gpu::MemoryStrategy::NAIVE, &offsets)
                  .ok());
  EXPECT_THAT(offsets.offsets, ElementsAre(0, 64, 96));
  EXPECT_EQ(offsets.total_size, 112);

  const size_t base_addr_align_bytes = 128;
  ASSERT_TRUE(gpu::AssignOffsetsToTensors(usage_records,
                                          gpu::MemoryStrategy::NAIVE, &offsets,
                                          base_addr_align_bytes)
                  .ok());
  EXPECT_THAT(offsets.offsets, ElementsAre(0, 128, 256));
}

TEST(PortingTest, SharedBuffers) {
  gpu::ObjectsAssignment<size_t> assignment;
  const absl::Status status =
      gpu::AssignObjectsToTensors(UsageOf<size_t>(Nodes(), {64, 32, 16}),
                                  gpu::MemoryStrategy::NAIVE, &assignment);
  ASSERT_TRUE(status.ok());
  EXPECT_THAT(assignment.object_ids, ElementsAre(0, 1, 2));
  EXPECT_THAT(assignment.object_sizes, ElementsAre(64, 32, 16));
}

TEST(PortingTest, SharedTexturesAndShapes) {
  const std::vector<gpu::TensorUsageRecord<gpu::uint2>> textures{
      {/*size=*/gpu::uint2(8, 4), /*first=*/0, /*last=*/1}};
  gpu::ObjectsAssignment<gpu::uint2> texture_objects;
  ASSERT_TRUE(gpu::AssignObjectsToTensors(textures, gpu::MemoryStrategy::NAIVE,
                                          &texture_objects)
                  .ok());
  EXPECT_THAT(texture_objects.object_sizes, ElementsAre(gpu::uint2(8, 4)));

  const std::vector<gpu::TensorUsageRecord<gpu::BHWC>> shapes{
      {/*size=*/gpu::BHWC(1, 8, 4, 2), /*first=*/0, /*last=*/1}};
  gpu::ObjectsAssignment<gpu::BHWC> shape_objects;
  ASSERT_TRUE(gpu::AssignObjectsToTensors(shapes, gpu::MemoryStrategy::NAIVE,
                                          &shape_objects)
                  .ok());
  EXPECT_THAT(shape_objects.object_sizes, ElementsAre(gpu::BHWC(1, 8, 4, 2)));
}

}  // namespace
