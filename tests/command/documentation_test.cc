// SPDX-License-Identifier: Apache-2.0
// Tests the documentation of the command: that its examples run, that its pages
// show the current output, and that the pages and the completions contain every
// option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/command/command.h"
#include "tests/command/transcript.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsSupersetOf;

constexpr char kSource[] = STOWAGE_SOURCE_DIR "/";

std::string SourceFile(absl::string_view path) {
  return ReadWholeFile(absl::StrCat(kSource, path));
}

// Returns all texts in `text` that match the only group of the pattern.
std::set<std::string> Matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end;
       ++it) {
    found.insert((*it)[1]);
  }
  return found;
}

// Returns the verbs listed by a help page.
std::set<std::string> ListedVerbs(const std::string& help) {
  return Matches(help.substr(std::min(help.size(), help.find("Verbs:"))),
                 "\n  ([a-z-]+)   ");
}

// Returns the verbs as a user types them: "plan", "offline check".
std::set<std::string> Verbs() {
  const CommandFolder folder;
  std::set<std::string> verbs;
  for (const std::string& verb :
       ListedVerbs(folder.Run("stowage --help").out)) {
    const std::string help =
        folder.Run(absl::StrCat("stowage ", verb, " --help")).out;
    const std::set<std::string> parts = ListedVerbs(help);
    if (parts.empty()) verbs.insert(verb);
    for (const std::string& part : parts) {
      verbs.insert(absl::StrCat(verb, " ", part));
    }
  }
  return verbs;
}

bool IsDocumented(const std::string& verb) {
  return absl::StrContains(SourceFile("docs/cli.md"),
                           absl::StrCat("\n## ", verb, "\n"));
}

// A verb without documentation is reported but does not fail the test, because
// the verb may be defined outside this repository.
constexpr char kUndocumented[] =
    "docs/cli.md: no section for this verb; expected one, and its options in "
    "docs/stowage.1 and src/command/completion";

class VerbTest : public testing::TestWithParam<std::string> {
 protected:
  // Adds a link named `data` to the shipped data, which the examples read. The
  // link corresponds to the folder of that name in a clone of the repository.
  void SetUp() override {
    fs::create_directory_symlink(absl::StrCat(kSource, "data"),
                                 folder_.path() + "/desk/data");
    const CommandResult result =
        folder_.Run(absl::StrCat("stowage ", GetParam(), " --help"));
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    const std::vector<std::string> parts =
        absl::StrSplit(result.out, "Example:\n");
    ASSERT_EQ(parts.size(), 2U) << result.out;
    options_ = Matches(parts[0], "(--[a-z-]+)");
    example_ = parts[1];
  }

  CommandFolder folder_;
  std::set<std::string> options_;
  std::string example_;
};

TEST_P(VerbTest, HelpHasAnExampleThatWorks) {
  const CommandResult result = folder_.Run(example_);
  EXPECT_EQ(result.exit_code, 0) << example_ << result.err;
}

TEST_P(VerbTest, EveryOptionIsDocumentedAndCompleted) {
  if (!IsDocumented(GetParam())) GTEST_SKIP() << kUndocumented;
  const std::string man =
      absl::StrReplaceAll(SourceFile("docs/stowage.1"), {{"\\-", "-"}});
  const std::string page = SourceFile("docs/cli.md");
  const std::string bash = SourceFile("src/command/completion/stowage.bash");
  const std::string zsh = SourceFile("src/command/completion/_stowage");
  EXPECT_GE(options_.size(), 2U);
  for (const std::string& option : options_) {
    SCOPED_TRACE(option);
    EXPECT_THAT(man, HasSubstr(option));
    EXPECT_THAT(bash, HasSubstr(option));
    EXPECT_THAT(zsh, HasSubstr(option));
    EXPECT_THAT(page, HasSubstr(option));
  }
}

TEST_P(VerbTest, BashCompletesItsOptions) {
  if (!IsDocumented(GetParam())) GTEST_SKIP() << kUndocumented;
  if (folder_.Run("command -v bash").exit_code != 0) {
    GTEST_SKIP() << "there is no bash";
  }
  folder_.Write("complete.sh",
                absl::StrCat(". ", kSource,
                             "src/command/completion/stowage.bash\n"
                             "COMP_WORDS=(stowage ",
                             GetParam(),
                             " --)\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
                             "_stowage\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"));
  const CommandResult result = folder_.Run("bash complete.sh");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(Matches(result.out, "(--[a-z-]+)"), options_);
}

INSTANTIATE_TEST_SUITE_P(
    All, VerbTest, testing::ValuesIn(Verbs()), [](const auto& test) {
      return absl::StrReplaceAll(test.param, {{"-", "_"}, {" ", "_"}});
    });

TEST(Documentation, HelpListsEveryVerb) {
  EXPECT_THAT(Verbs(),
              IsSupersetOf({"bounds", "check-planner", "compare", "diff",
                            "explain", "list", "offline check", "offline write",
                            "plan", "run", "trace", "verify"}));
}

// Adds a link to the shipped data, which the commands in the pages read, to the
// folder.
void LinkData(const CommandFolder& folder) {
  fs::create_directory_symlink(absl::StrCat(kSource, "data"),
                               folder.path() + "/desk/data");
}

TEST(Documentation, PagesShowTheOutputOfTheCommand) {
  for (const char* page :
       {"docs/cli.md", "docs/delegates.md", "docs/explain.md"}) {
    const CommandFolder folder;
    LinkData(folder);
    ExpectReplay(folder, absl::StrCat(kSource, page), ReplayMarkdown);
  }
}

TEST(Documentation, ManualPageIsWellFormed) {
  const CommandFolder folder;
  if (folder.Run("command -v man").exit_code != 0) {
    GTEST_SKIP() << "there is no man";
  }
  const CommandResult result = folder.Run(absl::StrCat(
      "MANWIDTH=80 man --warnings -l ", kSource, "docs/stowage.1"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("stowage"));
}

// The pictures at the beginning of the README equal the current output of the
// command.
TEST(Documentation, PicturesAreThoseOfTheCommand) {
  const CommandFolder folder;
  LinkData(folder);
  for (const std::string theme : {"light", "dark"}) {
    const CommandResult result = folder.Run(absl::StrCat(
        "stowage plan data/traces/unet_plus_plus.csv --strategy greedy_by_size "
        "--svg picture.svg --theme ",
        theme, " > summary && cat picture.svg"));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out,
              SourceFile(absl::StrCat("docs/plan-", theme, ".svg")));
  }
}

}  // namespace
}  // namespace stowage::cli
