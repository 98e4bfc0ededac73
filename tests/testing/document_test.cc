// SPDX-License-Identifier: Apache-2.0
// Tests that docs/test-your-planner.md shows the output of its example, both
// with the bug and after the fix.
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/testing/families.h"
#include "stowage/testing/properties.h"
#include "tests/support/command_output.h"

namespace stowage::testing {
namespace {

using ::testing::HasSubstr;

std::string Document() {
  std::ifstream file(STOWAGE_SOURCE_DIR "/docs/test-your-planner.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(DocumentTest, ShowsWhatTheToyPlannerPrints) {
  const auto [output, exit_code] = support::RunInShell(STOWAGE_TOY_PLANNER);
  EXPECT_EQ(exit_code, 1);
  EXPECT_THAT(Document(), HasSubstr(absl::StrCat("```text\n", output, "```")));
}

TEST(DocumentTest, ShowsWhatTheMendedToyPlannerPrints) {
  const auto [output, exit_code] =
      support::RunInShell(STOWAGE_MENDED_TOY_PLANNER);
  EXPECT_EQ(exit_code, 0);
  EXPECT_THAT(Document(), HasSubstr(absl::StrCat("```text\n", output, "```")));
}

TEST(DocumentTest, HasEveryFamilyAndProperty) {
  const std::string document = Document();
  for (const FamilyInfo& info : AllFamilies()) {
    EXPECT_THAT(document, HasSubstr(absl::StrCat("\n| `", info.name, "` | ",
                                                 info.sentence, " |\n")));
  }
  for (const auto& list : {AllProperties(), Claims()}) {
    for (const Property& property : list) {
      EXPECT_THAT(document,
                  HasSubstr(absl::StrCat("\n| `", property.name, "` | ",
                                         property.sentence, " |\n")));
    }
  }
  for (const ObjectsProperty& property : AllObjectsProperties()) {
    EXPECT_THAT(document, HasSubstr(absl::StrCat("| `", property.name, "` |")));
  }
}

}  // namespace
}  // namespace stowage::testing
