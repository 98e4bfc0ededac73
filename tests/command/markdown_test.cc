// SPDX-License-Identifier: Apache-2.0
// Tests that text from files cannot break out of its place in Markdown.
#include "src/command/markdown.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "rapidcheck/gtest.h"

namespace stowage::cli {
namespace {

TEST(Markdown, CodeSpansHoldBackquotes) {
  EXPECT_EQ(CodeSpan("conv"), "`conv`");
  EXPECT_EQ(CodeSpan(""), "");
  EXPECT_EQ(CodeSpan("a`b"), "``a`b``");
  EXPECT_EQ(CodeSpan("`"), "`` ` ``");
  EXPECT_EQ(CodeSpan("``a"), "``` ``a ```");
  EXPECT_EQ(CodeSpan(" a "), "`  a  `");
  EXPECT_EQ(CodeSpan("<img>\n"), "`<img>\\x0a`");
}

TEST(Markdown, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(Shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(Shortened("abcdefg", 6), "abc...");
  EXPECT_EQ(Shortened("aé€€€€", 7), "aé...");
  EXPECT_EQ(Shortened("\n\n\n\n", 8), "\\x0a\\...");
}

TEST(Markdown, SentencesHaveNoMarkup) {
  EXPECT_EQ(EscapeMarkdown("a|b <c> @d"), "a\\|b \\<c\\> \\@d");
}

TEST(Markdown, PipesAreUnescapedOutsideOfCode) {
  for (const auto& [markdown, expected] :
       {std::pair(R"(a\|b)", R"(a|b)"), std::pair(R"(\\\|)", R"(\\|)"),
        std::pair(R"(`a\|b` \|)", R"(`a\|b` |)"),
        std::pair(R"(``a`\|`` \|)", R"(``a`\|`` |)"),
        std::pair(R"(\`\|\`)", R"(\`|\`)"), std::pair("\\\\", "\\\\"),
        std::pair("", "")}) {
    EXPECT_EQ(UnescapePipes(markdown), expected);
  }
}

RC_GTEST_PROP(MarkdownTest, CodeSpansEndWhereTheirFenceIs, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::element('`', ' ', 'a', '\n', '|', '\\', '\xE2', '\x82', '\xAC'));
  RC_PRE(!text.empty());
  const std::string span = CodeSpan(text);
  RC_ASSERT(span.find('\n') == std::string::npos);
  const size_t fence = span.find_first_not_of('`');
  RC_ASSERT(fence != std::string::npos);
  // No other sequence of backquotes is as long as the fence.
  size_t runs = 0;
  for (size_t i = 0; i < span.size();) {
    size_t end = i;
    while (end < span.size() && span[end] == '`') ++end;
    if (end - i == fence) ++runs;
    i = std::max(end, i + 1);
  }
  RC_ASSERT(runs == 2U);
}

}  // namespace
}  // namespace stowage::cli
