// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/opencl/opencl_delegate.h"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "src/delegates/opencl/device.h"
#include "src/delegates/opencl/device_plan.h"
#include "src/delegates/opencl/launch.h"
#include "src/delegates/opencl/partition_kernel.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/delegate_options.h"
#include "stowage/harness/delegates.h"
#include "stowage/harness/kernel_tools.h"

namespace stowage::harness {
namespace opencl {
namespace {

class Opencl : public Delegate {
 public:
  Opencl(std::unique_ptr<Device> device, const PartitionOptions& options)
      : state_(std::move(device)), options_(options) {}

  DelegateInfo info() const override {
    DelegateInfo info;
    info.name = "opencl";
    return info;
  }

  absl::Status Prepare(const DelegateGraph& /*graph*/) override {
    kernels_.clear();
    return absl::OkStatus();
  }

  bool CanRun(const DelegateGraph& graph, int node) override {
    absl::StatusOr<Launch> launch = LaunchOf(graph, node);
    if (!launch.ok()) return false;
    if (!launch->kernel.empty()) kernels_.insert(launch->kernel);
    return true;
  }

  // Creates the kernel of a partition. The first call compiles the OpenCL
  // kernels of all partitions as one program, because every further program
  // would take just as long to compile.
  absl::StatusOr<std::unique_ptr<DelegateKernel>> CreateKernel(
      const DelegateGraph& graph, const DelegatePartition& partition) override {
    STOWAGE_RETURN_IF_ERROR(state_.device->Compile(kernels_));
    return PartitionKernel::Create(&state_, options_, graph, partition);
  }

  absl::Status CopyFromBuffer(int handle, Tensor* tensor) override {
    return state_.outside.CopyFrom(handle, tensor);
  }
  absl::Status CopyToBuffer(int handle, const Tensor& tensor) override {
    return state_.outside.CopyTo(handle, tensor);
  }
  void FreeBuffer(int handle) override { state_.outside.Free(handle); }

  std::vector<DelegateMemory> Memory() const override {
    return {{"device buffers", state_.inside.total_bytes()},
            {"buffers of tensors", state_.outside.total_bytes()}};
  }

 private:
  DeviceState state_;
  PartitionOptions options_;
  // The names of the kernels of all nodes that CanRun has accepted.
  std::set<std::string> kernels_;
};

absl::Status Check() { return FindDevices().status(); }

absl::StatusOr<std::unique_ptr<Delegate>> Create(absl::string_view text) {
  STOWAGE_ASSIGN_OR_RETURN(
      const DelegateOptions options,
      DelegateOptions::Parse(text, {"device", "memory", "handles"}));
  STOWAGE_ASSIGN_OR_RETURN(const int64_t number,
                           options.Number("device", 0, 0, 1000));
  STOWAGE_ASSIGN_OR_RETURN(
      const size_t layout,
      options.Choice("memory", {"smallest", "offsets", "objects", "buffers"}));
  STOWAGE_ASSIGN_OR_RETURN(const size_t handles,
                           options.Choice("handles", {"false", "true"}));
  constexpr DeviceLayout kLayouts[] = {
      DeviceLayout::kSmallest, DeviceLayout::kOffsets, DeviceLayout::kObjects,
      DeviceLayout::kBuffers};
  STOWAGE_ASSIGN_OR_RETURN(std::unique_ptr<Device> device,
                           Device::Open(static_cast<size_t>(number)));
  PartitionOptions partition_options;
  partition_options.layout = kLayouts[layout];
  partition_options.has_handles = handles == 1;
  return std::make_unique<Opencl>(std::move(device), partition_options);
}

}  // namespace
}  // namespace opencl

DelegateRegistration OpenclDelegate() {
  DelegateRegistration registration;
  registration.name = "opencl";
  registration.summary =
      "image classifiers in float32, int8 and uint8 on an OpenCL device";
  registration.options =
      "device=N, memory=smallest|offsets|objects|buffers, handles=true|false";
  registration.check = &opencl::Check;
  registration.create = &opencl::Create;
  return registration;
}

}  // namespace stowage::harness
