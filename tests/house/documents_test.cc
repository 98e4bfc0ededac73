// SPDX-License-Identifier: Apache-2.0
// Tests that every program in a document is one of the programs that the tests
// build and run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/house/project_files.h"

namespace stowage::house {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the ```cpp blocks of a Markdown text that are whole programs.
std::vector<std::string> ProgramsIn(absl::string_view markdown) {
  std::vector<std::string> programs;
  const std::vector<absl::string_view> parts =
      absl::StrSplit(markdown, "```cpp\n");
  for (size_t i = 1; i < parts.size(); ++i) {
    const absl::string_view block = parts[i].substr(0, parts[i].find("```"));
    if (absl::StrContains(block, "int main(")) programs.emplace_back(block);
  }
  return programs;
}

// Returns a source without the line that states its licence, as documents print
// it.
std::string WithoutLicenceLine(const std::string& source) {
  if (!absl::StartsWith(source, "// SPDX-License-Identifier:")) return source;
  return source.substr(source.find('\n') + 1);
}

TEST(ProgramsIn, FindsWholeProgramsOnly) {
  EXPECT_THAT(ProgramsIn("text\n"), IsEmpty());
  EXPECT_THAT(ProgramsIn("```cpp\nint x;\n```\n"), IsEmpty());
  EXPECT_THAT(ProgramsIn("a\n```cpp\nint main() {}\n```\nb\n```\nint main(\n"),
              ElementsAre("int main() {}\n"));
}

TEST(Documents, PrintTheExamplesThatAreTested) {
  const std::string root = STOWAGE_SOURCE_DIR;
  std::vector<std::string> examples;
  for (const char* name : {"main.cc", "toy_planner.cc"}) {
    examples.push_back(WithoutLicenceLine(
        ReadFileOrDie(absl::StrCat(root, "/tests/house/consumer/", name))));
  }
  std::set<std::string> printed;
  for (const std::string& path : ProjectFiles(root)) {
    if (!absl::EndsWith(path, ".md")) continue;
    for (const std::string& program :
         ProgramsIn(ReadFileOrDie(absl::StrCat(root, "/", path)))) {
      EXPECT_THAT(examples, Contains(program)) << path;
      printed.insert(program);
    }
  }
  EXPECT_EQ(printed.size(), examples.size()) << "no document prints some";
}

}  // namespace
}  // namespace stowage::house
