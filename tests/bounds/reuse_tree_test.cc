// SPDX-License-Identifier: Apache-2.0
// Tests the bound that distinguishes cases, in each of which a pair of records
// is either apart or pays. Compares the bound with all plans of small problems,
// and tests when the computation must stop without distinguishing any case.
#include "src/bounds/reuse_tree.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "src/base/work_limit.h"
#include "src/bounds/reuse_bound.h"
#include "stowage/base/random.h"
#include "stowage/problem.h"
#include "tests/bounds/costly_problems.h"
#include "tests/support/least_cost.h"

namespace stowage {
namespace {

constexpr uint64_t kWorkOfRoot = uint64_t{1} << 18;

// The prices of the cliques of these records are fractions. The bound rises by
// one in both cases of a pair.
TEST(ReuseTree, RaisesTheBoundOfFractionalPrices) {
  ProblemSpec spec;
  spec.records = {{4, 0, 0}, {2, 1, 2}, {3, 2, 3},
                  {2, 3, 3}, {1, 4, 4}, {3, 5, 5}};
  spec.constraints.prefer_apart = {{1, 3, 4}, {1, 4, 2}, {3, 4, 2}, {1, 5, 2},
                                   {2, 5, 4}, {3, 5, 4}, {4, 5, 3}};
  spec.capacity = 7;
  const Problem problem = Problem::Create(spec).value();
  const ReuseBound root = BoundReuse(problem, kWorkOfRoot, nullptr);
  EXPECT_EQ(root.cost, 5u);
  EXPECT_EQ(BoundReuseByCases(problem, root, 6, nullptr), 6u);
  EXPECT_EQ(support::LeastCostOfAllPlans(spec), 6u);
}

TEST(ReuseTree, NoPlanCostsLess) {
  Random random(1);
  for (size_t k = 0; k < 1500; ++k) {
    SCOPED_TRACE(absl::StrCat("problem ", k));
    const ProblemSpec spec = RandomCostlySpec(&random);
    const auto problem = Problem::Create(spec);
    if (!problem.ok() || problem->constraints() == nullptr) continue;
    const absl::optional<uint64_t> least = support::LeastCostOfAllPlans(spec);
    if (!least) continue;
    const ReuseBound root = BoundReuse(*problem, kWorkOfRoot, nullptr);
    // A search never requests a higher bound than the cost of its plan.
    const uint64_t bound = BoundReuseByCases(*problem, root, *least, nullptr);
    EXPECT_GE(bound, root.cost);
    EXPECT_LE(bound, *least);
    // Even if a higher bound is requested, the cases never prove more than the
    // least cost.
    EXPECT_LE(BoundReuseByCases(*problem, root, *least + 3, nullptr), *least);
  }
}

// Returns five records of two bytes, which are live one after the other. Three
// of them fit into the capacity side by side.
ProblemSpec FiveInThreePlaces() {
  ProblemSpec spec;
  for (uint32_t i = 0; i < 5; ++i) {
    spec.records.emplace_back(2, i, i);
    for (uint32_t j = 0; j < i; ++j) {
      spec.constraints.prefer_apart.push_back({j, i, 1});
    }
  }
  spec.capacity = 7;
  return spec;
}

TEST(ReuseTree, EndsWithoutCases) {
  const ProblemSpec spec = FiveInThreePlaces();
  const Problem problem = Problem::Create(spec).value();
  const ReuseBound root = BoundReuse(problem, kWorkOfRoot, nullptr);
  // The bound of the root already reaches the requested bound.
  EXPECT_EQ(BoundReuseByCases(problem, root, root.cost, nullptr), root.cost);
  EXPECT_EQ(BoundReuseByCases(problem, root, 0, nullptr), 0u);
  // The computation is cancelled before it begins.
  const std::atomic<bool> cancelled = true;
  StopSignal stop;
  stop.cancelled = &cancelled;
  EXPECT_EQ(BoundReuseByCases(problem, root, 2, &stop), root.cost);
}

TEST(ReuseTree, LeavesManyRecordsAlone) {
  ProblemSpec spec = FiveInThreePlaces();
  while (spec.records.size() <= kMaxRecordsOfCases) {
    spec.records.emplace_back(2, 0, 0);
  }
  const Problem problem = Problem::Create(spec).value();
  ReuseBound root;
  root.cost = 1;
  EXPECT_EQ(BoundReuseByCases(problem, root, 2, nullptr), 1u);
}

}  // namespace
}  // namespace stowage
