// SPDX-License-Identifier: Apache-2.0
#include "tests/house/project_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/support/command_output.h"

namespace stowage::house {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kTopLevel[] = {"CMakeLists.txt",
                                           "CMakePresets.json",
                                           "include",
                                           "src",
                                           "strategies",
                                           "tests",
                                           "fuzz",
                                           "bench",
                                           "data",
                                           "docs",
                                           "README.md",
                                           "CHANGELOG.md",
                                           "CONTRIBUTING.md",
                                           "LICENSE",
                                           "dev"};

constexpr int kMaximumLines = 500;

}  // namespace

std::vector<std::string> WalkFiles(const std::string& root) {
  std::vector<std::string> files;
  for (auto entry = fs::recursive_directory_iterator(root);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().string();
    const bool is_hidden_or_built =
        absl::StartsWith(name, ".") || name == "build";
    if (entry->is_directory() && is_hidden_or_built) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file()) {
      files.push_back(fs::relative(entry->path(), root).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> ProjectFiles(const std::string& root) {
  // If the folder has no repository of its own, git could use the repository of
  // an enclosing project, which does not track the files of this folder.
  if (!fs::exists(fs::path(root) / ".git")) return WalkFiles(root);
  const auto [tracked, exit_code] = support::RunInShell(absl::StrCat(
      "git -c safe.directory='*' -C '", root, "' ls-files -z 2>/dev/null"));
  if (exit_code != 0 || tracked.empty()) return WalkFiles(root);
  std::vector<std::string> files;
  for (const absl::string_view path :
       absl::StrSplit(tracked, '\0', absl::SkipEmpty())) {
    // git lists a removed file until the removal is committed.
    if (fs::exists(fs::path(root) / std::string(path))) {
      files.emplace_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadFileOrDie(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::cerr << "cannot read " << path << "\n";
    std::abort();
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

bool IsSource(absl::string_view path) {
  return absl::EndsWith(path, ".h") || absl::EndsWith(path, ".cc") ||
         absl::EndsWith(path, ".c") || absl::EndsWith(path, ".hpp") ||
         absl::EndsWith(path, ".cpp");
}

std::string PlaceOffence(absl::string_view path) {
  const absl::string_view top = path.substr(0, path.find('/'));
  if (absl::StartsWith(top, ".") || absl::c_linear_search(kTopLevel, top)) {
    return "";
  }
  return absl::StrCat(path, ": the top level of the tree has no ", top);
}

std::string LengthOffence(absl::string_view path, absl::string_view content) {
  if (!IsSource(path)) return "";
  const auto lines = std::count(content.begin(), content.end(), '\n');
  if (lines <= kMaximumLines) return "";
  return absl::StrCat(path, ": ", lines, " lines, more than ", kMaximumLines);
}

std::string LicenceOffence(absl::string_view path, absl::string_view content) {
  bool has_licence = absl::StartsWith(content, "#!");
  for (const absl::string_view ending :
       {".h", ".cc", ".c", ".hpp", ".cpp", ".h.in", ".cc.in", ".cmake",
        ".cmake.in", "CMakeLists.txt", ".py"}) {
    has_licence = has_licence || absl::EndsWith(path, ending);
  }
  if (!has_licence) return "";
  const size_t end = content.find('\n', content.find('\n') + 1);
  if (absl::StrContains(content.substr(0, end),
                        "SPDX-License-Identifier: Apache-2.0")) {
    return "";
  }
  return absl::StrCat(path,
                      ": no licence in its first two lines; expected "
                      "SPDX-License-Identifier: Apache-2.0");
}

std::string ForeignPathOffence(absl::string_view path,
                               absl::string_view content) {
  if (path == ".ci/run") return "";
  // The strings are split so that this file does not contain the names either.
  for (const absl::string_view folder : {"../"
                                         "shared",
                                         "/wo"
                                         "rk/"}) {
    if (absl::StrContains(content, folder)) {
      return absl::StrCat(path, ": names ", folder,
                          ", a folder that other machines do not have");
    }
  }
  return "";
}

}  // namespace stowage::house
