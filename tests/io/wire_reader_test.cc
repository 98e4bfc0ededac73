// SPDX-License-Identifier: Apache-2.0
// Tests the reader of Protocol Buffers fields.
#include "stowage/io/wire_reader.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using testing::ElementsAre;

TEST(WireReaderTest, ReadsFieldsOfEveryType) {
  // 1: 150, 2: "ab", 3: fixed32 1, 4: fixed64 2
  const std::string message(
      "\x08\x96\x01\x12\x02"
      "ab\x1D\x01\0\0\0\x21\x02\0\0\0\0\0\0\0",
      21);
  WireReader fields(message);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.field(), 1U);
  EXPECT_EQ(fields.value(), 150U);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.bytes(), "ab");
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.value(), 1U);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.field(), 4U);
  EXPECT_EQ(fields.value(), 2U);
  EXPECT_FALSE(fields.Next());
  EXPECT_TRUE(fields.ok());
}

struct BrokenMessageCase {
  const char* name;
  std::string message;
};

class BrokenMessageTest : public testing::TestWithParam<BrokenMessageCase> {};

TEST_P(BrokenMessageTest, IsNoMessage) {
  WireReader fields(GetParam().message);
  while (fields.Next()) {
  }
  EXPECT_FALSE(fields.ok());
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BrokenMessageTest,
    testing::Values(BrokenMessageCase{"EndsInATag", "\x88"},
                    BrokenMessageCase{"EndsInANumber", "\x08\x96"},
                    BrokenMessageCase{"EndsInAText",
                                      "\x12\x05"
                                      "ab"},
                    BrokenMessageCase{"EndsInFixed32", "\x1D\x01\x01"},
                    BrokenMessageCase{"EndsInFixed64", "\x21\x01\x01"},
                    BrokenMessageCase{"Field0", std::string("\0\x01", 2)},
                    BrokenMessageCase{"Group", "\x0B"},
                    BrokenMessageCase{"TooLongANumber",
                                      "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
                                      "\x02"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(WireReaderTest, ThePositionIsThatOfTheFirstBrokenField) {
  WireReader fields(
      "\x08\x05\x12\x05"
      "ab");
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.position(), 0U);
  ASSERT_FALSE(fields.Next());
  ASSERT_FALSE(fields.Next());
  EXPECT_EQ(fields.position(), 2U);
}

TEST(WireReaderTest, RepeatedNumbersArePackedOrNot) {
  const std::string message("\x08\x05\x0A\x03\x01\x96\x01", 7);
  WireReader fields(message);
  std::vector<uint64_t> values;
  while (fields.Next()) EXPECT_TRUE(AppendVarints(fields, &values));
  EXPECT_THAT(values, ElementsAre(5, 1, 150));
}

}  // namespace
}  // namespace stowage
