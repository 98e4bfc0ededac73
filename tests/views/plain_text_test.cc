// SPDX-License-Identifier: Apache-2.0
// Tests how text of any origin is made printable and truncated, and how the
// width of text is measured.
#include "stowage/views/plain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>

#include "rapidcheck/gtest.h"
#include "stowage/base/text.h"

namespace stowage::views {
namespace {

using ::testing::ElementsAre;

struct PlainCase {
  std::string text;
  std::string plain;
  std::string ascii;
};

TEST(PlainText, DropsWhatCommandsATerminalOrReordersText) {
  const PlainCase cases[] = {
      {"conv1", "conv1", "conv1"},
      {"a\x1b[31mb", "a[31mb", "a[31mb"},
      {std::string("a\0b\n\r\tc\x7f", 8), "abc", "abc"},
      {"a\xC2\x9B"
       "31mb",
       "a31mb", "a31mb"},  // a control sequence in one byte
      {"a\u202Eb\u2066c\u200Fd", "abcd", "abcd"},
      {"a\u2028b\uFEFFc", "abc", "abc"},
      {"\u00E9\u4E2D", "\u00E9\u4E2D", "??"},
      {"a\xFF\xC3", "a\uFFFD\uFFFD", "a??"},
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD",
       "???"},  // half of a surrogate pair
      {"", "", ""}};
  for (const PlainCase& c : cases) {
    EXPECT_EQ(PlainText(c.text), c.plain);
    EXPECT_EQ(PlainText(c.text, true), c.ascii);
  }
}

RC_GTEST_PROP(PlainTextProperty, IsUtf8WithoutControls,
              (const std::string& text)) {
  const std::string plain = PlainText(text);
  RC_ASSERT(IsUtf8(plain));
  RC_ASSERT(OneLine(plain) == plain);
  RC_ASSERT(PlainText(plain) == plain);
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(DisplayWidth("abc"), 3U);
  EXPECT_EQ(DisplayWidth("\u00E9"), 1U);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1U);  // a letter and its accent
  EXPECT_EQ(DisplayWidth("\u4E2D\u6587"), 4U);
  EXPECT_EQ(DisplayWidth("\uD55C"), 2U);
  EXPECT_EQ(DisplayWidth("\uFF21"), 2U);
  EXPECT_EQ(DisplayWidth("\U0001F600"), 2U);
  EXPECT_EQ(DisplayWidth("\u2588\u2591"), 2U);  // blocks are narrow
}

TEST(CutMiddle, KeepsBothEnds) {
  EXPECT_EQ(CutMiddle("short", 5, false), "short");
  EXPECT_EQ(CutMiddle("inception_v3.csv", 9, false), "ince\u2026.csv");
  EXPECT_EQ(CutMiddle("inception_v3.csv", 9, true), "ince~.csv");
  EXPECT_EQ(CutMiddle("abc", 1, true), "~");
  EXPECT_EQ(CutMiddle("abc", 0, true), "");
  // A character is never split, and an accent is never separated from its
  // letter.
  EXPECT_EQ(CutMiddle("\u4E2D\u4E2D\u4E2D\u4E2D", 4, false), "\u4E2D\u2026");
  EXPECT_EQ(CutMiddle("abcdefge\u0301", 3, false), "a\u2026e\u0301");
}

RC_GTEST_PROP(CutMiddleProperty, NeverIsWiderThanAsked,
              (const std::string& text)) {
  const std::string plain = PlainText(text);
  const auto columns = *rc::gen::inRange<size_t>(0, 12);
  const std::string cut =
      CutMiddle(plain, columns, *rc::gen::arbitrary<bool>());
  RC_ASSERT(DisplayWidth(cut) <= columns);
  RC_ASSERT(IsUtf8(cut));
}

TEST(WrapWords, BreaksAtSpacesWhereThereAreAny) {
  EXPECT_THAT(WrapWords("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(WrapWords("abcdefgh ij", 4), ElementsAre("abcd", "efgh", "ij"));
  EXPECT_THAT(WrapWords("", 4), ElementsAre(""));
  EXPECT_THAT(WrapWords("\u4E2D\u4E2D", 3), ElementsAre("\u4E2D", "\u4E2D"));
}

TEST(ShortSize, RoundsToATenth) {
  const struct {
    size_t bytes;
    const char* text;
  } cases[] = {{0, "0 B"},
               {1023, "1023 B"},
               {1024, "1.0 KiB"},
               {1536, "1.5 KiB"},
               {1048575, "1.0 MiB"},
               {209977344, "200.3 MiB"},
               {std::numeric_limits<size_t>::max(), "16.0 EiB"}};
  for (const auto& c : cases) EXPECT_EQ(ShortSize(c.bytes), c.text) << c.bytes;
}

TEST(PercentAbove, RoundsToATenth) {
  EXPECT_EQ(PercentAbove(209977344, 191102976), "+9.9 %");
  EXPECT_EQ(PercentAbove(7, 7), "");
  EXPECT_EQ(PercentAbove(7, 0), "");
  EXPECT_EQ(PercentAbove(120, 10), "12 times");
  EXPECT_EQ(PercentAbove(std::numeric_limits<size_t>::max(), 1),
            "18446744073709551615 times");
}

}  // namespace
}  // namespace stowage::views
