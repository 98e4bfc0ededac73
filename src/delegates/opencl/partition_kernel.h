// SPDX-License-Identifier: Apache-2.0
// Runs a partition as a sequence of launches on the device. Tensors inside the
// partition are in device memory, which this class plans (device_plan.h) and
// shares with other partitions (shared_memory.h). Inputs and outputs stay in
// the memory of the interpreter or are in buffers with handles
// (tensor_buffers.h).
//
// The interpreter may move its memory between runs, so the device accesses this
// memory through buffers that exist only during a run. The buffers are created
// with CL_MEM_USE_HOST_PTR, so nothing is copied if the device and the host
// share memory.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_PARTITION_KERNEL_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_PARTITION_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/delegates/opencl/cl_objects.h"
#include "src/delegates/opencl/device.h"
#include "src/delegates/opencl/device_plan.h"
#include "src/delegates/opencl/launch.h"
#include "src/delegates/opencl/shared_memory.h"
#include "src/delegates/opencl/tensor_buffers.h"
#include "stowage/harness/delegate.h"

namespace stowage::harness::opencl {

struct PartitionOptions {
  DeviceLayout layout = DeviceLayout::kSmallest;
  bool has_handles = false;  // says whether inputs and outputs get handles
};

// The state that all kernels of a delegate share. Must outlive the kernels.
struct DeviceState {
  explicit DeviceState(std::unique_ptr<Device> opened)
      : device(std::move(opened)),
        inside(device.get()),
        outside(device.get()) {}

  std::unique_ptr<Device> device;
  SharedMemory inside;    // holds the tensors inside partitions
  TensorBuffers outside;  // holds the tensors with handles
};

class PartitionKernel : public DelegateKernel {
 public:
  // Creates the kernel of a partition. Requires that the OpenCL kernels of all
  // nodes of the partition have been compiled. Errors: those of LaunchOf,
  // PlanDeviceMemory and CheckCall.
  static absl::StatusOr<std::unique_ptr<DelegateKernel>> Create(
      DeviceState* state, const PartitionOptions& options,
      const DelegateGraph& graph, const DelegatePartition& partition);
  ~PartitionKernel() override;
  PartitionKernel(const PartitionKernel&) = delete;
  PartitionKernel& operator=(const PartitionKernel&) = delete;

  absl::Status Prepare(PartitionContext& context) override;
  absl::Status Invoke(PartitionContext& context) override;
  std::vector<DelegateMemory> Memory() const override;

 private:
  enum class Place { kInside, kConstant, kInput, kOutput };
  // A tensor that launches read or write.
  struct Slot {
    size_t tensor = 0;
    size_t bytes = 0;
    Place place = Place::kInside;
    cl_mem buffer = nullptr;  // the buffer of the slot during a run
    // The host memory from which `owned` was created.
    const void* data = nullptr;
    DevicePlan::Part part;  // is set for kInside
    OwnedBuffer owned;
  };
  // A launch together with its objects on the device. Its tensors are given as
  // indices of slots.
  struct Step {
    std::string name;           // the name of the kernel
    OwnedKernel kernel;         // is empty if the step copies
    std::vector<size_t> reads;  // has slots, or kAbsent for an absent input
    size_t writes = 0;
    size_t output_argument = 0;  // the kernel's argument that is `writes`
    size_t items = 0;
    size_t group = 1;  // the number of work-items in a work-group
  };

  PartitionKernel(DeviceState* state, const PartitionOptions& options)
      : state_(state), options_(options) {}

  absl::Status AddStep(const DelegateGraph& graph, const Launch& launch);
  size_t SlotOf(const DelegateGraph& graph, size_t tensor);
  absl::Status PlaceInside();
  absl::Status BindInside();
  absl::Status NewHandle(PartitionContext& context, const Slot& slot) const;
  absl::Status Bind(PartitionContext& context);
  absl::Status BindOutside(PartitionContext& context, Slot& slot);
  absl::Status Enqueue(const Step& step);
  absl::Status EnqueueKernel(const Step& step);
  absl::Status PassOn(PartitionContext& context, const Slot& slot);

  DeviceState* state_;
  PartitionOptions options_;
  std::vector<Step> steps_;
  std::vector<Slot> slots_;
  std::map<size_t, size_t> slot_of_;  // the slot of each tensor
  std::vector<size_t> outputs_;       // the slots of the partition's outputs
  DeviceLayout layout_ = DeviceLayout::kSmallest;  // the layout of the plan
  int reservation_ = -1;  // the number of the reservation in state_->inside
  uint64_t bound_ = 0;    // the generation of the memory that `slots_` use
  std::vector<OwnedBuffer> tables_;
  size_t table_bytes_ = 0;
};

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_PARTITION_KERNEL_H_
