// SPDX-License-Identifier: Apache-2.0
// Tests that the headers of the C interface document everything, and that the
// shared library exports exactly the functions that the headers declare.
#include <dlfcn.h>

#include <cstddef>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/c/stowage.h"
#include "stowage/version.h"
#include "tests/house/project_files.h"
#include "tests/support/command_output.h"

namespace stowage::c_test {
namespace {

std::string ReadSource(absl::string_view path) {
  return house::ReadFileOrDie(absl::StrCat(STOWAGE_SOURCE_DIR, "/", path));
}

// Returns the code of one header, without comments and function types.
// `chapter` is the name of the header.
std::string CodeOf(absl::string_view chapter) {
  std::string code = ReadSource(absl::StrCat("include/stowage/c/", chapter));
  code = std::regex_replace(code, std::regex("//[^\n]*"), "");
  return std::regex_replace(code, std::regex("typedef [^;{]*;"), "");
}

std::set<std::string> DeclaredFunctions() {
  std::set<std::string> names;
  for (const char* chapter : {"error.h", "problem.h", "solve.h", "verify.h",
                              "cache.h", "dynamic.h"}) {
    const std::string code = CodeOf(chapter);
    const std::regex call("(stowage_[a-z_]+)\\(");
    for (std::sregex_iterator i(code.begin(), code.end(), call), end; i != end;
         ++i) {
      names.insert((*i)[1]);
    }
  }
  return names;
}

// Returns the lines that a command prints.
std::vector<std::string> LinesOf(const std::string& command) {
  const auto [text, exit_code] = support::RunInShell(command);
  EXPECT_EQ(exit_code, 0) << command;
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

TEST(Header, ShowsTheProgramThatIsTested) {
  const std::string header = ReadSource("include/stowage/c/stowage.h");
  std::string expected;
  for (const absl::string_view line :
       absl::StrSplit(ReadSource("tests/c/example.c"), '\n')) {
    if (absl::StartsWith(line, "// SPDX")) continue;
    absl::StrAppend(&expected, line.empty() ? "//" : "//   ", line, "\n");
  }
  expected.resize(expected.size() - 3);  // drops the empty last line
  EXPECT_THAT(header, ::testing::HasSubstr(expected));
}

TEST(Header, ProgramHasAboutFortyLines) {
  const std::vector<std::string> lines =
      absl::StrSplit(ReadSource("tests/c/example.c"), '\n');
  EXPECT_LE(lines.size(), 45);
}

TEST(Header, IncludesTwoHeadersOfTheStandardLibrary) {
  for (const char* chapter : {"stowage.h", "error.h", "problem.h", "solve.h",
                              "verify.h", "cache.h", "dynamic.h"}) {
    const std::string header =
        ReadSource(absl::StrCat("include/stowage/c/", chapter));
    for (const absl::string_view line : absl::StrSplit(header, '\n')) {
      if (!absl::StartsWith(line, "#include")) continue;
      EXPECT_TRUE(line == "#include <stddef.h>" ||
                  line == "#include <stdint.h>" ||
                  absl::StartsWith(line, "#include \"stowage/c/"))
          << chapter << ": " << line;
    }
  }
}

TEST(SharedLibrary, ExportsTheFunctionsOfTheHeaderAndNothingElse) {
  // The functions that were added after the first version of the library.
  const std::set<std::string> later = {
      "stowage_builder_same_or_apart", "stowage_dynamic_count",
      "stowage_dynamic_free",          "stowage_dynamic_parse",
      "stowage_dynamic_plan",          "stowage_dynamic_sizes",
      "stowage_dynamic_stack",         "stowage_problem_for_all",
      "stowage_stack_create",          "stowage_stack_free",
      "stowage_stack_get_info",        "stowage_stack_offsets",
      "stowage_stack_table",
  };
  std::set<std::string> expected;
  for (const std::string& name : DeclaredFunctions()) {
    expected.insert(absl::StrCat(
        name, later.count(name) > 0 ? "@@STOWAGE_1.1" : "@@STOWAGE_1"));
  }
  EXPECT_GT(expected.size(), 80);
  std::set<std::string> exported;
  for (const std::string& line :
       LinesOf("nm -D --defined-only " STOWAGE_SHARED_LIBRARY)) {
    const std::vector<std::string> fields = absl::StrSplit(line, ' ');
    // Skips the lines for the versions themselves.
    if (absl::StrContains(fields.back(), "@@")) exported.insert(fields.back());
  }
  EXPECT_EQ(exported, expected);
}

TEST(SharedLibrary, HasItsVersionInItsName) {
  EXPECT_THAT(
      LinesOf("readelf -d " STOWAGE_SHARED_LIBRARY),
      ::testing::Contains(::testing::HasSubstr("soname: [libstowage.so.1]")));
}

TEST(SharedLibrary, IsUsableAfterDlopen) {
  void* const library = dlopen(STOWAGE_SHARED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto version = reinterpret_cast<uint32_t (*)()>(
      dlvsym(library, "stowage_abi_version", "STOWAGE_1"));
  ASSERT_NE(version, nullptr);
  EXPECT_EQ(version(), 1);
  const auto assign = reinterpret_cast<decltype(&stowage_assign_offsets)>(
      dlsym(library, "stowage_assign_offsets"));
  const stowage_record records[] = {{8, 0, 1}, {8, 1, 2}, {8, 2, 3}};
  uint64_t offsets[3];
  uint64_t total = 0;
  EXPECT_EQ(assign(records, 3, 1, nullptr, offsets, &total, nullptr),
            STOWAGE_OK);
  EXPECT_EQ(total, 16);
}

// Programs cannot add strategies to the shared library, so the shared library
// must contain the strategies of all libraries.
TEST(SharedLibrary, HasTheStrategiesOfAllLibraries) {
  void* const library = dlopen(STOWAGE_SHARED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto name = reinterpret_cast<decltype(&stowage_strategy_name)>(
      dlsym(library, "stowage_strategy_name"));
  ASSERT_NE(name, nullptr);
  std::set<std::string> names;
  for (size_t i = 0; name(i) != nullptr; ++i) names.insert(name(i));
  EXPECT_THAT(names,
              ::testing::IsSupersetOf({"skyline", "optimal", "mincostflow"}));
}

TEST(Versions, AreThoseOfTheLibrary) {
  EXPECT_EQ(stowage_abi_version(), 1);
  EXPECT_STREQ(stowage_version_string(), STOWAGE_VERSION_STRING);
}

TEST(CodeNames, NameEveryCode) {
  EXPECT_STREQ(stowage_code_name(STOWAGE_OK), "OK");
  EXPECT_STREQ(stowage_code_name(STOWAGE_INVALID_ARGUMENT), "INVALID_ARGUMENT");
  EXPECT_STREQ(stowage_code_name(STOWAGE_DATA_LOSS), "DATA_LOSS");
  EXPECT_STREQ(stowage_code_name(STOWAGE_UNAUTHENTICATED), "UNAUTHENTICATED");
  for (const stowage_code code : {-1, 17, INT32_MAX, INT32_MIN}) {
    EXPECT_STREQ(stowage_code_name(code), "?");
  }
}

TEST(StatusNames, NameEveryStatus) {
  EXPECT_STREQ(stowage_status_name(STOWAGE_OPTIMAL), "optimal");
  EXPECT_STREQ(stowage_status_name(STOWAGE_FEASIBLE), "feasible");
  EXPECT_STREQ(stowage_status_name(STOWAGE_OVER_CAPACITY), "over_capacity");
  EXPECT_STREQ(stowage_status_name(STOWAGE_INFEASIBLE), "infeasible");
  EXPECT_STREQ(stowage_status_name(STOWAGE_TIME_LIMIT), "time_limit");
  EXPECT_STREQ(stowage_status_name(5), "?");
  EXPECT_STREQ(stowage_status_name(UINT32_MAX), "?");
}

}  // namespace
}  // namespace stowage::c_test
