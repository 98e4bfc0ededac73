// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/opencl/device.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "src/delegates/opencl/cl_objects.h"
#include "src/delegates/opencl/kernel_sources.h"
#include "src/delegates/opencl/pocl_cache.h"
#include "stowage/harness/kernel_tools.h"

namespace stowage::harness::opencl {
namespace {

// The code that clGetPlatformIDs of the loader returns if no driver is
// installed. Its name in cl_ext.h is CL_PLATFORM_NOT_FOUND_KHR.
constexpr cl_int kNoPlatform = -1001;

constexpr size_t kGroupSize = 64;

absl::StatusOr<std::vector<cl_platform_id>> FindPlatforms() {
  cl_uint count = 0;
  const cl_int code = clGetPlatformIDs(0, nullptr, &count);
  if (code == kNoPlatform || (code == CL_SUCCESS && count == 0)) {
    return absl::UnavailableError(
        "OpenCL: there is no platform; expected an installed driver, as in "
        "the package pocl-opencl-icd");
  }
  STOWAGE_RETURN_IF_ERROR(CheckCall("clGetPlatformIDs", code));
  std::vector<cl_platform_id> platforms(count);
  STOWAGE_RETURN_IF_ERROR(CheckCall(
      "clGetPlatformIDs", clGetPlatformIDs(count, platforms.data(), nullptr)));
  return platforms;
}

template <typename T>
absl::StatusOr<T> DeviceInfo(cl_device_id device, cl_device_info what) {
  T value = {};
  // If T is a pointer, for example a platform, this is intentionally the size
  // of the pointer.
  constexpr size_t kBytes = sizeof(T);  // NOLINT(bugprone-sizeof-expression)
  STOWAGE_RETURN_IF_ERROR(
      CheckCall("clGetDeviceInfo",
                clGetDeviceInfo(device, what, kBytes, &value, nullptr)));
  return value;
}

// Returns the first line of the compiler's log that reports an error, or the
// first line of the log if no line does.
std::string FirstErrorLine(cl_program program, cl_device_id device) {
  size_t bytes = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr,
                        &bytes);
  std::string log(bytes, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes,
                        log.data(), nullptr);
  std::string first;
  for (const absl::string_view line :
       absl::StrSplit(log.c_str(), '\n', absl::SkipWhitespace())) {
    if (absl::StrContains(line, "error")) return std::string(line);
    if (first.empty()) first = std::string(line);
  }
  return first.empty() ? "no log" : first;
}

absl::StatusOr<std::vector<cl_device_id>> NoDevice(
    const std::vector<cl_platform_id>& platforms) {
  std::string message =
      absl::StrCat("OpenCL: ", platforms.size(),
                   platforms.size() == 1 ? " platform has" : " platforms have",
                   " no device");
  std::string expected = "one";
  for (cl_platform_id platform : platforms) {
    const std::string problem = PoclCacheProblem(platform);
    if (problem.empty()) continue;
    absl::StrAppend(&message, ", and ", problem);
    expected = kWritableCache;
  }
  return absl::UnavailableError(absl::StrCat(message, "; expected ", expected));
}

// Returns the error of a failed compilation. `log` is the log of the compiler.
absl::Status NotCompiled(cl_device_id device, absl::string_view log) {
  STOWAGE_ASSIGN_OR_RETURN(
      const auto platform,
      DeviceInfo<cl_platform_id>(device, CL_DEVICE_PLATFORM));
  const std::string problem = PoclCacheProblem(platform);
  if (!problem.empty()) {
    return absl::UnavailableError(
        absl::StrCat("OpenCL kernels: cannot be compiled: ", problem,
                     "; expected ", kWritableCache));
  }
  return absl::InternalError(
      absl::StrCat("OpenCL kernels: do not compile: ", log,
                   "; expected a compiler for OpenCL C 1.2"));
}

}  // namespace

absl::StatusOr<std::vector<cl_device_id>> FindDevices() {
  STOWAGE_ASSIGN_OR_RETURN(const auto platforms, FindPlatforms());
  std::vector<cl_device_id> result;
  for (cl_platform_id platform : platforms) {
    cl_uint count = 0;
    const cl_int code =
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    // A platform that returns an error is treated as a platform without
    // devices, since other platforms may have devices.
    if (code != CL_SUCCESS || count == 0) continue;
    std::vector<cl_device_id> devices(count);
    STOWAGE_RETURN_IF_ERROR(CheckCall(
        "clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count,
                                         devices.data(), nullptr)));
    result.insert(result.end(), devices.begin(), devices.end());
  }
  return result.empty() ? NoDevice(platforms) : result;
}

absl::StatusOr<std::unique_ptr<Device>> Device::Open(size_t number) {
  STOWAGE_ASSIGN_OR_RETURN(const auto devices, FindDevices());
  if (number >= devices.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("device ", number, ": does not exist; expected 0 to ",
                     devices.size() - 1));
  }
  auto device = absl::WrapUnique(new Device);
  device->id_ = devices[number];
  STOWAGE_RETURN_IF_ERROR(device->ReadLimits());
  cl_int code = CL_SUCCESS;
  device->context_ = OwnedContext(
      clCreateContext(nullptr, 1, &device->id_, nullptr, nullptr, &code));
  STOWAGE_RETURN_IF_ERROR(CheckCall("clCreateContext", code));
  device->queue_ = OwnedQueue(
      clCreateCommandQueue(device->context_.get(), device->id_, 0, &code));
  STOWAGE_RETURN_IF_ERROR(CheckCall("clCreateCommandQueue", code));
  return device;
}

absl::Status Device::ReadLimits() {
  STOWAGE_ASSIGN_OR_RETURN(
      const auto has_compiler,
      DeviceInfo<cl_bool>(id_, CL_DEVICE_COMPILER_AVAILABLE));
  if (has_compiler == CL_FALSE) {
    return absl::UnavailableError(
        "OpenCL: the device has no compiler; expected one for OpenCL C 1.2");
  }
  STOWAGE_ASSIGN_OR_RETURN(
      const auto alignment_bits,
      DeviceInfo<cl_uint>(id_, CL_DEVICE_MEM_BASE_ADDR_ALIGN));
  limits_.alignment = std::max<size_t>(alignment_bits / 8, 1);
  STOWAGE_ASSIGN_OR_RETURN(
      const auto largest,
      DeviceInfo<cl_ulong>(id_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  limits_.largest_allocation = largest;
  STOWAGE_ASSIGN_OR_RETURN(
      const auto floats,
      DeviceInfo<cl_device_fp_config>(id_, CL_DEVICE_SINGLE_FP_CONFIG));
  build_options_ = "-cl-std=CL1.2";
  if ((floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0) {
    build_options_ += " -cl-fp32-correctly-rounded-divide-sqrt";
  }
  return absl::OkStatus();
}

absl::Status Device::Compile(const std::set<std::string>& kernels) {
  std::set<std::string> missing = kernels;
  for (const Program& done : programs_) {
    for (const std::string& name : done.kernels) missing.erase(name);
  }
  if (missing.empty()) return absl::OkStatus();
  STOWAGE_ASSIGN_OR_RETURN(const std::string source, SourceOfKernels(missing));
  return CompileSource(source, std::move(missing));
}

absl::Status Device::CompileSource(const std::string& source,
                                   std::set<std::string> kernels) {
  Program program;
  program.kernels = std::move(kernels);
  const char* text = source.c_str();
  cl_int code = CL_SUCCESS;
  program.program = OwnedProgram(
      clCreateProgramWithSource(context_.get(), 1, &text, nullptr, &code));
  STOWAGE_RETURN_IF_ERROR(CheckCall("clCreateProgramWithSource", code));
  code = clBuildProgram(program.program.get(), 1, &id_, build_options_.c_str(),
                        nullptr, nullptr);
  if (code == CL_BUILD_PROGRAM_FAILURE) {
    return NotCompiled(id_, FirstErrorLine(program.program.get(), id_));
  }
  STOWAGE_RETURN_IF_ERROR(CheckCall("clBuildProgram", code));
  programs_.push_back(std::move(program));
  return absl::OkStatus();
}

absl::StatusOr<OwnedKernel> Device::NewKernel(const std::string& name) const {
  for (const Program& program : programs_) {
    if (program.kernels.count(name) == 0) continue;
    cl_int code = CL_SUCCESS;
    OwnedKernel kernel(
        clCreateKernel(program.program.get(), name.c_str(), &code));
    STOWAGE_RETURN_IF_ERROR(
        CheckCall(absl::StrCat("clCreateKernel of ", name), code));
    return kernel;
  }
  return absl::InternalError(absl::StrCat(
      name, ": the kernel is not compiled; expected a call of Compile"));
}

absl::StatusOr<size_t> Device::GroupSize(cl_kernel kernel) const {
  size_t max = 1;
  STOWAGE_RETURN_IF_ERROR(
      CheckCall("clGetKernelWorkGroupInfo",
                clGetKernelWorkGroupInfo(kernel, id_, CL_KERNEL_WORK_GROUP_SIZE,
                                         sizeof(max), &max, nullptr)));
  return std::min(kGroupSize, max);
}

absl::StatusOr<OwnedBuffer> Device::NewBuffer(cl_mem_flags flags, size_t bytes,
                                              void* host) const {
  cl_int code = CL_SUCCESS;
  OwnedBuffer buffer(clCreateBuffer(context_.get(), flags, bytes, host, &code));
  STOWAGE_RETURN_IF_ERROR(
      CheckCall(absl::StrCat("clCreateBuffer of ", bytes, " bytes"), code));
  return buffer;
}

}  // namespace stowage::harness::opencl

#if defined(__SANITIZE_ADDRESS__)
#define STOWAGE_HAS_LEAK_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STOWAGE_HAS_LEAK_SANITIZER
#endif
#endif
#if defined(STOWAGE_HAS_LEAK_SANITIZER)
// The leak sanitizer calls this function to determine which leaks to ignore:
// PoCL keeps its devices and compilers until the program exits.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __lsan_default_suppressions();
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libpocl\nleak:libLLVM\n";
}
#endif
