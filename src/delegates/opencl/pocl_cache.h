// SPDX-License-Identifier: Apache-2.0
// The folder in which PoCL, a driver for CPUs, keeps compiled kernels. Where it
// cannot write there it has no device, or compiles nothing, and does not say
// why; other drivers have no such folder.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_POCL_CACHE_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_POCL_CACHE_H_

#include <string>

#include "src/delegates/opencl/cl_objects.h"

namespace stowage::harness::opencl {

// Why PoCL cannot write in its folder: "PoCL cannot write its kernel cache
// '/x': Permission denied". Empty if it can, after a trial, or if the platform
// is not PoCL.
std::string PoclCacheProblem(cl_platform_id platform);

// What to expect where there is such a problem.
inline constexpr char kWritableCache[] =
    "a folder that can be written: POCL_CACHE_DIR names it";

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_POCL_CACHE_H_
