// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/opencl/device_plan.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "stowage/assignment.h"
#include "stowage/harness/kernel_tools.h"
#include "stowage/planner.h"
#include "stowage/usage_record.h"

namespace stowage::harness::opencl {
namespace {

using Records = std::vector<TensorUsageRecord<size_t>>;

// Returns a plan in which all tensors are at offsets in one buffer.
DevicePlan InOneBuffer(const Records& records, DeviceLayout layout,
                       const OffsetsAssignment& offsets) {
  DevicePlan plan;
  plan.layout = layout;
  plan.buffers = {offsets.total_size};
  for (size_t i = 0; i < records.size(); ++i) {
    plan.tensors.push_back({0, offsets.offsets[i], records[i].tensor_size});
  }
  return plan;
}

// Returns a plan with one buffer for each shared object. The buffers are sorted
// by size, largest first, so that several plans can share them.
DevicePlan InBuffers(const Records& records,
                     const ObjectsAssignment<size_t>& objects) {
  DevicePlan plan;
  plan.layout = DeviceLayout::kBuffers;
  std::vector<size_t> order(objects.object_sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return objects.object_sizes[a] > objects.object_sizes[b];
  });
  std::vector<size_t> buffer_of(order.size());
  for (const size_t object : order) {
    buffer_of[object] = plan.buffers.size();
    plan.buffers.push_back(objects.object_sizes[object]);
  }
  for (size_t i = 0; i < records.size(); ++i) {
    plan.tensors.push_back(
        {buffer_of[objects.object_ids[i]], 0, records[i].tensor_size});
  }
  return plan;
}

absl::Status CheckAllocations(const DevicePlan& plan, size_t largest) {
  for (const size_t bytes : plan.buffers) {
    if (bytes <= largest) continue;
    return absl::ResourceExhaustedError(absl::StrCat(
        "a device buffer of ", bytes,
        " bytes: above the largest allocation; expected at most ", largest));
  }
  return absl::OkStatus();
}

}  // namespace

size_t DevicePlan::total_size() const {
  return std::accumulate(buffers.begin(), buffers.end(), size_t{0});
}

absl::StatusOr<DevicePlan> PlanDeviceMemory(const Records& records,
                                            const DeviceLimits& limits,
                                            DeviceLayout layout) {
  DevicePlan plan;
  plan.layout = layout;
  if (records.empty()) return plan;
  OffsetsAssignment offsets;
  STOWAGE_RETURN_IF_ERROR(
      AssignOffsetsToTensors(records, MemoryStrategy::GREEDY_BEST, &offsets,
                             limits.alignment, nullptr));
  ObjectsAssignment<size_t> objects;
  STOWAGE_RETURN_IF_ERROR(
      AssignObjectsToTensors(records, MemoryStrategy::GREEDY_BEST, &objects));
  STOWAGE_ASSIGN_OR_RETURN(const size_t objects_size, TotalSize(objects));
  STOWAGE_ASSIGN_OR_RETURN(
      const OffsetsAssignment joined,
      ObjectsToOffsets(objects, Alignments(limits.alignment)));
  if (layout == DeviceLayout::kSmallest) {
    const size_t largest = limits.largest_allocation;
    if (offsets.total_size <= objects_size && offsets.total_size <= largest) {
      layout = DeviceLayout::kOffsets;
    } else {
      layout = joined.total_size <= largest ? DeviceLayout::kObjects
                                            : DeviceLayout::kBuffers;
    }
  }
  if (layout == DeviceLayout::kOffsets) {
    plan = InOneBuffer(records, layout, offsets);
  } else if (layout == DeviceLayout::kObjects) {
    plan = InOneBuffer(records, layout, joined);
  } else {
    plan = InBuffers(records, objects);
  }
  STOWAGE_RETURN_IF_ERROR(CheckAllocations(plan, limits.largest_allocation));
  return plan;
}

}  // namespace stowage::harness::opencl
