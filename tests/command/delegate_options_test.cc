// SPDX-License-Identifier: Apache-2.0
// Tests the parser of lists of delegates. Delegates are separated by commas,
// but the options of a delegate may contain commas as well.
#include "src/command/delegate_options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace stowage::cli {
namespace {

// Returns the delegates of the list, joined by " + ", or "refused" if the list
// is not valid.
std::string Delegates(const char* text) {
  const absl::StatusOr<std::vector<std::string>> list = ParseDelegates(text);
  if (!list.ok()) return "refused";
  std::string joined;
  for (const std::string& one : *list) {
    absl::StrAppend(&joined, joined.empty() ? "" : " + ", one);
  }
  return joined;
}

TEST(ParseDelegates, TellsOptionsFromDelegates) {
  EXPECT_EQ(Delegates("a"), "a");
  EXPECT_EQ(Delegates("a,b"), "a + b");
  EXPECT_EQ(Delegates("a:k=1,b"), "a:k=1 + b");
  EXPECT_EQ(Delegates("a:k=1,l=2,b:k=3"), "a:k=1,l=2 + b:k=3");
  EXPECT_EQ(Delegates("./a.so:k=1,./x=y/b.so,c"),
            "./a.so:k=1 + ./x=y/b.so + c");
  EXPECT_EQ(Delegates("a:path=/x:y,device=/dev/z"),
            "a:path=/x:y,device=/dev/z");
}

TEST(ParseDelegates, RefusesOptionsOfNone) {
  for (const char* text : {"", ",", "a,", ",a", "a,,b", "k=1", "a,k=1"}) {
    EXPECT_EQ(Delegates(text), "refused") << text;
  }
}

}  // namespace
}  // namespace stowage::cli
