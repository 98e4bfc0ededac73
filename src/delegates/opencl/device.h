// SPDX-License-Identifier: Apache-2.0
// An OpenCL device with its queue and the kernels that have been compiled for
// it. A Launch (launch.h) describes what the device runs.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_DEVICE_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_DEVICE_H_

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/delegates/opencl/cl_objects.h"
#include "src/delegates/opencl/device_plan.h"

namespace stowage::harness::opencl {

// Returns the devices of all platforms, in the order of the platforms. Error:
// Unavailable, with the reason, if there is no device.
absl::StatusOr<std::vector<cl_device_id>> FindDevices();

class Device {
 public:
  // Opens the device with this number. Errors: that of FindDevices;
  // InvalidArgument if no device has this number; Unavailable if the device has
  // no compiler; those of CheckCall.
  static absl::StatusOr<std::unique_ptr<Device>> Open(size_t number);

  // Compiles the kernels of `kernels` (kernel_sources.h) that have not been
  // compiled yet, as one program. Errors: Internal with the first line of the
  // compiler's log; Unavailable if the driver cannot store the compiled kernels
  // (pocl_cache.h); those of SourceOfKernels.
  absl::Status Compile(const std::set<std::string>& kernels);
  // Compiles `source`, which is the text of a program. Requires that it
  // contains `kernels`. Errors: those of Compile, except those of
  // SourceOfKernels.
  absl::Status CompileSource(const std::string& source,
                             std::set<std::string> kernels);

  // Returns a new kernel object for one of the compiled kernels. Every kernel
  // object has its own arguments.
  absl::StatusOr<OwnedKernel> NewKernel(const std::string& name) const;

  // Creates a buffer of `bytes` bytes. Requires bytes > 0. `flags` and `host`
  // are the arguments of clCreateBuffer.
  absl::StatusOr<OwnedBuffer> NewBuffer(cl_mem_flags flags, size_t bytes,
                                        void* host = nullptr) const;

  // Returns the queue, which executes all commands in order.
  cl_command_queue queue() const { return queue_.get(); }
  const DeviceLimits& limits() const { return limits_; }
  // Returns the number of work-items in a work-group of the kernel: a fixed
  // number, or less if the kernel does not support that many. The number is
  // fixed because some devices recompile a kernel for each number.
  absl::StatusOr<size_t> GroupSize(cl_kernel kernel) const;

 private:
  struct Program {
    std::set<std::string> kernels;
    OwnedProgram program;
  };

  Device() = default;
  absl::Status ReadLimits();

  cl_device_id id_ = nullptr;
  DeviceLimits limits_;
  std::string build_options_;
  OwnedContext context_;
  OwnedQueue queue_;
  std::vector<Program> programs_;
};

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_DEVICE_H_
