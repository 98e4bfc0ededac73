// SPDX-License-Identifier: Apache-2.0
#include "tests/delegates/opencl/opencl_calls.h"

#include <dlfcn.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

namespace stowage::harness::opencl {

OpenclCalls& Calls() {
  static auto* const calls = new OpenclCalls;
  return *calls;
}

namespace {

// Returns the function `name` of the OpenCL library. The first argument
// determines the type of the function.
template <typename Function>
Function* Real(Function* /*ours*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace
}  // namespace stowage::harness::opencl

using stowage::harness::opencl::Calls;
using stowage::harness::opencl::Real;

extern "C" {

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                      void* host_ptr, cl_int* errcode_ret) {
  if (Calls().created_buffers + Calls().host_buffers + 1 ==
      Calls().failing_buffer) {
    *errcode_ret = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    Calls().failing_buffer = 0;
    return nullptr;
  }
  if ((flags & CL_MEM_USE_HOST_PTR) != 0) {
    ++Calls().host_buffers;
  } else {
    ++Calls().created_buffers;
    Calls().created_bytes += size;
  }
  static auto* const real = Real(&clCreateBuffer, "clCreateBuffer");
  return real(context, flags, size, host_ptr, errcode_ret);
}

cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                         cl_buffer_create_type buffer_create_type,
                         const void* buffer_create_info, cl_int* errcode_ret) {
  const auto* region = static_cast<const cl_buffer_region*>(buffer_create_info);
  Calls().sub_buffer_offsets.push_back(region->origin);
  static auto* const real = Real(&clCreateSubBuffer, "clCreateSubBuffer");
  return real(buffer, flags, buffer_create_type, buffer_create_info,
              errcode_ret);
}

cl_int clReleaseMemObject(cl_mem memobj) {
  ++Calls().released;
  static auto* const real = Real(&clReleaseMemObject, "clReleaseMemObject");
  return real(memobj);
}

cl_int clBuildProgram(cl_program program, cl_uint num_devices,
                      const cl_device_id* device_list, const char* options,
                      void (*pfn_notify)(cl_program program, void* user_data),
                      void* user_data) {
  ++Calls().compiled;
  static auto* const real = Real(&clBuildProgram, "clBuildProgram");
  return real(program, num_devices, device_list, options, pfn_notify,
              user_data);
}

cl_int clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer,
                           cl_bool blocking_read, size_t offset, size_t size,
                           void* ptr, cl_uint num_events_in_wait_list,
                           const cl_event* event_wait_list, cl_event* event) {
  ++Calls().reads;
  static auto* const real = Real(&clEnqueueReadBuffer, "clEnqueueReadBuffer");
  return real(command_queue, buffer, blocking_read, offset, size, ptr,
              num_events_in_wait_list, event_wait_list, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer,
                            cl_bool blocking_write, size_t offset, size_t size,
                            const void* ptr, cl_uint num_events_in_wait_list,
                            const cl_event* event_wait_list, cl_event* event) {
  ++Calls().writes;
  static auto* const real = Real(&clEnqueueWriteBuffer, "clEnqueueWriteBuffer");
  return real(command_queue, buffer, blocking_write, offset, size, ptr,
              num_events_in_wait_list, event_wait_list, event);
}

cl_int clEnqueueNDRangeKernel(
    cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
    const size_t* global_work_offset, const size_t* global_work_size,
    const size_t* local_work_size, cl_uint num_events_in_wait_list,
    const cl_event* event_wait_list, cl_event* event) {
  if (++Calls().launches == Calls().failing_launch) return CL_OUT_OF_RESOURCES;
  static auto* const real =
      Real(&clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel");
  return real(command_queue, kernel, work_dim, global_work_offset,
              global_work_size, local_work_size, num_events_in_wait_list,
              event_wait_list, event);
}

}  // extern "C"
