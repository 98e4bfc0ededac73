// SPDX-License-Identifier: Apache-2.0
// Tests that all C and C++ code in docs/micro.md is part of a source that is
// built.

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/real_data.h"

namespace stowage {
namespace {

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Expects that each code block in `language` on the page is part of a source
// whose name ends in `ending`. Returns the number of code blocks.
size_t ExpectShownAsBuilt(absl::string_view language,
                          const std::string& ending) {
  const std::string docs = absl::StrCat(STOWAGE_SOURCE_DIR, "/docs/");
  std::string sources;
  for (const std::string& path :
       support::FilesIn(absl::StrCat(docs, "micro_example"), ending)) {
    absl::StrAppend(&sources, ReadText(path));
  }
  const std::string page = ReadText(absl::StrCat(docs, "micro.md"));
  const std::vector<absl::string_view> parts =
      absl::StrSplit(page, absl::StrCat("\n```", language, "\n"));
  for (size_t i = 1; i < parts.size(); ++i) {
    const absl::string_view block = parts[i].substr(0, parts[i].find("```"));
    EXPECT_TRUE(absl::StrContains(sources, block)) << block;
  }
  return parts.size() - 1;
}

TEST(MicroDocuments, ShowWhatIsBuilt) {
  EXPECT_GE(ExpectShownAsBuilt("c", ".c"), 2u);
  EXPECT_GE(ExpectShownAsBuilt("cpp", ".cc"), 2u);
}

}  // namespace
}  // namespace stowage
