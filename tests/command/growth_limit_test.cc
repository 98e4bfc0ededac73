// SPDX-License-Identifier: Apache-2.0
// Tests that limits on growth are parsed correctly and compared exactly.
#include "src/command/growth_limit.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "rapidcheck/gtest.h"

namespace stowage::cli {
namespace {

struct LimitCase {
  const char* text;
  size_t old_total;
  size_t passes;  // the largest change that the limit allows
};

TEST(GrowthLimit, PassesExactlyAtTheLimit) {
  const LimitCase kCases[] = {
      {"0", 1000, 0},       {"0%", 1000, 0},
      {"64KiB", 10, 65536}, {"7", 0, 7},
      {"5%", 1000, 50},     {"5%", 1019, 50},
      {"2.5%", 1000, 25},   {"0.000001%", 100000000, 1},
      {"100%", 9, 9},       {"1000%", 9, 90},
      {"5%", 0, 0},         {"100%", size_t{1} << 63, size_t{1} << 63},
      {"007%", 100, 7},
  };
  for (const LimitCase& c : kCases) {
    SCOPED_TRACE(absl::StrCat(c.text, " of ", c.old_total));
    const absl::StatusOr<GrowthLimit> limit = ParseGrowthLimit(c.text);
    ASSERT_TRUE(limit.ok()) << limit.status();
    EXPECT_LE(CompareToLimit(*limit, c.old_total, c.passes), 0);
    EXPECT_EQ(CompareToLimit(*limit, c.old_total, c.passes + 1), 1);
    if (c.passes == 0) continue;
    EXPECT_EQ(CompareToLimit(*limit, c.old_total, c.passes - 1), -1);
  }
}

TEST(GrowthLimit, RefusesWhatIsNone) {
  for (const char* text :
       {"", "%", "-1", "+1%", "5 %", "5%%", ".5%", "5.%", "1.0000000%", "1e3%",
        "1.-5%", "1.5.5%", "1.5", "1000001%", "99999999999999999999%", "five",
        "20000000000GiB"}) {
    EXPECT_FALSE(ParseGrowthLimit(text).ok()) << text;
  }
}

RC_GTEST_PROP(GrowthLimitTest, SharesAreExact, ()) {
  const size_t old_total = *rc::gen::arbitrary<size_t>();
  const size_t whole = *rc::gen::inRange<size_t>(0, 100);
  const size_t rest = *rc::gen::inRange<size_t>(0, 1000);
  const std::string decimals = absl::StrCat(1000 + rest).substr(1);
  const absl::StatusOr<GrowthLimit> limit =
      ParseGrowthLimit(absl::StrCat(whole, ".", decimals, "%"));
  RC_ASSERT(limit.ok());
  const absl::uint128 passes =
      absl::uint128(old_total) * (whole * 1000 + rest) / 100000;
  const auto change = static_cast<size_t>(passes);
  RC_ASSERT(CompareToLimit(*limit, old_total, change) <= 0);
  RC_ASSERT(CompareToLimit(*limit, old_total, change + 1) == 1);
}

}  // namespace
}  // namespace stowage::cli
