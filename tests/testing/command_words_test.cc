// SPDX-License-Identifier: Apache-2.0
#include "src/testing/command_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/support/status_matchers.h"

namespace stowage::program {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct SplitCase {
  const char* name;
  std::string command;
  std::vector<std::string> words;
};

class SplitCommandTest : public ::testing::TestWithParam<SplitCase> {};

TEST_P(SplitCommandTest, GivesWords) {
  const auto words = SplitCommand(GetParam().command);
  ASSERT_THAT(words, IsOk());
  EXPECT_EQ(*words, GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(
    All, SplitCommandTest,
    ::testing::Values(
        SplitCase{"OneWord", "plan", {"plan"}},
        SplitCase{"Blanks", " plan \t {in}\n", {"plan", "{in}"}},
        SplitCase{
            "SingleQuotes", "a 'b  \"c\" \\' d", {"a", "b  \"c\" \\", "d"}},
        SplitCase{
            "DoubleQuotes", R"(a "b 'c' \" \\ \n")", {"a", R"(b 'c' " \ \n)"}},
        SplitCase{"Backslashes", R"(a\ b \' \\)", {"a b", "'", "\\"}},
        SplitCase{"QuotesWithinAWord", "--a='b c'd", {"--a=b cd"}},
        SplitCase{"EmptyWords", "a '' \"\"", {"a", "", ""}},
        SplitCase{
            "NothingIsExpanded",
            "a $HOME *.c | b > c; ~ `d` # e",
            {"a", "$HOME", "*.c", "|", "b", ">", "c;", "~", "`d`", "#", "e"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(SplitCommand, RefusesUnfinishedCommands) {
  EXPECT_THAT(SplitCommand("a 'b"),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "the command has an unclosed '"));
  EXPECT_THAT(SplitCommand("a \"b\\\""),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "the command has an unclosed \""));
  EXPECT_THAT(SplitCommand("a \\"),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("ends in a backslash")));
}

TEST(SplitCommand, RefusesNoCommand) {
  for (const char* nothing : {"", " \n"}) {
    EXPECT_THAT(
        SplitCommand(nothing),
        FailsWith(absl::StatusCode::kInvalidArgument, HasSubstr("is empty")));
  }
}

TEST(FillIn, ReplacesEveryPlace) {
  EXPECT_THAT(
      FillIn({"plan", "--from={in}", "{in}{out}", "{ out }"}, "/a b", "/c{in}"),
      ElementsAre("plan", "--from=/a b", "/a b/c{in}", "{ out }"));
}

}  // namespace
}  // namespace stowage::program
