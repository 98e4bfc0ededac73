// SPDX-License-Identifier: Apache-2.0
// Tests that plans for all values are checked by sound rules, and that a fault
// is reported together with the values at which it occurs.
#include "stowage/dynamic/verify_dynamic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/random.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/problem.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

// Returns a problem of three records, of which the first conflicts with the
// other two.
DynamicProblem Created(std::vector<SizeParameter> parameters,
                       std::vector<std::string> sizes, size_t alignment = 1,
                       std::vector<std::string> where = {}) {
  DynamicSpec spec;
  spec.problem.records = {{0, 0, 3}, {0, 1, 1}, {0, 2, 3}};
  spec.problem.names = {"a", "b", "c"};
  spec.problem.alignment = alignment;
  spec.parameters = std::move(parameters);
  spec.sizes = std::move(sizes);
  spec.where = std::move(where);
  StatusOr<DynamicProblem> problem = DynamicProblem::Create(std::move(spec));
  EXPECT_TRUE(problem.ok()) << problem.status();
  return *std::move(problem);
}

struct LargestCase {
  const char* name;
  DynamicProblem problem;
  LargestRule rule;
  size_t height;
  const char* largest;
};

TEST(VerifyOrder, KnowsTheLargestHeight) {
  const LargestCase cases[] = {
      {"Rising", Created({{"s", 1, 9}}, {"s", "2*s", "5"}),
       LargestRule::kRising, 27, "s=9"},
      // The height is 8 + 80 at the corner s=0, and 80 + 8 at the corner s=9.
      {"Corner", Created({{"s", 0, 9}}, {"8*s+8", "8*(10-s)", "0"}, 8),
       LargestRule::kCorner, 88, "s=0"},
      // The rule of corners does not apply, since the sizes are not multiples
      // of the alignment.
      {"AllValues", Created({{"s", 0, 9}}, {"7*s+8", "8*(10-s)", "0"}, 8),
       LargestRule::kAllValues, 88, "s=0"},
      // The height is largest between the corners.
      {"Between", Created({{"s", 0, 10}}, {"s*(10-s)", "1", "0"}),
       LargestRule::kAllValues, 26, "s=5"},
      {"Limited", Created({{"s", 1, 9}}, {"s", "2*s", "5"}, 1, {"s <= 6"}),
       LargestRule::kAllValues, 18, "s=6"},
      {"Union",
       Created({{"s", 0, uint64_t{1} << 40}}, {"s", "1099511627776-s", "0"}, 4),
       LargestRule::kUnion, uint64_t{2} << 40, nullptr},
  };
  for (const LargestCase& test : cases) {
    const auto verdict = VerifyOrder(test.problem, {0, 1, 2}, test.height);
    ASSERT_THAT(verdict, support::IsOk()) << test.name;
    EXPECT_FALSE(verdict->fault.has_value()) << test.name;
    EXPECT_EQ(verdict->safety, SafetyRule::kOrder) << test.name;
    EXPECT_EQ(verdict->reserve, test.rule) << test.name;
    EXPECT_EQ(verdict->height, test.height) << test.name;
    const auto less = VerifyOrder(test.problem, {0, 1, 2}, test.height - 1);
    if (test.largest == nullptr) {
      // The sum of the largest sizes exceeds every height that occurs.
      EXPECT_EQ(less.status().code(), StatusCode::kResourceExhausted);
      continue;
    }
    ASSERT_THAT(less, support::IsOk()) << test.name;
    ASSERT_TRUE(less->fault.has_value()) << test.name;
    EXPECT_EQ(test.problem.Describe(less->fault->values), test.largest)
        << test.name;
    EXPECT_THAT(Describe(test.problem, *less->fault),
                HasSubstr("beyond the reserve of "))
        << test.name;
  }
}

struct FormulaCase {
  const char* name;
  std::vector<std::string> offsets;
  SafetyRule rule;
  const char* fault;  // null if the plan is safe
};

TEST(VerifyFormulas, FindsTheValueOfAFault) {
  const DynamicProblem problem = Created({{"s", 1, 9}}, {"2*s", "12-s", "s"});
  const FormulaCase cases[] = {
      {"Safe", {"0", "2*s", "2*s"}, SafetyRule::kAllValues, nullptr},
      {"SafeNumbers", {"11", "0", "0"}, SafetyRule::kLargestSizes, nullptr},
      {"TooLow",
       {"0", "2*s", "17"},
       SafetyRule::kAllValues,
       "at s=9: tensor 'a' and tensor 'c' both hold bytes [17, 18) at task 2"},
      {"TooLowNumbers",
       {"10", "0", "0"},
       SafetyRule::kAllValues,
       "at s=1: tensor 'a' and tensor 'b' both hold bytes [10, 11) at task 1"},
      {"Negative",
       {"0", "2*s", "2*s+(5-s)*9"},
       SafetyRule::kAllValues,
       "at s=6: tensor 'a' and tensor 'c' both hold bytes"},
      {"BelowZero",
       {"3-s", "20", "40"},
       SafetyRule::kAllValues,
       "at s=4: the offset of tensor 'a' has no value: a negative offset, -1"},
      {"Division",
       {"0", "20", "40//(s-3)+80"},
       SafetyRule::kAllValues,
       "at s=3: the offset of tensor 'c' has no value: division by zero"},
  };
  for (const FormulaCase& test : cases) {
    const auto verdict = VerifyFormulas(problem, test.offsets, nullopt);
    ASSERT_THAT(verdict, support::IsOk()) << test.name;
    EXPECT_EQ(verdict->safety, test.rule) << test.name;
    ASSERT_EQ(verdict->fault.has_value(), test.fault != nullptr) << test.name;
    if (test.fault == nullptr) continue;
    EXPECT_THAT(Describe(problem, *verdict->fault), HasSubstr(test.fault))
        << test.name;
  }
  EXPECT_THAT(
      std::string(
          VerifyFormulas(problem, {"0", "1"}, nullopt).status().message()),
      HasSubstr("2 offsets; expected 3"));
  EXPECT_THAT(
      std::string(
          VerifyFormulas(problem, {"0", "1", "t"}, nullopt).status().message()),
      HasSubstr("offset of record 2: column 1: unknown parameter t"));
}

TEST(VerifyFormulas, ComparesTheReserveAtEachValue) {
  const DynamicProblem problem = Created({{"s", 1, 9}}, {"2*s", "12-s", "s"});
  const auto verdict = VerifyFormulas(problem, {"0", "2*s", "2*s"}, 26);
  ASSERT_THAT(verdict, support::IsOk());
  ASSERT_TRUE(verdict->fault.has_value());
  EXPECT_THAT(Describe(problem, *verdict->fault),
              HasSubstr("at s=9: the plan ends at byte 27, beyond the reserve "
                        "of 26 bytes"));
  EXPECT_FALSE(VerifyFormulas(problem, {"0", "2*s", "2*s"}, 27)->fault);
}

// Returns a random size that is nonnegative for all values from 0 to 9.
std::string SomeSize(Random* random) {
  const std::string factor = std::to_string(random->Below(9));
  const std::string constant = std::to_string(random->Below(30));
  switch (random->Below(7)) {
    case 0:
      return constant;
    case 1:
      return factor + "*s+" + constant;
    case 2:
      return factor + "*(9-s)";
    case 3:
      return "s*(9-s)*" + factor;
    case 4:
      return factor + "*((s+3)//4)";
    case 5:
      return factor + "*min(s,4)+" + constant;
    default:
      return factor + "*max(s,r)";
  }
}

RC_GTEST_PROP(VerifyOrderProperty, HasNoHeightAboveItsOwn, (uint64_t seed)) {
  Random random(seed);
  DynamicSpec spec;
  const auto count = static_cast<size_t>(1 + random.Below(8));
  std::vector<size_t> order;
  for (size_t i = 0; i < count; ++i) {
    const auto first = static_cast<size_t>(random.Below(6));
    spec.problem.records.emplace_back(
        0, first, first + static_cast<size_t>(random.Below(4)));
    spec.sizes.push_back(SomeSize(&random));
    order.insert(order.begin() + static_cast<ptrdiff_t>(random.Below(i + 1)),
                 i);
  }
  spec.problem.alignment = size_t{1} << random.Below(4);
  spec.parameters = {{"r", 0, 1}, {"s", 0, 9}};
  if (random.Below(2) == 0) spec.where = {"r+s <= 8"};
  const StatusOr<DynamicProblem> problem = DynamicProblem::Create(spec);
  RC_ASSERT(problem.ok());
  const auto verdict = VerifyOrder(*problem, order, nullopt);
  RC_ASSERT(verdict.ok());
  RC_TAG(std::string(LargestRuleName(verdict->reserve)));
  const StatusOr<StackPlan> stack =
      StackPlan::Create(spec.problem.records, spec.problem.alignment, order);
  std::vector<size_t> offsets(count);
  size_t highest = 0;
  problem->VisitValues([&](const ParameterValues& values,
                           Span<const size_t> sizes) {
    const size_t height = *stack->Offsets(sizes, MakeSpan(offsets));
    highest = std::max(highest, height);
    RC_ASSERT(!FindViolation(*problem->ProblemAt(values), {offsets, height}));
    return true;
  });
  RC_ASSERT(verdict->height == highest);
}

}  // namespace
}  // namespace stowage
