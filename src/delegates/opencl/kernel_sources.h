// SPDX-License-Identifier: Apache-2.0
// Provides the source text of the kernels. Each file in kernels/ is
// instantiated once for each element type that a program needs.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_KERNEL_SOURCES_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_KERNEL_SOURCES_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage::harness::opencl {

// One file in kernels/: its name without the extension, and its text. CMake
// generates the list of files.
struct KernelFile {
  absl::string_view name;
  absl::string_view text;
};
absl::Span<const KernelFile> KernelFiles();

// Returns the source of a program that contains `kernels`. The name of a kernel
// is the name of its file followed by a type: "conv_2d_int8" is the kernel in
// conv_2d.cl for INT8. Error: Internal if the file or the type does not exist.
absl::StatusOr<std::string> SourceOfKernels(
    const std::set<std::string>& kernels);

}  // namespace stowage::harness::opencl

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_KERNEL_SOURCES_H_
