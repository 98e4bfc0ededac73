// SPDX-License-Identifier: Apache-2.0
#include "tests/support/temp_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage {

TempFolderTest::TempFolderTest()
    : folder_(absl::StrCat(testing::TempDir(), "/stowage-test-XXXXXX")) {
  if (mkdtemp(folder_.data()) == nullptr) {
    std::perror(folder_.c_str());
    std::abort();
  }
}

TempFolderTest::~TempFolderTest() { std::filesystem::remove_all(folder_); }

std::string TempFolderTest::Path(absl::string_view name) const {
  return absl::StrCat(folder_, "/", name);
}

std::string TempFolderTest::Write(absl::string_view name,
                                  absl::string_view content) const {
  std::ofstream(Path(name)) << content;
  return Path(name);
}

std::string TempFolderTest::Read(absl::string_view name) const {
  std::ifstream file(Path(name));
  EXPECT_TRUE(file) << name;
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

std::vector<std::string> TempFolderTest::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

StreamReplaced::StreamReplaced(int stream, int file)
    : stream_(stream), before_(dup(stream)) {
  std::fflush(nullptr);
  dup2(file, stream);
}

StreamReplaced::~StreamReplaced() {
  std::fflush(nullptr);
  dup2(before_, stream_);
  close(before_);
}

}  // namespace stowage
