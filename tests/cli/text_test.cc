// Numbers and tables for people.
#include "src/cli/text.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"
#include "absl/types/optional.h"

namespace stowage::cli {
namespace {

TEST(FormatBytes, IsExactAndEasyToGrasp) {
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

TEST(OneLine, EscapesWhatCouldCommandATerminal) {
  EXPECT_EQ(OneLine("a\nb\x1b[2J\x7f"), "a\\x0ab\\x1b[2J\\x7f");
  EXPECT_EQ(OneLine("\xC2\x9BJ \xC2\xB5"), "\\xc2\\x9bJ \xC2\xB5");
  EXPECT_EQ(OneLine("caf\xC3\xA9 'x' \\"), "caf\xC3\xA9 'x' \\");
}

TEST(Table, IsMarkdownThatIsAlignedAsText) {
  Table table;
  table.AddColumn("name", Table::Align::kLeft);
  table.AddColumn("n", Table::Align::kRight);
  table.AddRow({"caf\xC3\xA9", "1"});
  table.AddRow({"a|b\n", "12345"});
  EXPECT_EQ(table.ToString(),
            "| name     |     n |\n"
            "|----------|------:|\n"
            "| caf\xC3\xA9     |     1 |\n"
            "| a\\|b\\x0a | 12345 |\n");
}

}  // namespace
}  // namespace stowage::cli
