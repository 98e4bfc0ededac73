// SPDX-License-Identifier: Apache-2.0
// Wraps OpenCL 1.2: converts its error codes to statuses, and owns its objects.
// Every file of this delegate includes this header instead of <CL/cl.h>.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_CL_OBJECTS_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_CL_OBJECTS_H_

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stowage::harness::opencl {

// Returns OK for CL_SUCCESS. For any other code, returns an error with the name
// of the call and the code: ResourceExhausted if there is not enough memory,
// Unavailable if the device is no longer available, and Internal otherwise.
absl::Status CheckCall(absl::string_view call, cl_int code);

// Owns one reference to an OpenCL object, and releases it by calling Release.
template <typename T, cl_int (*Release)(T)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T object) : object_(object) {}
  Owned(Owned&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() {
    if (object_ != nullptr) Release(object_);
  }

  // Returns the object, or null if there is none.
  T get() const { return object_; }

 private:
  T object_ = nullptr;
};

inline cl_int ReleaseContext(cl_context x) { return clReleaseContext(x); }
inline cl_int ReleaseQueue(cl_command_queue x) {
  return clReleaseCommandQueue(x);
}
inline cl_int ReleaseProgram(cl_program x) { return clReleaseProgram(x); }
inline cl_int ReleaseKernel(cl_kernel x) { return clReleaseKernel(x); }
inline cl_int ReleaseBuffer(cl_mem x) { return clReleaseMemObject(x); }

using OwnedContext = Owned<cl_context, ReleaseContext>;
using OwnedQueue = Owned<cl_command_queue, ReleaseQueue>;
using OwnedProgram = Owned<cl_program, ReleaseProgram>;
using OwnedKernel = Owned<cl_kernel, ReleaseKernel>;
using OwnedBuffer = Owned<cl_mem, ReleaseBuffer>;

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_CL_OBJECTS_H_
