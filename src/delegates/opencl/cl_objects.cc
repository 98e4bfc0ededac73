// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/opencl/cl_objects.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage::harness::opencl {
namespace {

struct ErrorName {
  cl_int code;
  const char* name;
};

#define STOWAGE_NAMED(code) \
  { code, #code }
constexpr ErrorName kNames[] = {
    STOWAGE_NAMED(CL_DEVICE_NOT_FOUND),
    STOWAGE_NAMED(CL_DEVICE_NOT_AVAILABLE),
    STOWAGE_NAMED(CL_COMPILER_NOT_AVAILABLE),
    STOWAGE_NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    STOWAGE_NAMED(CL_OUT_OF_RESOURCES),
    STOWAGE_NAMED(CL_OUT_OF_HOST_MEMORY),
    STOWAGE_NAMED(CL_MEM_COPY_OVERLAP),
    STOWAGE_NAMED(CL_BUILD_PROGRAM_FAILURE),
    STOWAGE_NAMED(CL_MAP_FAILURE),
    STOWAGE_NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    STOWAGE_NAMED(CL_INVALID_VALUE),
    STOWAGE_NAMED(CL_INVALID_DEVICE),
    STOWAGE_NAMED(CL_INVALID_CONTEXT),
    STOWAGE_NAMED(CL_INVALID_COMMAND_QUEUE),
    STOWAGE_NAMED(CL_INVALID_HOST_PTR),
    STOWAGE_NAMED(CL_INVALID_MEM_OBJECT),
    STOWAGE_NAMED(CL_INVALID_BUILD_OPTIONS),
    STOWAGE_NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
    STOWAGE_NAMED(CL_INVALID_KERNEL_NAME),
    STOWAGE_NAMED(CL_INVALID_KERNEL_ARGS),
    STOWAGE_NAMED(CL_INVALID_ARG_INDEX),
    STOWAGE_NAMED(CL_INVALID_ARG_VALUE),
    STOWAGE_NAMED(CL_INVALID_ARG_SIZE),
    STOWAGE_NAMED(CL_INVALID_WORK_GROUP_SIZE),
    STOWAGE_NAMED(CL_INVALID_BUFFER_SIZE),
};
#undef STOWAGE_NAMED

absl::StatusCode StatusCodeOf(cl_int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
      return absl::StatusCode::kResourceExhausted;
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_COMPILER_NOT_AVAILABLE:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status CheckCall(absl::string_view call, cl_int code) {
  if (code == CL_SUCCESS) return absl::OkStatus();
  std::string name;
  for (const ErrorName& known : kNames) {
    if (known.code == code) name = absl::StrCat(" (", known.name, ")");
  }
  return absl::Status(
      StatusCodeOf(code),
      absl::StrCat(call, ": it returned ", code, name, "; expected 0"));
}

}  // namespace stowage::harness::opencl
