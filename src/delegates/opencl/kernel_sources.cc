// SPDX-License-Identifier: Apache-2.0
#include "src/delegates/opencl/kernel_sources.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace stowage::harness::opencl {
namespace {

struct KernelType {
  absl::string_view suffix;
  absl::string_view type;  // the name of the type in OpenCL C
};
constexpr KernelType kTypes[] = {
    {"_float", "float"}, {"_int8", "char"}, {"_uint8", "uchar"}};

absl::string_view FileText(absl::string_view name) {
  for (const KernelFile& file : KernelFiles()) {
    if (file.name == name) return file.text;
  }
  return "";
}

absl::Status AppendKernel(absl::string_view kernel, std::string* source) {
  for (const KernelType& type : kTypes) {
    absl::string_view file = kernel;
    if (!absl::ConsumeSuffix(&file, type.suffix)) continue;
    const absl::string_view text = FileText(file);
    if (text.empty()) continue;
    absl::StrAppend(source, "#define T ", type.type, "\n#define IS_FLOAT ",
                    type.type == "float" ? 1 : 0, "\n#define NAME(f) f##",
                    type.suffix, "\n", text,
                    "#undef T\n#undef IS_FLOAT\n#undef NAME\n");
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat(kernel,
                   ": there is no such kernel; expected a file of "
                   "src/delegates/opencl/kernels and a type"));
}

}  // namespace

absl::StatusOr<std::string> SourceOfKernels(
    const std::set<std::string>& kernels) {
  std::string source = absl::StrCat(FileText("parameters"), FileText("common"));
  for (const std::string& kernel : kernels) {
    const absl::Status status = AppendKernel(kernel, &source);
    if (!status.ok()) return status;
  }
  return source;
}

}  // namespace stowage::harness::opencl
