// SPDX-License-Identifier: Apache-2.0
// Tests the numbers and tables in text reports.
#include "src/command/text.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"
#include "absl/types/optional.h"

namespace stowage::cli {
namespace {

TEST(FormatBytes, IsExactWithARoundedUnit) {
  EXPECT_EQ(FormatBytes(0), "0 bytes");
  EXPECT_EQ(FormatBytes(1), "1 byte");
  EXPECT_EQ(FormatBytes(1023), "1023 bytes");
  EXPECT_EQ(FormatBytes(1024), "1024 bytes (1.00 KiB)");
  EXPECT_EQ(FormatBytes(6021120), "6021120 bytes (5.74 MiB)");
  EXPECT_EQ(FormatBytes(18446744073709551615U),
            "18446744073709551615 bytes (16.0 EiB)");
}

TEST(FormatTime, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(FormatTime(absl::ZeroDuration()), "0.00 us");
  EXPECT_EQ(FormatTime(absl::Nanoseconds(1234)), "1.23 us");
  EXPECT_EQ(FormatTime(absl::Nanoseconds(9996)), "10.0 us");
  EXPECT_EQ(FormatTime(absl::Microseconds(45)), "45.0 us");
  EXPECT_EQ(FormatTime(absl::Nanoseconds(999400)), "999 us");
  EXPECT_EQ(FormatTime(absl::Nanoseconds(999600)), "1.00 ms");
  EXPECT_EQ(FormatTime(absl::Milliseconds(1500)), "1.50 s");
  EXPECT_EQ(FormatTime(absl::Hours(1)), "3600 s");
}

TEST(Ratio, NeverDividesByZero) {
  EXPECT_EQ(Ratio(0, 0), 1.0);
  EXPECT_EQ(Ratio(5, 0), absl::nullopt);
  EXPECT_EQ(Ratio(5, 4), 1.25);
  EXPECT_EQ(FormatRatio(Ratio(5, 4)), "1.2500");
  EXPECT_EQ(FormatRatio(absl::nullopt), "-");
}

TEST(OneLine, EscapesTerminalControls) {
  EXPECT_EQ(OneLine("a\nb\x1b[2J\x7f"), "a\\x0ab\\x1b[2J\\x7f");
  EXPECT_EQ(OneLine("\xC2\x9BJ \xC2\xB5"), "\\xc2\\x9bJ \xC2\xB5");
  EXPECT_EQ(OneLine("caf\xC3\xA9 'x' \\"), "caf\xC3\xA9 'x' \\");
}

// The character U+202E reverses text: a screen shows "exe.txt" as "txt.exe".
TEST(OneLine, EscapesBidirectionalControls) {
  EXPECT_EQ(OneLine("a\xE2\x80\xAE"
                    "b"),
            "a\\xe2\\x80\\xaeb");
  for (const char* control :
       {"\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xAA", "\xE2\x80\xAB",
        "\xE2\x80\xAC", "\xE2\x80\xAD", "\xE2\x80\xAE", "\xE2\x81\xA6",
        "\xE2\x81\xA7", "\xE2\x81\xA8", "\xE2\x81\xA9", "\xD8\x9C",
        "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    const std::string line = OneLine(control);
    EXPECT_EQ(line.front(), '\\') << line;
    EXPECT_EQ(line.size(), 4 * std::string(control).size()) << line;
  }
  for (const char* letter : {"\xE2\x80\x8D", "\xE2\x80\x90", "\xE2\x80\xA7",
                             "\xE2\x80\xAF", "\xE2\x81\xA5", "\xE2\x81\xAA",
                             "\xD8\x9D", "\xE2\x82\xAC", "\xE2", "\xE2\x80"}) {
    EXPECT_EQ(OneLine(letter), letter);
  }
}

}  // namespace
}  // namespace stowage::cli
