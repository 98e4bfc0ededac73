// SPDX-License-Identifier: Apache-2.0
#include "src/command/preload_library.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "absl/strings/string_view.h"

namespace stowage::cli {

std::string PreloadLibrary(absl::string_view name) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder =
      fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path built = folder / "preload" / std::string(name);
  if (fs::exists(built, error)) return built.string();
  return (folder / STOWAGE_PRELOAD_FOLDER / std::string(name))
      .lexically_normal()
      .string();
}

}  // namespace stowage::cli
