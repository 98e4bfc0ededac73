// SPDX-License-Identifier: Apache-2.0
// Tests how SolveWithCostLimit (stowage/cost_curve.h) divides its nodes. Its
// results are tested in cost_curve_test.cc.
#include "gtest/gtest.h"
#include "stowage/constraints.h"
#include "stowage/cost_curve.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

// Returns a problem for which a search with 3,000 nodes finds a plan of cost
// 37, whereas a search with 7,500 nodes that begins with the smallest plan does
// not even reach a cost of 38.
ProblemSpec SlowToBecomeCheap() {
  ProblemSpec spec;
  spec.records = {{15, 30, 32}, {4, 13, 13}, {8, 37, 37},  {7, 32, 32},
                  {12, 38, 38}, {12, 4, 6},  {16, 10, 10}, {12, 25, 27},
                  {4, 6, 8},    {8, 12, 19}, {4, 39, 39},  {4, 38, 39},
                  {7, 18, 25},  {16, 1, 8},  {4, 5, 5}};
  spec.alignments = {1, 1, 16, 1, 1, 1, 1, 1, 1, 1, 16, 1, 1, 1, 8};
  spec.capacity = 32;
  spec.constraints.prefer_apart = {
      {9, 0, 9},  {10, 7, 8},  {8, 4, 6},   {14, 6, 9},  {11, 8, 6},
      {7, 2, 7},  {14, 1, 5},  {10, 0, 6},  {13, 12, 7}, {10, 6, 8},
      {7, 5, 8},  {11, 3, 9},  {5, 3, 2},   {11, 5, 1},  {13, 10, 2},
      {6, 5, 8},  {13, 11, 1}, {9, 4, 2},   {14, 5, 9},  {11, 4, 4},
      {8, 2, 5},  {9, 2, 8},   {13, 5, 3},  {9, 5, 3},   {12, 9, 3},
      {10, 9, 2}, {13, 6, 5},  {12, 3, 4},  {9, 1, 2},   {13, 9, 8},
      {11, 6, 7}, {12, 4, 7},  {4, 0, 9},   {6, 3, 8},   {10, 5, 8},
      {4, 2, 7},  {8, 7, 9},   {14, 12, 6}, {12, 8, 1},  {13, 4, 8},
      {5, 4, 5},  {12, 2, 7},  {14, 11, 5}, {5, 1, 9},   {7, 0, 2}};
  return spec;
}

TEST(SolveWithCostLimit, SpendsWhatIsLeftOnTheFirstPlanWithinTheLimit) {
  const auto problem = Problem::Create(SlowToBecomeCheap());
  ASSERT_THAT(problem, support::IsOk());
  SolveOptions options;
  options.node_budget = 3000;
  const auto plain = Solve(*problem, "optimal", options);
  ASSERT_THAT(plain, support::IsOk());
  ASSERT_EQ(plain->cost, 37u);
  options.node_budget = 30000;
  const auto limited = SolveWithCostLimit(*problem, "optimal", 38, options);
  ASSERT_THAT(limited, support::IsOk());
  ASSERT_TRUE(limited->has_plan()) << limited->reason;
  EXPECT_LE(limited->cost, 38u);
}

}  // namespace
}  // namespace stowage
