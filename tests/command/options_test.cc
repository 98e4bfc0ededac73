// SPDX-License-Identifier: Apache-2.0
// Tests that values on the command line are parsed strictly.
#include "src/command/options.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

struct SizeCase {
  const char* text;
  absl::optional<size_t> bytes;  // empty if the text is refused
};

TEST(ParseSize, ReadsBytesAndBinaryUnits) {
  for (const SizeCase& c : std::vector<SizeCase>{
           {"0", 0},
           {"4096", 4096},
           {"010", 10},
           {"4KiB", 4096},
           {"64MiB", 67108864},
           {"2GiB", 2147483648},
           {"18446744073709551615", 18446744073709551615U},
           {"17179869183GiB", 18446744072635809792U},
           {"", absl::nullopt},
           {"KiB", absl::nullopt},
           {"-1", absl::nullopt},
           {"+1", absl::nullopt},
           {" 1", absl::nullopt},
           {"1 KiB", absl::nullopt},
           {"1e3", absl::nullopt},
           {"0x10", absl::nullopt},
           {"1.5KiB", absl::nullopt},
           {"1KB", absl::nullopt},
           {"1kib", absl::nullopt},
           {"18446744073709551616", absl::nullopt},
           {"17179869184GiB", absl::nullopt},
       }) {
    const absl::StatusOr<size_t> size = ParseSize(c.text);
    EXPECT_EQ(size.ok(), c.bytes.has_value()) << c.text;
    EXPECT_EQ(size.value_or(0), c.bytes.value_or(0)) << c.text;
  }
}

TEST(ParseAlignment, TakesPowersOfTwo) {
  for (const char* text : {"1", "2", "64", "4KiB", "9223372036854775808"}) {
    EXPECT_TRUE(ParseAlignment(text).ok()) << text;
  }
  for (const char* text : {"0", "3", "3KiB", "-64", "", "x"}) {
    EXPECT_FALSE(ParseAlignment(text).ok()) << text;
  }
}

TEST(ParseTime, ReadsMillisecondsSecondsAndMinutes) {
  EXPECT_EQ(*ParseTime("500ms"), absl::Milliseconds(500));
  EXPECT_EQ(*ParseTime("10s"), absl::Seconds(10));
  EXPECT_EQ(*ParseTime("1.5s"), absl::Milliseconds(1500));
  EXPECT_EQ(*ParseTime("2m"), absl::Minutes(2));
  EXPECT_EQ(*ParseTime("0s"), absl::ZeroDuration());
  for (const char* text : {"", "10", "-1s", "inf", "s", "1 s"}) {
    EXPECT_FALSE(ParseTime(text).ok()) << text;
  }
}

TEST(ParseTolerance, ReadsFiniteNumbersOfZeroOrMore) {
  EXPECT_EQ(*ParseTolerance("0"), 0);
  EXPECT_EQ(*ParseTolerance("2"), 2);
  EXPECT_EQ(*ParseTolerance("1e-5"), 1e-5);
  for (const char* text :
       {"", "x", "-1", "-0.5", "nan", "inf", "infinity", "-inf", "1e999"}) {
    EXPECT_FALSE(ParseTolerance(text).ok()) << text;
  }
}

TEST(ParseStrategies, KeepsTheOrderAndRefusesUnknownNames) {
  const absl::StatusOr<std::vector<std::string>> names =
      ParseStrategies("naive,naive");
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_EQ(*names, (std::vector<std::string>{"naive", "naive"}));
  for (const char* text : {"", "naive,", "naive nosuch", "NAIVE", "nosuch"}) {
    const absl::Status status = ParseStrategies(text).status();
    EXPECT_TRUE(absl::IsNotFound(status)) << text;
    EXPECT_TRUE(absl::StrContains(status.message(), "naive")) << status;
  }
}

TEST(SolveOptionsOf, NodesReplaceTheTimeLimit) {
  SearchArgs args;
  args.time_limit = absl::Seconds(1);
  EXPECT_EQ(SolveOptionsOf(args, absl::Seconds(2)).time_limit_ns,
            absl::ToInt64Nanoseconds(absl::Seconds(1)));
  args.nodes = 5;
  const SolveOptions options = SolveOptionsOf(args, absl::Seconds(2));
  EXPECT_EQ(options.node_budget, 5);
  EXPECT_EQ(options.time_limit_ns, kNoTimeLimit);
}

}  // namespace
}  // namespace stowage::cli
