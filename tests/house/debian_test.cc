// SPDX-License-Identifier: Apache-2.0
// Tests that the packaging for Debian agrees with the sources. ./dev deb builds
// the packages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "stowage/version.h"
#include "tests/house/project_files.h"

namespace stowage::house {
namespace {

std::vector<std::string> LinesOf(absl::string_view path) {
  return absl::StrSplit(
      ReadFileOrDie(absl::StrCat(STOWAGE_SOURCE_DIR, "/src/", path)), '\n',
      absl::SkipEmpty());
}

TEST(DebianPackages, HaveTheVersionOfTheProject) {
  EXPECT_THAT(LinesOf("install/debian/changelog").front(),
              ::testing::StartsWith(
                  absl::StrCat("stowage (", STOWAGE_VERSION_STRING, "-")));
}

// For each function, the symbols file gives the project version that added the
// function. A program that uses the function then depends on at least that
// version.
TEST(DebianPackages, ListTheFunctionsOfTheSharedLibrary) {
  std::vector<std::string> expected;
  std::string node;
  for (const absl::string_view line : LinesOf("c/versions.map")) {
    if (absl::EndsWith(line, " {")) {
      node = std::string(line.substr(0, line.find(' ')));
      expected.push_back(absl::StrCat(node, "@", node));
    } else if (absl::StartsWith(line, "    stowage_")) {
      expected.push_back(
          absl::StrCat(line.substr(4, line.find(';') - 4), "@", node));
    }
  }
  std::vector<std::string> listed;
  for (const std::string& line :
       LinesOf("install/debian/libstowage1.symbols")) {
    if (line[0] == ' ') listed.push_back(line.substr(1, line.rfind(' ') - 1));
  }
  EXPECT_THAT(listed, ::testing::UnorderedElementsAreArray(expected));
  EXPECT_GT(listed.size(), 70);
}

}  // namespace
}  // namespace stowage::house
