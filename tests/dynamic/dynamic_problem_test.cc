// SPDX-License-Identifier: Apache-2.0
// Tests which problems with parameters are valid, and the properties of their
// values.
#include "stowage/dynamic/dynamic_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/problem.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns a problem of two records that conflict.
DynamicSpec Spec(std::vector<SizeParameter> parameters,
                 std::vector<std::string> sizes,
                 std::vector<std::string> where = {}) {
  DynamicSpec spec;
  spec.problem.records = {{0, 0, 1}, {0, 1, 2}};
  spec.problem.names = {"a", "b"};
  spec.parameters = std::move(parameters);
  spec.sizes = std::move(sizes);
  spec.where = std::move(where);
  return spec;
}

DynamicSpec Scenarios(std::vector<std::string> names,
                      std::vector<std::vector<size_t>> tables) {
  DynamicSpec spec = Spec({}, {});
  spec.scenarios = std::move(names);
  spec.tables = std::move(tables);
  return spec;
}

struct RefusedCase {
  const char* name;
  DynamicSpec spec;
  StatusCode code;
  const char* message;
};

std::vector<RefusedCase> RefusedCases() {
  constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
  std::vector<SizeParameter> nine;
  for (int i = 0; i < 9; ++i) nine.push_back({"p" + std::to_string(i), 0, 1});
  DynamicSpec constrained = Spec({{"s", 1, 4}}, {"s", "1"});
  constrained.problem.constraints.places = {{64, nullopt, 0, 0},
                                            {0, nullopt, 0, 0}};
  constrained.problem.constraints.holes = {{0, 4}};
  DynamicSpec objects = Spec({{"s", 1, 4}}, {"s", "1"});
  objects.problem.kind = PlanKind::kObjects;
  DynamicSpec both = Spec({{"s", 1, 4}}, {"s", "1"});
  both.scenarios = {"x"};
  return {
      {"Nothing", Spec({}, {"1", "1"}), kInvalid, "no parameters and no"},
      {"Both", both, kInvalid, "scenarios and parameters"},
      {"Nine", Spec(nine, {"1", "1"}), StatusCode::kUnimplemented,
       "9 parameters; expected at most 8"},
      {"BadName", Spec({{"9s", 1, 2}}, {"1", "1"}), kInvalid, "bad name: 9s"},
      {"MinAsName", Spec({{"min", 1, 2}}, {"1", "1"}), kInvalid,
       "bad name: min"},
      {"Twice", Spec({{"s", 1, 2}, {"s", 1, 2}}, {"1", "1"}), kInvalid,
       "parameter s: given twice"},
      {"Empty", Spec({{"s", 5, 2}}, {"1", "1"}), kInvalid, "empty range: s"},
      {"NoStep", Spec({{"s", 1, 2, 0}}, {"1", "1"}), kInvalid,
       "parameter s: step 0"},
      {"TooHigh", Spec({{"s", 1, uint64_t{1} << 63}}, {"1", "1"}), kInvalid,
       "parameter s: max 9223372036854775808: too many values"},
      {"OneSize", Spec({{"s", 1, 2}}, {"1"}), kInvalid,
       "sizes: 1 given; expected 2, one for each record"},
      {"Syntax", Spec({{"s", 1, 2}}, {"1", "2*"}), kInvalid,
       "size of b: syntax: column 3"},
      {"Unknown", Spec({{"s", 1, 2}}, {"t", "2"}), kInvalid,
       "size of a: syntax: column 1: unknown parameter t; expected s"},
      {"Comparison", Spec({{"s", 1, 2}}, {"s<2", "2"}), kInvalid,
       "size of a: a comparison; expected a number of bytes"},
      {"LimitSyntax", Spec({{"s", 1, 2}}, {"1", "2"}, {"s<=1", "s<"}), kInvalid,
       "where[1]: syntax: column 3"},
      {"Negative", Spec({{"s", 1, 4}}, {"1", "3-s"}), kInvalid,
       "negative size: b at s=4: -1 bytes"},
      {"NegativeBeyondLimits", Spec({{"s", 1, 4}}, {"1", "3-s"}, {"s*2 >= 8"}),
       kInvalid, "negative size: b at s=4"},
      {"Division", Spec({{"s", 1, 4}}, {"8//(s-3)+100", "1"}), kInvalid,
       "division by zero: a at s=3"},
      {"Overflow",
       Spec({{"r", 1, 2}, {"s", 1, 4}}, {"r*s*2305843009213693952", "1"}),
       kInvalid, "overflow: a at r=1,s=4"},
      {"LimitFault", Spec({{"s", 0, 4}}, {"1", "1"}, {"8//s > 1"}), kInvalid,
       "where[0] has no value at s=0"},
      {"Unsatisfied", Spec({{"s", 1, 4}}, {"1", "1"}, {"s > 9"}), kInvalid,
       "no value satisfies where"},
      {"TooMany", Spec({{"s", 1, uint64_t{1} << 40}}, {"s", "9-s"}),
       StatusCode::kResourceExhausted,
       "too many values of s, and no proof that the size of b"},
      {"TooManyToOverflow",
       Spec({{"s", 1, uint64_t{1} << 62}}, {"s", "s+4611686018427387904"}),
       StatusCode::kResourceExhausted, "no proof that the size of b"},
      {"NoName", Scenarios({""}, {{1}, {2}}), kInvalid,
       "a scenario without a name"},
      {"SameScenario", Scenarios({"x", "x"}, {{1, 1}, {2, 2}}), kInvalid,
       "scenario x: given twice"},
      {"ShortTable", Scenarios({"x", "y"}, {{1, 1}, {2}}), kInvalid,
       "record 1: 1 sizes; expected 2, one for each scenario"},
      {"NoTable", Scenarios({"x"}, {{1}}), kInvalid, "tables: 1 given"},
      {"Constraints", constrained, StatusCode::kUnimplemented,
       "do not support: ranges of offsets, holes"},
      {"Objects", objects, StatusCode::kUnimplemented, "shared objects"},
  };
}

TEST(DynamicProblem, RefusesWhatIsWrong) {
  for (const RefusedCase& test : RefusedCases()) {
    const Status status = DynamicProblem::Create(test.spec).status();
    EXPECT_EQ(status.code(), test.code) << test.name << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(test.message))
        << test.name;
  }
}

TEST(DynamicProblem, KeepsValuesWithinLimitsOnly) {
  const StatusOr<DynamicProblem> problem = DynamicProblem::Create(
      Spec({{"r", 1, 3}, {"s", 2, 8, 3}}, {"r*s", "1"}, {"r+s <= 7"}));
  ASSERT_THAT(problem, support::IsOk());
  EXPECT_EQ(problem->CountValues(), 9u);
  std::vector<std::string> seen;
  problem->VisitValues(
      [&](const ParameterValues& values, Span<const size_t> sizes) {
        seen.push_back(problem->Describe(values));
        EXPECT_EQ(sizes[0], values[0] * values[1]);
        return seen.size() < 4;
      });
  EXPECT_THAT(seen, ElementsAre("r=1,s=2", "r=1,s=5", "r=2,s=2", "r=2,s=5"));
  EXPECT_THAT(problem->largest_sizes(), ElementsAre(10, 1));
  EXPECT_EQ(problem->LargestValue(), nullopt);
}

TEST(DynamicProblem, ReadsValues) {
  const StatusOr<DynamicProblem> problem = DynamicProblem::Create(
      Spec({{"r", 1, 3}, {"s", 2, 8, 3}}, {"r*s", "1"}, {"r+s <= 7"}));
  ASSERT_THAT(problem, support::IsOk());
  EXPECT_EQ(*problem->ParseValues("s=5, r=2"), (ParameterValues{2, 5}));
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"r=1", "no value of s; expected one for each parameter"},
      {"r=1,s=3", "s=3; expected 2 to 8 in steps of 3"},
      {"r=4,s=2", "r=4; expected 1 to 3"},
      {"r=3,s=8", "r=3,s=8: not within the limit; expected r+s <= 7"},
      {"r=1,s=2,t=1", "parameter \"t\" is not in the problem"},
      {"r=1,s=2,r=1", "parameter \"r\" is given twice"},
      {"r=-1,s=2", "\"r=-1\"; expected NAME=VALUE with a whole number"},
      {"", "\"\"; expected NAME=VALUE"},
  };
  for (const Case& test : cases) {
    EXPECT_THAT(std::string(problem->ParseValues(test.text).status().message()),
                HasSubstr(test.message))
        << test.text;
  }
}

TEST(DynamicProblem, HasScenarios) {
  const StatusOr<DynamicProblem> problem =
      DynamicProblem::Create(Scenarios({"x", "y"}, {{1, 7}, {9, 2}}));
  ASSERT_THAT(problem, support::IsOk());
  EXPECT_THAT(*problem->SizesAt({1}), ElementsAre(7, 2));
  EXPECT_THAT(problem->largest_sizes(), ElementsAre(7, 9));
  EXPECT_EQ(*problem->ParseValues("y"), ParameterValues{1});
  EXPECT_EQ(problem->Describe({1}), "y");
  EXPECT_FALSE(problem->SizesAt({2}).ok());
  EXPECT_EQ(problem->LargestValue(), nullopt);
  const StatusOr<DynamicProblem> ordered =
      DynamicProblem::Create(Scenarios({"x", "y"}, {{1, 7}, {2, 2}}));
  EXPECT_EQ(ordered->LargestValue(), ParameterValues{1});
}

TEST(DynamicProblem, KnowsItsLargestValueIfSizesRise) {
  const auto largest = [](std::vector<std::string> sizes,
                          std::vector<std::string> where) {
    return DynamicProblem::Create(
               Spec({{"s", 1, 8, 3}}, std::move(sizes), std::move(where)))
        ->LargestValue();
  };
  // The values of s are 1, 4 and 7.
  EXPECT_EQ(largest({"s*s", "s//2+3"}, {}), ParameterValues{7});
  EXPECT_EQ(largest({"s*s", "8-s"}, {}), nullopt);
  EXPECT_EQ(largest({"s*s", "s"}, {"s <= 4"}), nullopt);
  EXPECT_EQ(largest({"s*s", "s"}, {"s <= 7"}), ParameterValues{7});
}

TEST(DynamicProblem, HasCornersIfHeightsAreConvex) {
  const auto corners = [](std::vector<std::string> sizes, size_t alignment,
                          std::vector<std::string> where) {
    DynamicSpec spec =
        Spec({{"r", 1, 1}, {"s", 0, 6, 2}}, std::move(sizes), std::move(where));
    spec.problem.alignment = alignment;
    return DynamicProblem::Create(std::move(spec))->Corners().size();
  };
  EXPECT_EQ(corners({"8*s", "8*(6-s)"}, 8, {}), 2u);
  // s is a multiple of 2, so 4*s is a multiple of 8.
  EXPECT_EQ(corners({"4*s", "8*(6-s)"}, 8, {}), 2u);
  EXPECT_EQ(corners({"4*s+4", "8*(6-s)"}, 8, {}), 0u);
  EXPECT_EQ(corners({"2*s", "8*(6-s)"}, 8, {}), 0u);
  EXPECT_EQ(corners({"8*s*s", "8*(6-s)"}, 8, {}), 0u);
  EXPECT_EQ(corners({"8*s", "8*(6-s)"}, 8, {"s <= 4"}), 0u);
}

TEST(DynamicProblem, SamplesValues) {
  const StatusOr<DynamicProblem> few =
      DynamicProblem::Create(Spec({{"s", 1, 9}}, {"s", "1"}));
  EXPECT_EQ(few->SampleValues(9).size(), 9u);
  const StatusOr<DynamicProblem> many = DynamicProblem::Create(
      Spec({{"r", 1, 1000}, {"s", 1, uint64_t{1} << 62}}, {"s", "r"}));
  const std::vector<ParameterValues> sample = many->SampleValues(100);
  EXPECT_LE(sample.size(), 100u);
  EXPECT_GT(sample.size(), 60u);
  EXPECT_EQ(sample.front(), (ParameterValues{1, 1}));
  EXPECT_EQ(sample.back(), (ParameterValues{1000, uint64_t{1} << 62}));
  // If a limit excludes the upper corner, the sample contains values at the
  // limit instead.
  const StatusOr<DynamicProblem> limited = DynamicProblem::Create(
      Spec({{"r", 1, 99}, {"s", 1, 99}}, {"s", "r"}, {"r*s <= 99"}));
  bool reaches_limit = false;
  for (const ParameterValues& values : limited->SampleValues(50)) {
    ASSERT_LE(values[0] * values[1], 99u);
    reaches_limit = reaches_limit || values == ParameterValues{99, 1};
  }
  EXPECT_TRUE(reaches_limit);
}

}  // namespace
}  // namespace stowage
