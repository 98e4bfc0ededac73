// SPDX-License-Identifier: Apache-2.0
// Checks the folder in which PoCL, an OpenCL driver for CPUs, stores compiled
// kernels. If PoCL cannot write to that folder, it finds no device or compiles
// nothing, and does not report why. Other drivers have no such folder.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_POCL_CACHE_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_POCL_CACHE_H_

#include <string>

#include "src/delegates/opencl/cl_objects.h"

namespace stowage::harness::opencl {

// Returns the reason why PoCL cannot write to its folder, such as "PoCL cannot
// write its kernel cache '/x': Permission denied". Returns an empty string if
// writing a trial file succeeds, or if the platform is not PoCL.
std::string PoclCacheProblem(cl_platform_id platform);

// The text after "expected" in a message about a folder that is not writable.
inline constexpr char kWritableCache[] =
    "a folder that can be written: POCL_CACHE_DIR names it";

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_POCL_CACHE_H_
