// SPDX-License-Identifier: Apache-2.0
// Tests how plans are kept when a problem with fixed offsets or constraints
// changes.
#include <cstddef>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/model/least_total.h"
#include "stowage/base/optional.h"
#include "stowage/replan.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ReplanConstraintsTest, KeepsAPlanWithTheTotalOfTheNewSizes) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 1, 2}};
  spec.fixed_offsets = {0, nullopt};
  const auto plan = VerifiedPlan::Create(*Problem::Create(spec),
                                         OffsetsAssignment{{0, 16}, 24});
  ASSERT_THAT(plan, IsOk());
  ReplanOptions options;
  options.cost_per_moved_byte = 10;
  for (const size_t size : {16u, 8u, 4u}) {
    SCOPED_TRACE(size);
    spec.records[1].tensor_size = size;
    const auto next = Replan(*Problem::Create(spec), *plan, options);
    ASSERT_THAT(next, IsOk());
    EXPECT_EQ(next->was_valid, size <= 8);  // the arena has 24 bytes
    EXPECT_THAT(next->moved, IsEmpty());
    EXPECT_THAT(next->plan.plan().offsets, ElementsAre(0, 16));
    EXPECT_EQ(next->plan.plan().total_size, 16 + size);
    EXPECT_EQ(next->plan.solution().total_size, 16 + size);
  }
}

// The sum of the pools stays the same, but one of them must grow.
TEST(ReplanConstraintsTest, IsNotValidIfAPoolMustGrow) {
  ProblemSpec spec;
  spec.records = {{10, 0, 1}, {10, 0, 1}};
  spec.constraints.pools = {{"first", {}}, {"second", {}}};
  spec.constraints.choices = {{{0, 0}}, {{1, 0}}};
  const auto plan = VerifiedPlan::Create(*Problem::Create(spec),
                                         OffsetsAssignment{{0, 0}, 20, {0, 1}});
  ASSERT_THAT(plan, IsOk());
  spec.records = {{12, 0, 1}, {8, 0, 1}};
  const auto next = Replan(*Problem::Create(spec), *plan);
  ASSERT_THAT(next, IsOk());
  EXPECT_FALSE(next->was_valid);
  EXPECT_THAT(next->moved, IsEmpty());
}

TEST(ReplanConstraintsTest, CountsRecordsThatChangeTheirPool) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 1, 1}};
  const Problem without = *Problem::Create(spec);
  spec.constraints.pools = {{"first", {}}, {"second", {}}};
  spec.constraints.choices = {{{0, 0}}, {{1, 0}}};
  const Problem with = *Problem::Create(spec);
  ReplanOptions options;
  options.strategy = "optimal";
  const auto plan = VerifiedPlan::Create(without, OffsetsAssignment{{0, 0}, 8});
  ASSERT_THAT(plan, IsOk());
  const auto next = Replan(with, *plan, options);
  ASSERT_THAT(next, IsOk());
  EXPECT_THAT(next->plan.plan().pools, ElementsAre(0, 1));
  EXPECT_THAT(next->moved, ElementsAre(1));
  EXPECT_EQ(next->moved_bytes, 8u);
  // The pools vanish.
  const auto last = Replan(without, next->plan, options);
  ASSERT_THAT(last, IsOk());
  EXPECT_THAT(last->plan.plan().offsets, ElementsAre(0, 0));
  EXPECT_THAT(last->moved, ElementsAre(1));
}

TEST(LeastTotalTest, IsTheSumOfThePools) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {4, 0, 0}, {2, 0, 0}};
  const Problem problem = *Problem::Create(spec);
  constexpr size_t kLargest = std::numeric_limits<size_t>::max();
  EXPECT_EQ(LeastTotal(problem, {{0, 8, 3}, 0}), 12u);
  EXPECT_EQ(LeastTotal(problem, {{0, 8, 3}, 0, {7, 0, 7}}), 20u);
  EXPECT_EQ(LeastTotal(problem, {{kLargest - 8, 0, 0}, 0}), kLargest);
  EXPECT_EQ(LeastTotal(problem, {{kLargest - 7, 0, 0}, 0}), nullopt);
  EXPECT_EQ(LeastTotal(problem, {{kLargest - 8, 0, 0}, 0, {0, 1, 0}}), nullopt);
  EXPECT_EQ(LeastTotal(problem, {{0, 8}, 0}), nullopt);
  EXPECT_EQ(LeastTotal(problem, {{0, 8, 3}, 0, {0}}), nullopt);
  EXPECT_EQ(LeastTotal(*Problem::Create({}), {}), 0u);
}

}  // namespace
}  // namespace stowage
