// SPDX-License-Identifier: Apache-2.0
// Counts calls of OpenCL. An executable that links this file replaces some
// functions of the OpenCL library by definitions that count the calls and then
// call the functions of the library.
#ifndef STOWAGE_TESTS_DELEGATES_OPENCL_OPENCL_CALLS_H_
#define STOWAGE_TESTS_DELEGATES_OPENCL_OPENCL_CALLS_H_

#include <cstddef>
#include <vector>

namespace stowage::harness::opencl {

struct OpenclCalls {
  size_t created_bytes = 0;  // buffers with memory of the device
  size_t created_buffers = 0;
  size_t host_buffers = 0;  // buffers that are views of memory of the host
  std::vector<size_t> sub_buffer_offsets;
  size_t released = 0;  // buffers of all three kinds
  size_t compiled = 0;  // programs
  size_t reads = 0;     // copies from a buffer
  size_t writes = 0;    // copies to a buffer
  // If failing_buffer is n > 0, the n-th call of clCreateBuffer fails.
  // failing_launch does the same for clEnqueueNDRangeKernel.
  size_t failing_buffer = 0;
  size_t failing_launch = 0;
  size_t launches = 0;

  size_t created() const {
    return created_buffers + host_buffers + sub_buffer_offsets.size();
  }
};

// Returns the counts since the start of the program, or since a test last
// assigned {} to the result.
OpenclCalls& Calls();

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_TESTS_DELEGATES_OPENCL_OPENCL_CALLS_H_
