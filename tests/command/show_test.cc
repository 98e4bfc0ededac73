// SPDX-License-Identifier: Apache-2.0
// Tests that the output of stowage show fits the terminal, and that the files
// that it writes are valid.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "stowage/views/plain_text.h"
#include "tests/command/command.h"

namespace stowage::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kSourceFolder[] = STOWAGE_SOURCE_DIR;

// Plans the shipped trace with the name `trace`, and writes the plan to
// plan.csv.
void WritePlan(const CommandFolder& folder, absl::string_view trace) {
  const CommandResult result = folder.Run(
      absl::StrCat("stowage plan '", kSourceFolder, "/data/traces/", trace,
                   ".csv' --strategy greedy_by_size -o plan.csv"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
}

// Returns the output that `command` writes to a terminal.
std::string OnTypescript(const CommandFolder& folder,
                         const std::string& command) {
  folder.Write("command.sh", command);
  return folder.Run("script -qec 'sh command.sh' /dev/null").out;
}

bool HasTool(const CommandFolder& folder, absl::string_view tool) {
  return folder.Run(absl::StrCat("command -v ", tool)).exit_code == 0;
}

TEST(Show, IsAsWideAsAsked) {
  const CommandFolder folder;
  for (const char* trace : {"unet_plus_plus", "lstm", "mobilenet_v1"}) {
    WritePlan(folder, trace);
    for (const size_t width : {20U, 40U, 80U, 200U}) {
      for (const char* command : {"stowage show plan.csv --width ",
                                  "LC_ALL=C stowage show plan.csv --width "}) {
        const CommandResult result = folder.Run(absl::StrCat(command, width));
        ASSERT_EQ(result.exit_code, 0) << result.err;
        for (const absl::string_view line : absl::StrSplit(result.out, '\n')) {
          EXPECT_LE(views::DisplayWidth(line), width) << line;
        }
      }
    }
  }
}

struct ColorCase {
  const char* variables;
  const char* options;
  bool has_color;
};

TEST(Show, HasColoursOnTerminalsAlone) {
  const CommandFolder folder;
  WritePlan(folder, "lstm");
  for (const char* command :
       {"stowage show plan.csv", "CLICOLOR_FORCE=1 stowage show plan.csv",
        "stowage show plan.csv --color never"}) {
    EXPECT_THAT(folder.Run(command).out, Not(HasSubstr("\x1b"))) << command;
  }
  EXPECT_THAT(folder.Run("NO_COLOR=1 stowage show plan.csv --color always").out,
              HasSubstr("\x1b["));
  if (!HasTool(folder, "script")) GTEST_SKIP() << "there is no script(1)";
  const ColorCase cases[] = {
      {"TERM=xterm", "", true},
      {"TERM=xterm NO_COLOR=", "", true},
      {"TERM=xterm NO_COLOR=1", "", false},
      {"TERM=xterm NO_COLOR=1 CLICOLOR_FORCE=1", "", false},
      {"TERM=dumb", "", false},
      {"TERM=dumb CLICOLOR_FORCE=1", "", true},
      {"TERM=dumb CLICOLOR_FORCE=0", "", false},
      {"TERM=xterm", "--color never", false},
      {"TERM=dumb", "--color always", true}};
  for (const ColorCase& c : cases) {
    const std::string out = OnTypescript(
        folder,
        absl::StrCat(c.variables, " stowage show plan.csv ", c.options));
    EXPECT_THAT(out, HasSubstr("alive")) << c.variables;
    EXPECT_EQ(absl::StrContains(out, "\x1b["), c.has_color)
        << c.variables << " " << c.options;
  }
}

struct LocaleCase {
  const char* variables;
  bool is_ascii;
};

TEST(Show, IsAsciiWhereTheLocaleIsNotUtf8) {
  const CommandFolder folder;
  WritePlan(folder, "lstm");
  const LocaleCase cases[] = {{"LC_ALL=C LANG=C.UTF-8", true},
                              {"LC_ALL=en_US.ISO-8859-1", true},
                              {"LC_ALL=de_DE.UTF-8", false},
                              {"LC_ALL=de_DE.utf8", false},
                              {"LC_ALL= LC_CTYPE=C.UTF-8 LANG=C", false},
                              {"LC_ALL= LC_CTYPE=C LANG=C.UTF-8", true},
                              {"LC_ALL= LC_CTYPE= LANG=C.UTF-8", false},
                              {"LC_ALL= LC_CTYPE= LANG=", true}};
  for (const LocaleCase& c : cases) {
    const std::string out =
        folder.Run(absl::StrCat(c.variables, " stowage show plan.csv")).out;
    EXPECT_THAT(out, Not(IsEmpty()));
    EXPECT_EQ(absl::StrContains(out, "\u258F"), !c.is_ascii) << c.variables;
  }
}

// tmux would wrap a line that is too wide.
TEST(Show, DoesNotWrapInTmux) {
  const CommandFolder folder;
  if (!HasTool(folder, "tmux")) GTEST_SKIP() << "there is no tmux";
  for (const char* trace : {"unet_plus_plus", "lstm", "mobilenet_v1"}) {
    WritePlan(folder, trace);
    for (const size_t width : {40U, 80U, 200U}) {
      const std::string tmux = "TMUX= tmux -S ./socket -f /dev/null ";
      const CommandResult result = folder.Run(absl::StrCat(
          tmux, "-u new-session -d -x ", width, " -y 100 ",
          "'stowage show plan.csv; touch shown; sleep 60' && ",
          "i=0; while [ ! -e shown ] && [ $i -lt 200 ]; do sleep 0.05; "
          "i=$((i + 1)); done; sleep 0.2; ",
          tmux, "capture-pane -p; ", tmux, "kill-server; rm -f shown"));
      const CommandResult piped =
          folder.Run(absl::StrCat("COLUMNS=", width, " stowage show plan.csv"));
      const std::vector<std::string> expected =
          absl::StrSplit(piped.out, '\n', absl::SkipEmpty());
      const std::vector<std::string> shown =
          absl::StrSplit(result.out, '\n', absl::SkipEmpty());
      EXPECT_EQ(shown, expected) << width << " " << result.err;
    }
  }
}

// The files have the same bytes in every locale.
TEST(Show, PicturesAreTheSameInEveryLocale) {
  const CommandFolder folder;
  WritePlan(folder, "unet_plus_plus");
  for (const char* locale : {"C", "C.UTF-8", "de_DE.UTF-8"}) {
    const CommandResult result = folder.Run(absl::StrCat(
        "LC_ALL=", locale, " stowage show plan.csv --svg ", locale, ".svg"));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(folder.Read(absl::StrCat(locale, ".svg")), folder.Read("C.svg"));
  }
}

// Uses librsvg as an example of renderers that are not browsers, such as those
// of documentation tools and file managers.
TEST(Show, PicturesAreRenderedByLibrsvg) {
  const CommandFolder folder;
  if (!HasTool(folder, "rsvg-convert")) {
    GTEST_SKIP() << "there is no rsvg-convert";
  }
  for (const char* trace : {"unet_plus_plus", "lstm", "mobilenet_v1"}) {
    WritePlan(folder, trace);
    // Most of the picture consists of paths, so it must look different without
    // them.
    const CommandResult result = folder.Run(
        "stowage show plan.csv --svg full.svg && sed -e 's/<path[^>]*>//g' "
        "full.svg > text.svg && for i in full text; do rsvg-convert $i.svg "
        "-o $i.png || exit 1; done && cmp -s full.png text.png");
    EXPECT_EQ(result.exit_code, 1) << trace;
    EXPECT_THAT(result.err, IsEmpty()) << trace;
    // A PNG begins with its signature, followed by its width and height.
    constexpr char kSignature[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    EXPECT_EQ(folder.Read("full.png").substr(0, 24),
              std::string(kSignature, 16) +
                  std::string("\0\0\x03\xc0\0\0\x01\x40", 8))
        << trace << ": expected 960 x 320 pixels";
  }
}

}  // namespace
}  // namespace stowage::cli
