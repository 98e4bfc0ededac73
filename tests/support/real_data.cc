// SPDX-License-Identifier: Apache-2.0
#include "tests/support/real_data.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "absl/strings/match.h"

namespace stowage::support {

absl::optional<std::string> RealDataFolder(const char* variable) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no test sets variables
  const char* const folder = std::getenv(variable);
  if (folder == nullptr || *folder == '\0') return absl::nullopt;
  if (!std::filesystem::is_directory(folder)) {
    std::cerr << variable << "=" << folder << ": no such folder\n";
    std::abort();
  }
  return std::string(folder);
}

std::vector<std::string> FilesIn(const std::string& folder,
                                 const std::string& ending) {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.is_regular_file() && absl::EndsWith(path, ending)) {
      paths.push_back(path);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace stowage::support
