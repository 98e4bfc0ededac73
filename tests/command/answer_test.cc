// SPDX-License-Identifier: Apache-2.0
// Tests how an answer is written in each format.
#include "src/command/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace stowage::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Returns a table of two tensors, of which the second has no value in the
// column `why`.
AnswerTable TwoTensors() {
  AnswerTable table;
  table.columns = {"tensor=id", "bytes>size", "=task", "why=reason"};
  table.count = 2;
  table.row = [](size_t k) -> std::vector<Value> {
    return {Name(k == 0 ? "a|b" : "c"), Bytes(k == 0 ? 2048 : 3), Data(k),
            k == 0 ? Value("it is <big>") : Omitted()};
  };
  return table;
}

Answer Example() {
  Answer answer;
  answer.AddTitle("input", "input", Name("my_net.csv"));
  answer.Add("total_size", "total", Size(2051));
  answer.AddData("tasks", {1, 2});
  answer.Say("peak", Phrase(Size(2048), " live at task ", 7, ", in ",
                            QuotedName(Name("a`b"))));
  answer.AddHeading("Tensors");
  answer.AddTable(TwoTensors(), "tensors");
  answer.AddParagraph("That is *all*.");
  return answer;
}

TEST(Answer, IsText) {
  EXPECT_EQ(Example().ToText({80, false}),
            "input        my_net.csv\n"
            "total        2051 bytes (2.00 KiB)\n"
            "peak         2048 bytes (2.00 KiB) live at task 7, in 'a`b'\n"
            "\n"
            "Tensors:\n"
            "\n"
            "| tensor | bytes | why         |\n"
            "|--------|------:|-------------|\n"
            "| a\\|b   |  2048 | it is <big> |\n"
            "| c      |     3 | -           |\n"
            "\n"
            "That is *all*.\n");
}

TEST(Answer, IsMarkdownWithoutMarkupFromFiles) {
  EXPECT_EQ(Example().ToMarkdown(),
            "## `my_net.csv`\n"
            "\n"
            "- total: 2,051 bytes\n"
            "- peak: 2,048 bytes live at task 7, in ``a`b``\n"
            "\n"
            "### Tensors\n"
            "\n"
            "| tensor | bytes | why           |\n"
            "|--------|------:|---------------|\n"
            "| `a\\|b` | 2,048 | it is \\<big\\> |\n"
            "| `c`    |     3 | -             |\n"
            "\n"
            "That is \\*all\\*.\n");
}

TEST(Answer, IsJsonOfWhatHasAKey) {
  EXPECT_EQ(Example().ToJson(),
            "{\"input\":\"my_net.csv\",\"total_size\":2051,\"tasks\":[1,2],"
            "\"tensors\":[{\"id\":\"a|b\",\"size\":2048,\"task\":0,"
            "\"reason\":\"it is <big>\"},{\"id\":\"c\",\"size\":3,\"task\":1}"
            "]}\n");
  Answer answer;
  EXPECT_EQ(answer.ToJson(), "{}\n");
  answer.AddList("none", 0, [](size_t) { return Json(); });
  answer.AddTable(AnswerTable(), "empty");
  answer.AddList("two", 2, [](size_t k) { return Json(k * 2); });
  EXPECT_EQ(answer.ToJson(), "{\"none\":[],\"empty\":[],\"two\":[0,2]}\n");
  // Text and Markdown omit a table without rows.
  EXPECT_EQ(answer.ToText({80, false}), "");
  EXPECT_EQ(answer.ToMarkdown(), "");
}

TEST(Answer, IsCsvOfItsTable) {
  Answer answer;
  answer.Say("peak", "not in the table");
  AnswerTable table;
  table.columns = {"name", "bytes>"};
  table.count = 2;
  table.row = [](size_t k) -> std::vector<Value> {
    return {k == 0 ? "a,\"b\"\n" : "c", k == 0 ? Value(7) : Value()};
  };
  answer.AddTable(std::move(table));
  EXPECT_EQ(answer.ToCsv(),
            "name,bytes\n"
            "\"a,\"\"b\"\"\\x0a\",7\n"
            "c,\n");
}

// Markdown readers remove a backslash before each pipe in a table, even inside
// code, before they interpret anything else.
TEST(Answer, EscapesPipesSoThatNamesStayDifferent) {
  AnswerTable table = TableOf({"name", "why", "bytes>"}, {});
  table.count = 3;
  table.row = [](size_t k) -> std::vector<Value> {
    const char* const names[] = {R"(a|b)", R"(a\|b)", R"(a\\|`b)"};
    return {Name(names[k]), names[k], k};
  };
  Answer answer;
  answer.AddTable(std::move(table));
  EXPECT_EQ(answer.ToText({80, false}),
            R"(| name    | why     | bytes |
|---------|---------|------:|
| a\|b    | a\|b    |     0 |
| a\\|b   | a\\|b   |     1 |
| a\\\|`b | a\\\|`b |     2 |
)");
  EXPECT_EQ(answer.ToMarkdown(), R"(| name        | why        | bytes |
|-------------|------------|------:|
| `a\|b`      | a\|b       |     0 |
| `a\\|b`     | a\\\|b     |     1 |
| ``a\\\|`b`` | a\\\\\|\`b |     2 |
)");
}

TEST(Answer, StacksRowsThatAreTooLongForColumns) {
  AnswerTable table = TwoTensors();
  table.is_stacked = true;
  Answer answer;
  answer.AddTable(std::move(table));
  EXPECT_EQ(answer.ToText({80, false}),
            "a|b                2048\n"
            "  why              it is <big>\n"
            "c                  3\n"
            "  why              -\n");
}

TEST(Answer, SaysHowManyRowsAreLeftOut) {
  for (const size_t max : {size_t{0}, size_t{1}}) {
    AnswerTable table = TwoTensors();
    table.max = max;
    table.rest = "and $0 more tensors";
    Answer answer;
    answer.AddTable(std::move(table), "tensors");
    const std::string rest = absl::StrCat("and ", 2 - max, " more tensors\n");
    const std::string before = max == 0 ? "" : "|\n\n";
    EXPECT_THAT(answer.ToText({80, false}), HasSubstr(before + rest));
    EXPECT_THAT(answer.ToMarkdown(), HasSubstr(before + rest));
    EXPECT_THAT(answer.ToJson(), HasSubstr("\"c\""));
  }
}

// The table has more rows than any output can hold, so it is cut. Only the rows
// that are shown are computed.
TEST(Answer, MarkdownFitsIntoAComment) {
  for (const size_t width : {size_t{1}, size_t{1000}}) {
    size_t made = 0;
    AnswerTable table;
    table.columns = {"name"};
    table.count = std::numeric_limits<size_t>::max();
    table.row = [&made, width](size_t k) -> std::vector<Value> {
      ++made;
      return {std::string(k == 0 ? width : 1, 'x')};
    };
    table.rest = "$0 more";
    Answer answer;
    answer.AddTable(std::move(table));
    answer.BeginDetails("More");
    answer.AddParagraph("the end");
    const std::string text = answer.ToMarkdown();
    EXPECT_LE(text.size(), 65535U);
    EXPECT_GE(text.size(), 40000U);
    EXPECT_LE(made, 65535U);
    EXPECT_THAT(text, StartsWith("| name"));
    EXPECT_THAT(text, HasSubstr(" more\n\n<details><summary>More</summary>\n\n"
                                "the end\n\n</details>\n"));
  }
}

TEST(Value, HasASignAndNullBeyond64Bits) {
  EXPECT_EQ(SignedBytes(0).text, "0");
  EXPECT_EQ(SignedBytes(1234).text, "+1234");
  EXPECT_EQ(SignedBytes(-1234).markdown, "-1,234");
  EXPECT_EQ(SignedBytes(-1234).json, Json(-1234));
  const size_t max = std::numeric_limits<size_t>::max();
  EXPECT_EQ(SignedBytes(absl::int128(max)).json, Json(max));
  EXPECT_EQ(SignedBytes(-absl::int128(max)).json, Json());
  EXPECT_EQ(SignedBytes(-absl::int128(max)).text, "-18446744073709551615");
  EXPECT_EQ(SignedBytes(2 * absl::int128(max)).text, "+36893488147419103230");
}

TEST(Value, ListsAFew) {
  const auto name = [](size_t k) { return Name(absl::StrCat("t", k)); };
  EXPECT_EQ(Listed(0, 2, name).text, "");
  EXPECT_EQ(Listed(2, 2, name).text, "t0, t1");
  EXPECT_EQ(Listed(3, 2, name).markdown, "`t0`, `t1`, ...");
  EXPECT_EQ(Words({}).text, "none");
  EXPECT_EQ(Words({"a", "b"}).text, "a, b");
  EXPECT_EQ(Words({"a", "b"}).json, Json({"a", "b"}));
}

}  // namespace
}  // namespace stowage::cli
