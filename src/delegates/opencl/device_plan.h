// SPDX-License-Identifier: Apache-2.0
// Plans the device memory of the tensors inside a partition: the buffers to
// create, and the part of a buffer that each tensor occupies. The plan depends
// only on the limits of the device; no function here calls the device. There
// are three layouts:
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

// kSmallest selects one of the other layouts: kOffsets if offsets need at most
// as many bytes as shared objects and fit in the largest allocation, otherwise
// kObjects if the objects fit in the largest allocation, and otherwise
// kBuffers.
enum class DeviceLayout { kSmallest, kOffsets, kObjects, kBuffers };

struct DeviceLimits {
  // A power of two that must divide the offset of every sub-buffer.
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
  // The selected layout, which is never kSmallest.
  DeviceLayout layout = DeviceLayout::kSmallest;
  // The sizes of the buffers, largest first.
  std::vector<size_t> buffers;
  std::vector<Part> tensors;  // is indexed by record

  size_t total_size() const;
};

// Plans memory for the records. Requires that their sizes are above 0. Errors:
// those of AssignObjectsToTensors and AssignOffsetsToTensors; ResourceExhausted
// if a buffer is larger than the largest allocation.
absl::StatusOr<DevicePlan> PlanDeviceMemory(
    const std::vector<TensorUsageRecord<size_t>>& records,
    const DeviceLimits& limits, DeviceLayout layout);

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_DEVICE_PLAN_H_
