// SPDX-License-Identifier: Apache-2.0
// Counts calls of OpenCL: an executable that links this has its own functions
// in the place of some of the library's, which call those.
#ifndef STOWAGE_TESTS_DELEGATES_OPENCL_OPENCL_CALLS_H_
#define STOWAGE_TESTS_DELEGATES_OPENCL_OPENCL_CALLS_H_

#include <cstddef>
#include <vector>

namespace stowage::harness::opencl {

struct OpenclCalls {
  size_t created_bytes = 0;  // buffers with memory of the device
  size_t created_buffers = 0;
  size_t host_buffers = 0;  // those that see memory of the host
  std::vector<size_t> sub_buffer_offsets;
  size_t released = 0;  // buffers of all three kinds
  size_t compiled = 0;  // programs
  size_t reads = 0;     // copies from a buffer, and to one
  size_t writes = 0;
  // Call so many of clCreateBuffer, or of clEnqueueNDRangeKernel, fails,
  // counted from 1; 0: none does.
  size_t failing_buffer = 0;
  size_t failing_launch = 0;
  size_t launches = 0;

  size_t created() const {
    return created_buffers + host_buffers + sub_buffer_offsets.size();
  }
};

// Since the program began, or the last time that it was set to {}.
OpenclCalls& Calls();

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_TESTS_DELEGATES_OPENCL_OPENCL_CALLS_H_
