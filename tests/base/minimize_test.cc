// SPDX-License-Identifier: Apache-2.0
#include "stowage/base/minimize.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;

std::vector<size_t> FirstNumbers(size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

bool Includes(const std::vector<size_t>& all, const std::set<size_t>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

// There are two groups of culprits. The failure occurs if all members of the
// first group are present, or all members of the second.
RC_GTEST_PROP(MinimizeTest, FindsTheWholeOfOneGroup, ()) {
  const auto size = *rc::gen::inRange<size_t>(1, 60);
  const auto culprits = [&] {
    // Generates a list rather than a set, because RapidCheck gives up on a set
    // if there are too few different numbers.
    const auto numbers =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<size_t>>(
            rc::gen::inRange<size_t>(0, size)));
    return std::set<size_t>(numbers.begin(), numbers.end());
  };
  const std::set<size_t> one = culprits();
  const std::set<size_t> other = culprits();
  const auto happens = [&](const std::vector<size_t>& kept) {
    return absl::StatusOr<bool>(Includes(kept, one) || Includes(kept, other));
  };
  const auto result = Minimize(FirstNumbers(size), happens);
  RC_ASSERT(result.ok());
  RC_ASSERT(*happens(*result));
  for (size_t i = 0; i < result->size(); ++i) {
    std::vector<size_t> without = *result;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    RC_ASSERT(!*happens(without));
  }
}

TEST(MinimizeTest, HalvesItsWayToOneCulprit) {
  size_t calls = 0;
  const auto result =
      Minimize(FirstNumbers(1024), [&](const std::vector<size_t>& kept) {
        ++calls;
        return absl::StatusOr<bool>(Includes(kept, {777}));
      });
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(*result, ElementsAre(777));
  EXPECT_LE(calls, 20);
}

// Most of the elements are culprits and must stay, but the number of calls is
// still linear in the number of elements rather than quadratic.
TEST(MinimizeTest, LeavesManyCulpritsInLinearTime) {
  size_t calls = 0;
  const auto result =
      Minimize(FirstNumbers(1000), [&](const std::vector<size_t>& kept) {
        ++calls;
        return absl::StatusOr<bool>(kept.size() > 500);
      });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->size(), 501);
  EXPECT_LE(calls, 2000);
}

TEST(MinimizeTest, LeavesOneElementWithoutACall) {
  const auto result = Minimize({7}, [](const std::vector<size_t>&) {
    return absl::StatusOr<bool>(absl::InternalError("called"));
  });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(*result, ElementsAre(7));
}

TEST(MinimizeTest, PassesErrorsOn) {
  const auto result = Minimize({1, 2}, [](const std::vector<size_t>&) {
    return absl::StatusOr<bool>(absl::ResourceExhaustedError("no memory"));
  });
  EXPECT_TRUE(absl::IsResourceExhausted(result.status()));
}

}  // namespace
}  // namespace stowage
