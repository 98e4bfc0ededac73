// SPDX-License-Identifier: Apache-2.0
// The source text of the kernels: the files in kernels/, each for the required
// types.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_KERNEL_SOURCES_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_KERNEL_SOURCES_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage::harness::opencl {

// A file of kernels/, by its name without the extension. CMake generates the
// list.
struct KernelFile {
  absl::string_view name;
  absl::string_view text;
};
absl::Span<const KernelFile> KernelFiles();

// Returns a program of these kernels: "conv_2d_int8" is the kernel of
// conv_2d.cl for INT8. Error: Internal for a file or type that does not exist.
absl::StatusOr<std::string> SourceOfKernels(
    const std::set<std::string>& kernels);

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_KERNEL_SOURCES_H_
