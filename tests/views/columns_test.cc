// SPDX-License-Identifier: Apache-2.0
// Tests that columns of numbers are unchanged after they are encoded as text
// and decoded.
#include "src/views/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "src/views/page_links.h"
#include "src/views/web_text.h"
#include "stowage/problem.h"
#include "tests/views/column_reader.h"

namespace stowage::views {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr size_t kMaxInColumn = std::numeric_limits<size_t>::max();

TEST(EncodeColumn, IsKnownByTheByte) {
  EXPECT_EQ(EncodeColumn({0, 127, 128}, ColumnCoding::kPlain),
            std::string("\0\x7f\x80\x01", 4));
  // The differences 0, +1, -1 and +64 are encoded as 0, 2, 1 and 128.
  EXPECT_EQ(EncodeColumn({0, 1, 0, 64}, ColumnCoding::kDelta),
            std::string("\0\x02\x01\x80\x01", 5));
}

RC_GTEST_PROP(Columns, AreDecodedAsTheyWere, ()) {
  // With these values, the differences between neighbors are small, large or
  // arbitrary.
  const auto value = rc::gen::oneOf(
      rc::gen::inRange<size_t>(0, 300), rc::gen::arbitrary<size_t>(),
      rc::gen::just(kMaxInColumn), rc::gen::just(size_t{1} << 63));
  const auto values = *rc::gen::container<std::vector<size_t>>(value);
  for (const ColumnCoding coding :
       {ColumnCoding::kPlain, ColumnCoding::kDelta}) {
    const std::string bytes =
        UnpackBlock(PackBlock(EncodeColumn(values, coding)));
    RC_ASSERT(DecodeColumn(bytes, coding) == values);
  }
}

TEST(PackBlock, HoldsAnyNumberOfBytes) {
  std::string bytes;
  for (uint32_t i = 0; i < 300000; ++i) {
    bytes.push_back(static_cast<char>(i * i));
  }
  EXPECT_EQ(UnpackBlock(PackBlock(bytes)), bytes);
  EXPECT_EQ(UnpackBlock(PackBlock("")), "");
}

TEST(VisibleText, ShowsWhatIsNotSeen) {
  const struct {
    absl::string_view text;
    const char* visible;
  } kCases[] = {
      {"caf\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80",
       "caf\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80"},
      {"\xe2\x80\xae", "\\u202e"},
      {{"\0", 1}, "\\u0000"},
      {"\n\x7f", "\\u000a\\u007f"},
      {"\xef\xbb\xbf", "\\ufeff"},
      {"\xc3", "\\xc3"},
      {"\xc0\xaf", "\\xc0\\xaf"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
  };
  for (const auto& c : kCases) EXPECT_EQ(VisibleText(c.text), c.visible);
}

TEST(EscapeHtml, LeavesNoMarkup) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\" id='y'>&"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;");
}

ProblemSpec OperatorTrace(const std::vector<std::string>& operators) {
  ProblemSpec problem;
  problem.labels.operators = operators;
  return problem;
}

TEST(AlignTasks, FindsWhatBothHaveInOrder) {
  const TaskAlignment tasks =
      AlignTasks(OperatorTrace({"A", "B", "C", "D"}),
                 OperatorTrace({"A", "X", "C", "Y", "D"}));
  EXPECT_THAT(tasks.from, ElementsAre(0, 2, 4));
  EXPECT_THAT(tasks.to, ElementsAre(0, 2, 3));
}

TEST(AlignTasks, NeedsNamesOnBothSides) {
  EXPECT_THAT(AlignTasks(OperatorTrace({}), OperatorTrace({"A"})).from,
              IsEmpty());
  EXPECT_THAT(AlignTasks(OperatorTrace({"A"}), OperatorTrace({})).from,
              IsEmpty());
  EXPECT_THAT(AlignTasks(OperatorTrace({"A"}), OperatorTrace({"B"})).from,
              IsEmpty());
}

// Returns the length of the longest common subsequence of two lists, computed
// with a table of the lengths for all pairs of prefixes.
size_t LongestCommon(const std::vector<std::string>& a,
                     const std::vector<std::string>& b) {
  std::vector<std::vector<size_t>> best(a.size() + 1,
                                        std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) {
      best[i + 1][j + 1] = a[i] == b[j]
                               ? best[i][j] + 1
                               : std::max(best[i][j + 1], best[i + 1][j]);
    }
  }
  return best[a.size()][b.size()];
}

RC_GTEST_PROP(AlignTasks, FindsALongestCommonSubsequence, ()) {
  const auto name = rc::gen::element<std::string>("A", "B", "C");
  const auto a = *rc::gen::container<std::vector<std::string>>(name);
  const auto b = *rc::gen::container<std::vector<std::string>>(name);
  const TaskAlignment tasks = AlignTasks(OperatorTrace(a), OperatorTrace(b));
  RC_ASSERT(tasks.from.size() == tasks.to.size());
  RC_ASSERT(tasks.from.size() == LongestCommon(a, b));
  for (size_t i = 0; i < tasks.from.size(); ++i) {
    RC_ASSERT(a[tasks.to[i]] == b[tasks.from[i]]);
    // The first entry has no predecessor. An `||` in the assertions could not
    // exclude it, because RC_ASSERT evaluates both sides of an `||`.
    if (i == 0) continue;
    RC_ASSERT(tasks.from[i - 1] < tasks.from[i]);
    RC_ASSERT(tasks.to[i - 1] < tasks.to[i]);
  }
}

TEST(AlignTasks, EndsEarlyWhereAllDiffers) {
  const std::vector<std::string> a(5000, "A");
  const std::vector<std::string> b(5000, "B");
  EXPECT_THAT(AlignTasks(OperatorTrace(a), OperatorTrace(b)).from, IsEmpty());
}

TEST(LinkRecords, PrefersNamesThatAreUnique) {
  ProblemSpec base;
  base.names = {"0", "1"};
  base.records = {{1, 0, 0}, {1, 0, 0}};
  base.labels.tensors = {{"x", "", "", absl::nullopt},
                         {"y", "", "", absl::nullopt}};
  ProblemSpec other = base;
  other.labels.tensors[0].name = "y";
  other.labels.tensors[1].name = "x";
  EXPECT_THAT(LinkRecords(base, other), ElementsAre(2, 1));
  other.labels.tensors[1].name = "y";
  EXPECT_THAT(LinkRecords(base, other), ElementsAre(1, 2));
}

}  // namespace
}  // namespace stowage::views
