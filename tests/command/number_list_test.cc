// SPDX-License-Identifier: Apache-2.0
#include "src/command/number_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

namespace stowage::cli {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Ranges(const char* text) {
  const absl::StatusOr<std::vector<NumberRange>> ranges = ParseNumberList(text);
  if (!ranges.ok()) return {"refused"};
  std::vector<std::string> list;
  for (const NumberRange& range : *ranges) {
    list.push_back(absl::StrCat(range.first, " to ", range.last));
  }
  return list;
}

TEST(ParseNumberList, ReadsNumbersAndRanges) {
  EXPECT_THAT(Ranges("7"), ElementsAre("7 to 7"));
  EXPECT_THAT(Ranges("0,3,5-9"), ElementsAre("0 to 0", "3 to 3", "5 to 9"));
  EXPECT_THAT(Ranges("0-18446744073709551615"),
              ElementsAre("0 to 18446744073709551615"));
}

TEST(ParseNumberList, RefusesWhatIsNone) {
  for (const char* text : {"", ",", "1,", "-1", "1-", "3-1", "1-2-3", "x", " 1",
                           "1;2", "18446744073709551616"}) {
    EXPECT_THAT(Ranges(text), ElementsAre("refused")) << text;
  }
}

TEST(NumbersOf, ListsThemInTheOrderOfTheRanges) {
  const auto numbers = NumbersOf({{5, 7}, {0, 0}}, 8);
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_THAT(*numbers, ElementsAre(5u, 6u, 7u, 0u));
}

TEST(NumbersOf, RefusesWhatIsNotThere) {
  // The error is returned immediately, no matter how long the range is.
  EXPECT_THAT(NumbersOf({{0, 18446744073709551615U}}, 3).status(),
              support::FailsWith(
                  absl::StatusCode::kInvalidArgument,
                  "there is no 18446744073709551615; expected less than 3"));
}

}  // namespace
}  // namespace stowage::cli
