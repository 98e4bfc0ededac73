// SPDX-License-Identifier: Apache-2.0
// Tests that tables and lines with any content fit a given width.
#include "src/command/layout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "stowage/views/plain_text.h"

namespace stowage::cli {
namespace {

size_t WidestLine(absl::string_view text) {
  size_t widest = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    widest = std::max(widest, views::DisplayWidth(line));
  }
  return widest;
}

Table TensorTable() {
  Table table;
  table.AddColumn("tensor", Table::Align::kLeft);
  table.AddColumn("bytes", Table::Align::kRight);
  table.AddColumn("if it ended before", Table::Align::kRight);
  table.AddColumn("what it is", Table::Align::kLeft);
  table.AddRow({"model/block_1/expand/Conv2D", "4096", "128",
                "the output of a convolution"});
  table.AddRow({"x", "16", "0", "an input"});
  return table;
}

TEST(Table, IsMarkdownThatIsAlignedAsText) {
  Table table;
  table.AddColumn("name", Table::Align::kLeft);
  table.AddColumn("n", Table::Align::kRight);
  table.AddRow({"caf\xC3\xA9", "1"});
  table.AddRow({"a|b\n", "12345"});
  table.AddRow({"\u5BBD", "2"});  // two columns wide
  const std::string expected =
      "| name     |     n |\n"
      "|----------|------:|\n"
      "| caf\xC3\xA9     |     1 |\n"
      "| a\\|b\\x0a | 12345 |\n"
      "| \u5BBD       |     2 |\n";
  EXPECT_EQ(table.ToMarkdown(), expected);
  EXPECT_EQ(table.ToText({80, false}), expected);
}

TEST(Table, WrapsTitlesThenWordsThenCutsNames) {
  const struct {
    size_t width;
    const char* text;
  } cases[] = {
      {100,
       "| tensor                      | bytes | if it ended before | what it "
       "is                  |\n"
       "|-----------------------------|------:|-------------------:|-----------"
       "------------------|\n"
       "| model/block_1/expand/Conv2D |  4096 |                128 | the "
       "output "
       "of a convolution |\n"
       "| x                           |    16 |                  0 | an input  "
       " "
       "                 |\n"},
      {80,
       "| tensor                      | bytes |  if it | what it is            "
       " "
       "     |\n"
       "|                             |       |  ended |                       "
       " "
       "     |\n"
       "|                             |       | before |                       "
       " "
       "     |\n"
       "|-----------------------------|------:|-------:|-----------------------"
       "-"
       "-----|\n"
       "| model/block_1/expand/Conv2D |  4096 |    128 | the output of a "
       "convolution |\n"
       "| x                           |    16 |      0 | an input              "
       " "
       "     |\n"},
      {60,
       "| tensor             | bytes |  if it | what it is         |\n"
       "|                    |       |  ended |                    |\n"
       "|                    |       | before |                    |\n"
       "|--------------------|------:|-------:|--------------------|\n"
       "| model/blo\u2026d/Conv2D |  4096 |    128 | the output of a    |\n"
       "|                    |       |        | convolution        |\n"
       "| x                  |    16 |      0 | an input           |\n"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(TensorTable().ToText({c.width, false}), c.text) << c.width;
  }
}

// Numbers are never cut. Columns that do not fit are printed in a second table
// below the first.
TEST(Table, ComesInPartsWhereNumbersDoNotFit) {
  Table table(/*blanks=*/1);
  table.set_key_columns(2);
  table.AddColumn("a", Table::Align::kLeft);
  table.AddColumn("n", Table::Align::kRight);
  for (const char* title : {"x", "y", "z"}) {
    table.AddColumn(title, Table::Align::kRight);
  }
  table.AddRow({"one", "1", "111111111111", "222222222222", "333333333333"});
  EXPECT_EQ(table.ToText({40, false}),
            "a   n            x            y\n"
            "one 1 111111111111 222222222222\n"
            "\n"
            "a   n            z\n"
            "one 1 333333333333\n");
}

TEST(Table, WithoutRowsOrOtherColumnsIsItsTitles) {
  Table table;
  table.AddColumn("name", Table::Align::kLeft);
  EXPECT_EQ(table.ToText({80, false}), "| name |\n|------|\n");
}

TEST(FitLines, ContinuesBelowTheValue) {
  const struct {
    const char* name;
    const char* text;
    const char* fitted;
  } cases[] = {
      {"what fits", "a b\n  c\n\nd", "a b\n  c\n\nd"},
      {"a field", "lower bound  offsets 24 bytes: the bytes live at task 7\n",
       "lower bound  offsets 24 bytes: the bytes\n"
       "             live at task 7\n"},
      {"a sentence", "Its top is live at the peak, and 12 bytes are free.\n",
       "Its top is live at the peak, and 12\n"
       "  bytes are free.\n"},
      {"an item", "  16 bytes at 32: tensor 3 \"conv\", tasks 1 to 2\n",
       "  16 bytes at 32: tensor 3 \"conv\", tasks\n"
       "    1 to 2\n"},
      {"a word that fits no line",
       "out          0123456789abcdef0123456789abcdef\n",
       "out          0123456789abcdef0123456789a\n"
       "             bcdef\n"},
      {"a value behind the middle",
       "the name of this is rather long  and its value\n",
       "the name of this is rather long  and its\n"
       "  value\n"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(FitLines(c.text, 40), c.fitted) << c.name;
  }
}

std::string ArbitraryText(const std::vector<std::string>& pieces) {
  const std::vector<int> picks = *rc::gen::container<std::vector<int>>(
      rc::gen::inRange<int>(0, static_cast<int>(pieces.size())));
  std::string text;
  for (const int pick : picks) text += pieces[static_cast<size_t>(pick)];
  return text;
}

std::string WithoutBlanks(const std::string& text) {
  std::string rest = text;
  rest.erase(std::remove_if(rest.begin(), rest.end(),
                            [](char c) { return c == ' ' || c == '\n'; }),
             rest.end());
  return rest;
}

RC_GTEST_PROP(FitLines, LosesNothingAndFits, ()) {
  const std::string text = ArbitraryText(
      {" ", "  ", "\n", "word", "a", "\u5BBD", "0123456789012345678901234567"});
  const auto width = *rc::gen::inRange<size_t>(kLeastTextWidth, 100);
  const std::string fitted = FitLines(text, width);
  RC_ASSERT(WidestLine(fitted) <= width);
  RC_ASSERT(WithoutBlanks(fitted) == WithoutBlanks(text));
}

RC_GTEST_PROP(Table, FitsUnlessOneNumberIsTooWide, ()) {
  const auto blanks = *rc::gen::inRange<size_t>(0, 3);
  const auto columns = *rc::gen::inRange<size_t>(1, 12);
  const auto width = *rc::gen::inRange<size_t>(kLeastTextWidth, 140);
  Table table = blanks == 0 ? Table() : Table(blanks);
  for (size_t c = 0; c < columns; ++c) {
    // The first column is repeated in every part of a table. It is narrow
    // enough for each of the other columns to fit beside it.
    table.AddColumn(absl::StrCat("title ", c),
                    c > 0 && *rc::gen::arbitrary<bool>() ? Table::Align::kRight
                                                         : Table::Align::kLeft);
  }
  const auto rows = *rc::gen::inRange<size_t>(0, 4);
  for (size_t r = 0; r < rows; ++r) {
    std::vector<std::string> cells;
    for (size_t c = 0; c < columns; ++c) {
      cells.push_back(ArbitraryText({"ab", " ", "\u5BBD"}));
      cells.back() = cells.back().substr(0, 6);
      if (!absl::StrContains(cells.back(), "a")) cells.back() = "1";
    }
    table.AddRow(cells);
  }
  RC_ASSERT(WidestLine(table.ToText({width, true})) <= width);
}

}  // namespace
}  // namespace stowage::cli
