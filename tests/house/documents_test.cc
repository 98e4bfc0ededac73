// SPDX-License-Identifier: Apache-2.0
// Tests that every program in a document is among the programs that the tests
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

// Returns the code blocks of a Markdown text that are complete programs in C++
// or C or, if `is_python` is true, in Python.
std::vector<std::string> ProgramsIn(absl::string_view markdown,
                                    bool is_python = false) {
  std::vector<std::string> programs;
  std::vector<absl::string_view> fences = {"```cpp\n", "```c\n"};
  if (is_python) fences.push_back("```python\n");
  for (const absl::string_view fence : fences) {
    const std::vector<absl::string_view> parts =
        absl::StrSplit(markdown, fence);
    for (size_t i = 1; i < parts.size(); ++i) {
      const absl::string_view block = parts[i].substr(0, parts[i].find("```"));
      if (absl::StrContains(block, "int main(") ||
          absl::StartsWith(block, "import stowage\n")) {
        programs.emplace_back(block);
      }
    }
  }
  return programs;
}

// Returns a source without its license line, as documents show it.
std::string WithoutLicenceLine(const std::string& source) {
  if (!absl::StrContains(source.substr(0, source.find('\n')),
                         " SPDX-License-Identifier:")) {
    return source;
  }
  return source.substr(source.find('\n') + 1);
}

TEST(ProgramsIn, FindsWholeProgramsOnly) {
  EXPECT_THAT(ProgramsIn("text\n"), IsEmpty());
  EXPECT_THAT(ProgramsIn("```cpp\nint x;\n```\n"), IsEmpty());
  EXPECT_THAT(ProgramsIn("a\n```cpp\nint main() {}\n```\nb\n```\nint main(\n"),
              ElementsAre("int main() {}\n"));
  EXPECT_THAT(ProgramsIn("```c\nint main(void);\n```\n```cmake\nint main(\n"),
              ElementsAre("int main(void);\n"));
}

TEST(Documents, PrintTheExamplesThatAreTested) {
  const std::string root = STOWAGE_SOURCE_DIR;
  std::vector<std::string> examples;
  for (const char* path :
       {"house/consumer/main.cc", "house/consumer/toy_planner.cc",
        "c/one_call.c", "c_testing/toy_planner.c", "house/consumer/main.py"}) {
    examples.push_back(
        WithoutLicenceLine(ReadFileOrDie(absl::StrCat(root, "/tests/", path))));
  }
  // tests/python runs the Python programs of all pages other than README.md.
  std::set<std::string> printed;
  for (const std::string& path : ProjectFiles(root)) {
    if (!absl::EndsWith(path, ".md")) continue;
    for (const std::string& program :
         ProgramsIn(ReadFileOrDie(absl::StrCat(root, "/", path)),
                    path == "README.md")) {
      EXPECT_THAT(examples, Contains(program)) << path;
      printed.insert(program);
    }
  }
  EXPECT_EQ(printed.size(), examples.size()) << "no document prints some";
}

}  // namespace
}  // namespace stowage::house
