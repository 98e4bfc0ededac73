// SPDX-License-Identifier: Apache-2.0
// Plans the device memory of the tensors inside a partition: the buffers to
// create, and the part of a buffer that each tensor occupies. The plan depends
// only on the limits of the device, and no function here calls the device.
// There are three layouts:
//
//   offsets   one buffer; tensors at offsets in it (OffsetsAssignment)
//   objects   one buffer; shared objects in it, one after the other
//   buffers   a buffer for each shared object (ObjectsAssignment)
//
// Parts of buffers become sub-buffers, whose offsets are multiples of the
// device's alignment.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_DEVICE_PLAN_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_DEVICE_PLAN_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "stowage/usage_record.h"

namespace stowage::harness::opencl {

// kSmallest selects one of the other layouts. It selects kOffsets if offsets
// take no more bytes than shared objects and fit in the largest allocation.
// Otherwise it selects kObjects if the objects fit in the largest allocation,
// else kBuffers.
enum class DeviceLayout { kSmallest, kOffsets, kObjects, kBuffers };

struct DeviceLimits {
  // A power of two. The offset of every sub-buffer must be a multiple of it.
  size_t alignment = 1;
  size_t largest_allocation = 0;
};

struct DevicePlan {
  // The bytes [offset, offset + size) of buffers[buffer].
  struct Part {
    size_t buffer = 0;
    size_t offset = 0;
    size_t size = 0;
  };
  // The layout that was selected, which is never kSmallest.
  DeviceLayout layout = DeviceLayout::kSmallest;
  // The sizes of the buffers, with the largest first.
  std::vector<size_t> buffers;
  std::vector<Part> tensors;  // is indexed by record

  size_t total_size() const;
};

// Plans memory for the records, whose sizes must be above 0. Errors: those of
// AssignObjectsToTensors and AssignOffsetsToTensors; ResourceExhausted if a
// buffer is larger than the largest allocation.
absl::StatusOr<DevicePlan> PlanDeviceMemory(
    const std::vector<TensorUsageRecord<size_t>>& records,
    const DeviceLimits& limits, DeviceLayout layout);

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_DEVICE_PLAN_H_
