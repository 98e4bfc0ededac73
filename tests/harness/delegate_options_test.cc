// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/delegate_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::harness {
namespace {

absl::StatusOr<DelegateOptions> Parse(absl::string_view text) {
  return DelegateOptions::Parse(text, {"threads", "memory"});
}

template <typename T>
std::string MessageOf(const absl::StatusOr<T>& result) {
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(result.status().message());
}

TEST(DelegateOptions, HaveValuesWhereTheyAreUnset) {
  const auto options = Parse("");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(*options->Number("threads", 3, 1, 8), 3);
  EXPECT_EQ(*options->Choice("memory", {"opaque", "private"}), 0U);
}

TEST(DelegateOptions, AreReadInAnyOrder) {
  const auto options = Parse("memory=private,threads=8");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(*options->Number("threads", 3, 1, 8), 8);
  EXPECT_EQ(*options->Choice("memory", {"opaque", "private"}), 1U);
}

TEST(DelegateOptions, RefuseWhatIsNoOption) {
  EXPECT_EQ(MessageOf(Parse("threads")),
            "option 'threads': has no '='; expected key=value, separated by "
            "commas");
  EXPECT_EQ(MessageOf(Parse("threads=1,")),
            "option '': has no '='; expected key=value, separated by commas");
  EXPECT_EQ(MessageOf(Parse("thread=1")),
            "option 'thread': unknown; expected threads or memory");
  EXPECT_EQ(MessageOf(Parse("threads=1,threads=1")),
            "option 'threads': given twice; expected it once");
  EXPECT_EQ(MessageOf(DelegateOptions::Parse("a=b", {})),
            "option 'a': unknown; expected no options");
}

TEST(DelegateOptions, RefuseValuesOutOfRange) {
  for (const absl::string_view text :
       {"threads=0", "threads=9", "threads=", "threads=-1", "threads=1x",
        "threads=99999999999999999999"}) {
    const auto options = Parse(text);
    ASSERT_TRUE(options.ok()) << text;
    EXPECT_THAT(
        MessageOf(options->Number("threads", 1, 1, 8)),
        ::testing::HasSubstr("is not a number in its range; expected 1 to 8"))
        << text;
  }
  EXPECT_EQ(MessageOf(Parse("memory=no")->Choice("memory", {"a", "b"})),
            "option 'memory': unknown value 'no'; expected a or b");
}

}  // namespace
}  // namespace stowage::harness
