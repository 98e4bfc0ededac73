// SPDX-License-Identifier: Apache-2.0
// Tests the cost of plans, and which pairs of records pay.
#include "stowage/plan_cost.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/bounds/constrained_bound.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;

// Two records and their offsets in a plan. The records are live one after the
// other, and sharing bytes costs 5.
struct PairCase {
  const char* name;
  size_t first_size;
  size_t second_size;
  size_t first_offset;
  size_t second_offset;
  bool is_paid;
};

class PlanCost : public testing::TestWithParam<PairCase> {};

TEST_P(PlanCost, IsPaidForASharedByte) {
  const PairCase& row = GetParam();
  ProblemSpec spec;
  spec.records = {{row.first_size, 0, 1}, {row.second_size, 2, 3}};
  spec.constraints.prefer_apart = {{1, 0, 5}};
  const Problem problem = *Problem::Create(spec);
  OffsetsAssignment plan;
  plan.offsets = {row.first_offset, row.second_offset};
  EXPECT_EQ(CostOfPlan(problem, plan), row.is_paid ? 5 : 0);
  if (row.is_paid) {
    EXPECT_THAT(PaidPairs(problem, plan), ElementsAre(FieldsAre(0, 1, 5)));
  } else {
    EXPECT_THAT(PaidPairs(problem, plan), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, PlanCost,
    testing::Values(PairCase{"the_same_bytes", 8, 8, 0, 0, true},
                    PairCase{"one_byte", 8, 8, 0, 7, true},
                    PairCase{"one_byte_below", 8, 8, 7, 0, true},
                    PairCase{"bytes_inside", 8, 2, 0, 3, true},
                    PairCase{"adjacent_bytes", 8, 8, 0, 8, false},
                    PairCase{"adjacent_bytes_below", 8, 8, 8, 0, false},
                    PairCase{"a_record_of_no_bytes", 8, 0, 0, 3, false}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PaidPairs, AreInTheOrderOfTheirCostsThenOfTheirRecords) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 1, 1}, {8, 2, 2}, {8, 3, 3}};
  spec.constraints.prefer_apart = {
      {3, 2, 1}, {2, 0, 4}, {1, 0, 4}, {1, 2, 9}, {0, 3, 0}};
  const Problem problem = *Problem::Create(spec);
  OffsetsAssignment plan;
  plan.offsets = {0, 0, 0, 0};
  EXPECT_THAT(PaidPairs(problem, plan),
              ElementsAre(FieldsAre(1, 2, 9), FieldsAre(0, 1, 4),
                          FieldsAre(0, 2, 4), FieldsAre(2, 3, 1)));
  EXPECT_EQ(CostOfPlan(problem, plan), 18);
}

TEST(PaidPairs, AreNotInDifferentPools) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 1, 1}, {8, 2, 2}};
  spec.constraints.pools = {{"sram", 16}, {"dram", {}}};
  spec.constraints.choices = {{{0, 0}, {1, 7}}, {{0, 0}, {1, 7}}, {}};
  spec.constraints.prefer_apart = {{0, 1, 5}, {0, 2, 3}};
  const Problem problem = *Problem::Create(spec);
  OffsetsAssignment plan;
  plan.offsets = {0, 0, 0};
  plan.pools = {0, 1, 0};
  EXPECT_THAT(PaidPairs(problem, plan), ElementsAre(FieldsAre(0, 2, 3)));
  EXPECT_EQ(CostOfPlan(problem, plan), 7 + 3);
}

TEST(PlanCost, IsNothingWithoutConstraints) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 1, 1}};
  const Problem problem = *Problem::Create(spec);
  OffsetsAssignment plan;
  plan.offsets = {0, 0};
  EXPECT_EQ(CostOfPlan(problem, plan), 0);
  EXPECT_THAT(PaidPairs(problem, plan), IsEmpty());
}

TEST(PlanCost, OfALargeSumIsExact) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 1, 1}, {8, 2, 2}};
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  spec.constraints.prefer_apart = {{0, 1, kHalf}, {1, 2, kHalf - 1}};
  const Problem problem = *Problem::Create(spec);
  OffsetsAssignment plan;
  plan.offsets = {0, 0, 0};
  EXPECT_EQ(CostOfPlan(problem, plan), ~uint64_t{0});
}

// A pair within a group keeps its distance, so it pays either in every plan or
// in none. The cost of a plan is the sum over all pairs that pay, so it is
// never below the cost within groups.
RC_GTEST_PROP(PlanCost, IsTheSumOfWhatIsPaid, ()) {
  ProblemSpec spec;
  const auto count = *rc::gen::inRange<size_t>(2, 8);
  OffsetsAssignment plan;
  for (size_t i = 0; i < count; ++i) {
    spec.records.push_back({*rc::gen::inRange<size_t>(0, 8), i, i});
    spec.constraints.places.push_back({0, nullopt, kNoGroup, 0});
    plan.offsets.push_back(*rc::gen::inRange<size_t>(0, 16));
  }
  // The first two records form a group and keep their distance.
  const auto distance = *rc::gen::inRange<size_t>(0, 8);
  for (const size_t i : {size_t{0}, size_t{1}})
    spec.constraints.places[i].group = 0;
  spec.constraints.places[1].at = distance;
  plan.offsets[1] = plan.offsets[0] + distance;
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i + 1; j < count; ++j) {
      if (*rc::gen::arbitrary<bool>()) continue;
      spec.constraints.prefer_apart.push_back(
          {j, i, *rc::gen::inRange<uint64_t>(0, 4)});
    }
  }
  const Problem problem = *Problem::Create(spec);
  const std::vector<ApartPreference> paid = PaidPairs(problem, plan);
  uint64_t sum = 0;
  for (const ApartPreference& pair : paid) {
    RC_ASSERT(pair.first < pair.second);
    RC_ASSERT(pair.cost > 0);
    const size_t begin =
        std::max(plan.offsets[pair.first], plan.offsets[pair.second]);
    for (const size_t i : {pair.first, pair.second}) {
      RC_ASSERT(begin < plan.offsets[i] + spec.records[i].tensor_size);
    }
    sum += pair.cost;
  }
  RC_ASSERT(CostOfPlan(problem, plan) == sum);
  RC_ASSERT(CostWithinGroups(problem) <= sum);
}

}  // namespace
}  // namespace stowage
