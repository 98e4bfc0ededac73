// SPDX-License-Identifier: Apache-2.0
#include "stowage/base/text.h"

#include <cstddef>
#include <limits>

#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(Text, IsCutBetweenCharacters) {
  EXPECT_EQ(FirstBytes("abc", 3), "abc");
  EXPECT_EQ(FirstBytes("abc", 2), "ab");
  EXPECT_EQ(FirstBytes("abc", 0), "");
  EXPECT_EQ(FirstBytes("", 5), "");
  // The euro sign has three bytes.
  EXPECT_EQ(FirstBytes("a\u20AC"
                       "b",
                       4),
            "a\u20AC");
  EXPECT_EQ(FirstBytes("a\u20AC"
                       "b",
                       3),
            "a");
  EXPECT_EQ(FirstBytes("a\u20AC"
                       "b",
                       1),
            "a");
  // Bytes that only continue characters are not UTF-8.
  EXPECT_EQ(FirstBytes("\x80\x80\x80", 2), "");
}

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
