// SPDX-License-Identifier: Apache-2.0
#include "stowage/solution.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::IsOk;
using ::testing::ElementsAre;

TEST(SolutionTest, WithoutAPlanHasNothingToRead) {
  const Solution solution;
  EXPECT_FALSE(solution.has_plan());
  EXPECT_EQ(solution.offsets(), nullptr);
  EXPECT_EQ(solution.objects(), nullptr);
}

TEST(SolutionTest, HasThePlanOfItsKindOnly) {
  const Solution offsets = OffsetsAssignment{{0, 16}, 24};
  EXPECT_EQ(offsets.status, SolutionStatus::kFeasible);
  EXPECT_THAT(offsets.offsets()->offsets, ElementsAre(0, 16));
  EXPECT_EQ(offsets.objects(), nullptr);

  const Solution objects = ObjectsAssignment<size_t>{{0}, {32}};
  EXPECT_TRUE(objects.has_plan());
  EXPECT_THAT(objects.objects()->object_sizes, ElementsAre(32));
  EXPECT_EQ(objects.offsets(), nullptr);
}

TEST(SolutionTest, LosesItsPlanWhole) {
  Solution solution = OffsetsAssignment{{0, 16}, 24};
  solution.total_size = 24;
  solution.DropPlan(SolutionStatus::kTimeLimit);
  EXPECT_FALSE(solution.has_plan());
  EXPECT_EQ(solution.offsets(), nullptr);
  EXPECT_EQ(solution.total_size, 0u);
  EXPECT_EQ(solution.status, SolutionStatus::kTimeLimit);
}

TEST(SolutionTest, OfObjectsIsAPlanOfEitherKind) {
  ProblemSpec spec;
  spec.records = {{10, 0, 0}, {20, 0, 0}, {5, 1, 1}};
  spec.alignment = 8;
  const ObjectsAssignment<size_t> objects = {{0, 1, 0}, {10, 20}};
  const auto arena = SolutionOfObjects(*Problem::Create(spec), objects);
  ASSERT_THAT(arena, IsOk());
  EXPECT_THAT(arena->offsets()->offsets, ElementsAre(0, 16, 0));
  EXPECT_EQ(arena->offsets()->total_size, 36u);
  spec.kind = PlanKind::kObjects;
  const auto shared = SolutionOfObjects(*Problem::Create(spec), objects);
  ASSERT_THAT(shared, IsOk());
  EXPECT_THAT(shared->objects()->object_ids, ElementsAre(0, 1, 0));
}

}  // namespace
}  // namespace stowage
