// SPDX-License-Identifier: Apache-2.0
// Tests that docs/test-your-planner.md shows what the program in C prints, with
// the bug and after the fix.
#include <sys/wait.h>

#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/house/project_files.h"

namespace stowage::c_test {
namespace {

using ::testing::HasSubstr;

std::string Document() {
  return house::ReadFileOrDie(STOWAGE_SOURCE_DIR "/docs/test-your-planner.md");
}

// Runs a program and returns what it prints and its exit code.
std::pair<std::string, int> RunProgram(const std::string& program) {
  std::FILE* const pipe = popen(program.c_str(), "re");  // NOLINT: our own
  if (pipe == nullptr) return {"", -1};
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    output.push_back(static_cast<char>(c));
  }
  const int status = pclose(pipe);
  return {output, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

TEST(DocumentInC, ShowsWhatTheProgramPrints) {
  const auto [output, exit_code] = RunProgram(STOWAGE_TOY_PLANNER);
  EXPECT_EQ(exit_code, 1);
  EXPECT_THAT(Document(), HasSubstr(absl::StrCat("```text\n", output, "```")));
}

TEST(DocumentInC, ShowsWhatTheMendedProgramPrints) {
  const auto [output, exit_code] = RunProgram(STOWAGE_MENDED_TOY_PLANNER);
  EXPECT_EQ(exit_code, 0);
  EXPECT_THAT(Document(), HasSubstr(absl::StrCat("```text\n", output, "```")));
}

}  // namespace
}  // namespace stowage::c_test
