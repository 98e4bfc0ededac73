// SPDX-License-Identifier: Apache-2.0
// Tests the results of strategies for the problems of tests/data/constraints,
// whose optima were found by exhaustive search.
#include "tests/support/constraint_vectors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "src/bounds/constrained_bound.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

using support::ConstraintVector;
using support::LoadConstraintVectors;

// Returns options with a time limit far above the time that any of these
// problems needs.
SolveOptions MuchTime() {
  SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(60));
  return options;
}

// Returns a spec that has only the given records but all holes of `spec`.
ProblemSpec SpecOfSome(const ProblemSpec& spec,
                       const std::vector<size_t>& records) {
  ProblemSpec some = spec;
  some.records.clear();
  some.names.clear();
  some.alignments.clear();
  some.fixed_offsets.clear();
  Constraints& constraints = some.constraints;
  constraints.places.clear();
  constraints.choices.clear();
  constraints.users = {};
  constraints.apart.clear();
  constraints.never.clear();
  constraints.prefer_apart.clear();
  std::vector<size_t> number(spec.records.size(), spec.records.size());
  for (const size_t i : records) {
    number[i] = some.records.size();
    some.records.push_back(spec.records[i]);
    const Constraints& all = spec.constraints;
    if (!spec.alignments.empty()) {
      some.alignments.push_back(spec.alignments[i]);
    }
    if (!spec.fixed_offsets.empty()) {
      some.fixed_offsets.push_back(spec.fixed_offsets[i]);
    }
    if (!all.places.empty()) constraints.places.push_back(all.places[i]);
    if (!all.choices.empty()) constraints.choices.push_back(all.choices[i]);
    if (all.order) constraints.users.Add(all.users[i]);
  }
  const auto is_there = [&](size_t i) { return number[i] < records.size(); };
  for (const std::vector<size_t>& set : spec.constraints.apart) {
    std::vector<size_t> rest;
    for (const size_t i : set) {
      if (is_there(i)) rest.push_back(number[i]);
    }
    if (rest.size() > 1) constraints.apart.push_back(std::move(rest));
  }
  for (const auto& [a, b] : spec.constraints.never) {
    if (is_there(a) && is_there(b)) {
      constraints.never.emplace_back(number[a], number[b]);
    }
  }
  return some;
}

void ExpectConflictIsInfeasible(const ProblemSpec& spec,
                                const std::vector<size_t>& conflict) {
  const auto problem = Problem::Create(SpecOfSome(spec, conflict));
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto solution = Solve(*problem, "optimal", MuchTime());
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
}

// Checks that a conflict is irreducible if the solution claims it. If the
// solution has witnesses, which are plans of all records of the conflict except
// one, also checks these plans. Returns whether there are witnesses.
bool ExpectIrreducible(const ProblemSpec& spec, const Solution& solution) {
  const std::vector<size_t>& conflict = solution.conflict;
  const bool is_shown = !solution.conflict_witnesses.empty();
  EXPECT_LE(is_shown, solution.conflict_is_irreducible);
  if (!solution.conflict_is_irreducible) return false;
  EXPECT_EQ(solution.conflict_witnesses.size(), is_shown ? conflict.size() : 0);
  for (size_t k = 0; k < conflict.size(); ++k) {
    std::vector<size_t> rest = conflict;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    const auto problem = Problem::Create(SpecOfSome(spec, rest));
    EXPECT_TRUE(problem.ok()) << problem.status();
    EXPECT_TRUE(Solve(*problem, "optimal", MuchTime())->has_plan());
    if (!is_shown) continue;
    const auto violation = FindViolation(
        *problem, {solution.conflict_witnesses[k], *spec.capacity, {}});
    EXPECT_FALSE(violation) << Describe(*violation);
  }
  return is_shown;
}

class ConstraintVectors : public testing::TestWithParam<std::string> {};

TEST_P(ConstraintVectors, OptimalFindsTheLeastCostAndTotalAndProvesThem) {
  for (const ConstraintVector& vector : LoadConstraintVectors(GetParam())) {
    SCOPED_TRACE(vector.name);
    const auto problem = Problem::Create(vector.spec);
    ASSERT_TRUE(problem.ok()) << problem.status();
    const auto solution = Solve(*problem, "optimal", MuchTime());
    ASSERT_TRUE(solution.ok()) << solution.status();
    if (vector.is_infeasible) {
      EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
      EXPECT_FALSE(solution->has_plan());
      if (!solution->conflict.empty()) {
        ExpectConflictIsInfeasible(vector.spec, solution->conflict);
      }
      continue;
    }
    ASSERT_EQ(solution->status, SolutionStatus::kOptimal) << solution->reason;
    EXPECT_EQ(solution->cost, vector.cost);
    EXPECT_EQ(solution->cost_bound, vector.cost);
    EXPECT_EQ(solution->total_size, vector.plan.total_size);
    EXPECT_EQ(solution->lower_bound, vector.plan.total_size);
    EXPECT_FALSE(FindViolation(*problem, *solution->offsets()));
  }
}

TEST_P(ConstraintVectors, BoundsAreNeverAboveTheTruth) {
  for (const ConstraintVector& vector : LoadConstraintVectors(GetParam())) {
    if (vector.is_infeasible) continue;
    SCOPED_TRACE(vector.name);
    const auto problem = Problem::Create(vector.spec);
    ASSERT_TRUE(problem.ok()) << problem.status();
    EXPECT_LE(LowerBoundOf(*problem).bytes, vector.plan.total_size);
    if (problem->constraints() != nullptr) {
      EXPECT_LE(BoundCost(*problem).cost, vector.cost);
      EXPECT_EQ(CostOfPlan(*problem, vector.plan), vector.cost);
    }
  }
}

// Checks that the strategy makes no false claim. The strategy may return a safe
// plan, refuse the problem and name a feature that it does not support, or
// return without a plan.
void ExpectHonest(const ConstraintVector& vector, const Problem& problem,
                  const Strategy& strategy) {
  const auto solution = Solve(problem, strategy, MuchTime());
  if (!solution.ok()) {
    const FeatureSet missing =
        problem.Requires().Without(strategy.info().features);
    EXPECT_TRUE(absl::IsUnimplemented(solution.status())) << solution.status();
    // The library rewrites some features into simpler ones for all strategies.
    // No strategy lacks such a feature, so the message does not have to name
    // every feature.
    const std::vector<std::string> names = missing.Names();
    EXPECT_TRUE(std::any_of(names.begin(), names.end(),
                            [&](const std::string& name) {
                              return absl::StrContains(
                                  solution.status().message(), name);
                            }))
        << solution.status();
    return;
  }
  if (!solution->has_plan()) {
    EXPECT_TRUE(solution->status == SolutionStatus::kTimeLimit ||
                (!strategy.info().is_search &&
                 solution->status == SolutionStatus::kOverCapacity) ||
                (vector.is_infeasible &&
                 solution->status == SolutionStatus::kInfeasible))
        << SolutionStatusName(solution->status);
    return;
  }
  EXPECT_FALSE(FindViolation(problem, *solution->offsets()));
  if (problem.capacity()) {
    EXPECT_LE(solution->total_size, *problem.capacity());
  }
  ASSERT_FALSE(vector.is_infeasible);
  const std::pair<uint64_t, size_t> found = {solution->cost,
                                             solution->total_size};
  const std::pair<uint64_t, size_t> truth = {vector.cost,
                                             vector.plan.total_size};
  EXPECT_GE(found, truth);
  EXPECT_LE(solution->cost_bound, vector.cost);
  if (solution->cost_bound == vector.cost) {
    EXPECT_LE(solution->lower_bound, vector.plan.total_size);
  }
  if (solution->status == SolutionStatus::kOptimal) {
    EXPECT_EQ(found, truth);
  }
}

TEST_P(ConstraintVectors, EveryStrategyPlansSafelyOrRefusesByName) {
  for (const ConstraintVector& vector : LoadConstraintVectors(GetParam())) {
    const auto problem = Problem::Create(vector.spec);
    ASSERT_TRUE(problem.ok()) << problem.status();
    for (const Strategy* strategy : AllStrategies()) {
      SCOPED_TRACE(vector.name + ", " + strategy->info().name);
      ExpectHonest(vector, *problem, *strategy);
    }
  }
}

// SKYLINE and GREEDY_BY_SIZE do not prove that there is no plan, but they find
// a plan for every small problem that has one.
TEST_P(ConstraintVectors, ConstructionsFindAPlanWhereThereIsOne) {
  for (const ConstraintVector& vector : LoadConstraintVectors(GetParam())) {
    if (vector.is_infeasible) continue;
    const auto problem = Problem::Create(vector.spec);
    ASSERT_TRUE(problem.ok()) << problem.status();
    // Without constraints, GREEDY_BY_SIZE makes the plan of the original
    // planner, even if this plan exceeds the capacity.
    if (problem->constraints() == nullptr) continue;
    for (const char* const strategy : {"skyline", "greedy_by_size"}) {
      SCOPED_TRACE(vector.name + ", " + strategy);
      const auto solution = Solve(*problem, strategy);
      if (absl::IsUnimplemented(solution.status())) continue;
      ASSERT_TRUE(solution.ok()) << solution.status();
      EXPECT_TRUE(solution->has_plan()) << solution->reason;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, ConstraintVectors,
                         testing::ValuesIn(support::ConstraintFamilies()),
                         [](const auto& family) { return family.param; });

// Solves each problem with a capacity one byte below its optimum, and counts
// the solutions with witnesses. The count is checked only for the families in
// which searches find most conflicts. Problems with groups have no witnesses,
// because it is unknown which members of a group the conflict needs. If a lower
// bound exceeds the capacity, there are no witnesses either, because no search
// is run.
TEST(ConstraintVectorsTest, WhatASearchFindsIrreducibleIsShown) {
  for (const std::string& family : support::ConstraintFamilies()) {
    size_t shown = 0;
    for (ConstraintVector& vector : LoadConstraintVectors(family)) {
      ProblemSpec& spec = vector.spec;
      const bool has_less = !vector.is_infeasible && vector.plan.total_size > 0;
      if (!has_less || !spec.constraints.pools.empty()) continue;
      SCOPED_TRACE(vector.name);
      spec.capacity = vector.plan.total_size - 1;
      const auto problem = Problem::Create(spec);
      ASSERT_TRUE(problem.ok()) << problem.status();
      const auto solution = Solve(*problem, "optimal", MuchTime());
      ASSERT_TRUE(solution.ok()) << solution.status();
      // With this capacity, the problem may still have a plan that is smaller
      // but costs more.
      if (solution->status != SolutionStatus::kInfeasible) continue;
      shown += ExpectIrreducible(spec, *solution) ? 1 : 0;
    }
    for (const char* const name :
         {"alignment", "apart", "holes", "partial", "pinned", "range"}) {
      EXPECT_TRUE(family != name || shown > 10) << name << ": " << shown;
    }
  }
}

// If records may share bytes, the optimum can be below the maximum breadth.
// Problems with constraints therefore need a different bound.
TEST(ConstraintVectorsTest, TheMaximumBreadthIsNoBoundWhereBytesAreShared) {
  for (const std::string family : {"alias", "group", "never"}) {
    size_t above = 0;
    for (const ConstraintVector& vector : LoadConstraintVectors(family)) {
      if (vector.is_infeasible) continue;
      const size_t breadth = OffsetsLowerBound(vector.spec.records);
      above += breadth > vector.plan.total_size ? 1 : 0;
    }
    EXPECT_GT(above, 0) << family;
  }
}

}  // namespace
}  // namespace stowage
