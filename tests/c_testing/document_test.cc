// SPDX-License-Identifier: Apache-2.0
// Tests that docs/test-your-planner.md shows the output of the C program, both
// with the bug and after the fix.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/house/project_files.h"
#include "tests/support/command_output.h"

namespace stowage::c_test {
namespace {

using ::testing::HasSubstr;

std::string Document() {
  return house::ReadFileOrDie(STOWAGE_SOURCE_DIR "/docs/test-your-planner.md");
}

TEST(DocumentInC, ShowsWhatTheProgramPrints) {
  const auto [output, exit_code] = support::RunInShell(STOWAGE_TOY_PLANNER);
  EXPECT_EQ(exit_code, 1);
  EXPECT_THAT(Document(), HasSubstr(absl::StrCat("```text\n", output, "```")));
}

TEST(DocumentInC, ShowsWhatTheMendedProgramPrints) {
  const auto [output, exit_code] =
      support::RunInShell(STOWAGE_MENDED_TOY_PLANNER);
  EXPECT_EQ(exit_code, 0);
  EXPECT_THAT(Document(), HasSubstr(absl::StrCat("```text\n", output, "```")));
}

}  // namespace
}  // namespace stowage::c_test
