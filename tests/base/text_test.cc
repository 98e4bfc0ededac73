// SPDX-License-Identifier: Apache-2.0
#include "stowage/base/text.h"

#include <cstddef>
#include <limits>

#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(Text, NumbersAreGrouped) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(209977344), "209,977,344");
  EXPECT_EQ(Grouped(std::numeric_limits<size_t>::max()),
            "18,446,744,073,709,551,615");
}

}  // namespace
}  // namespace stowage
