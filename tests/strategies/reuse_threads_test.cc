// SPDX-License-Identifier: Apache-2.0
// Tests searches for the lowest cost on several threads. The thread sanitizer
// detects data races in these tests.
#include <cstddef>

#include "gtest/gtest.h"
#include "stowage/plan_cost.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

// Returns a problem of records that follow each other. Each record is live
// together with its predecessor, and prefers to be apart from the five records
// before its predecessor.
ProblemSpec Followers(size_t count) {
  ProblemSpec spec;
  for (size_t i = 0; i < count; ++i) {
    spec.records.emplace_back(1 + i * 37 % 50, i, i + 1);
    for (size_t k = i > 6 ? i - 6 : 0; k + 1 < i; ++k) {
      spec.constraints.prefer_apart.push_back({k, i, 1 + i % 4});
    }
  }
  spec.capacity = 150;
  return spec;
}

// With a time limit, each thread anneals independently, starting from the best
// plan that any thread has found.
TEST(ReuseThreads, FindSafePlansAndReportTheirCosts) {
  const auto problem = Problem::Create(Followers(80));
  SolveOptions options;
  options.time_limit_ns = 100'000'000;
  options.threads = 3;
  const auto solution = Solve(*problem, "optimal", options);
  ASSERT_TRUE(solution.ok()) << solution.status();
  ASSERT_TRUE(solution->has_plan());
  EXPECT_FALSE(FindViolation(*problem, *solution->offsets()));
  EXPECT_EQ(solution->cost, CostOfPlan(*problem, *solution->offsets()));
  EXPECT_LE(solution->cost_bound, solution->cost);
}

}  // namespace
}  // namespace stowage
