// SPDX-License-Identifier: Apache-2.0
// Tests problems with unusually many or large constraints. Results are returned
// in bounded time, and nothing overflows.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "stowage/certificate.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/verify.h"
#include "tests/support/test_observer.h"

namespace stowage {
namespace {

// Returns `count` records, each of which is live for three tasks. One record
// begins at each task.
ProblemSpec Sequence(size_t count) {
  ProblemSpec spec;
  for (size_t i = 0; i < count; ++i) {
    const auto first = static_cast<TaskId>(i);
    spec.records.emplace_back(16 + i % 7 * 8, first, first + 2);
  }
  return spec;
}

// Expects a safe plan. If planning takes too long, CTest stops the test.
void ExpectPlan(ProblemSpec spec, const std::string& strategy) {
  SCOPED_TRACE(strategy);
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto solution = Solve(*problem, strategy);
  ASSERT_TRUE(solution.ok()) << solution.status();
  ASSERT_TRUE(solution->has_plan()) << solution->reason;
  EXPECT_FALSE(FindViolation(*problem, *solution->offsets()));
}

void ExpectPlans(const ProblemSpec& spec) {
  for (const char* strategy : {"skyline", "optimal", "greedy_by_size"}) {
    ExpectPlan(spec, strategy);
  }
}

TEST(LargeConstraints, ManyRecordsAroundOneHole) {
  ProblemSpec spec = Sequence(100000);
  spec.constraints.holes = {{64, 96, 1000, 2000, 0}};
  ExpectPlans(spec);
}

// A pass that takes a moment is made even if there is no time.
TEST(LargeConstraints, NoTime) {
  ProblemSpec spec = Sequence(1000);
  spec.constraints.holes = {{64, 96, 100, 200, 0}};
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  SolveOptions options;
  options.time_limit_ns = 0;
  const auto solution = Solve(*problem, "optimal", options);
  ASSERT_TRUE(solution.ok()) << solution.status();
  ASSERT_TRUE(solution->has_plan());
  EXPECT_LT(solution->total_size, 2 * LowerBoundOf(*problem).bytes);
}

TEST(LargeConstraints, ManyHoles) {
  ProblemSpec spec = Sequence(5000);
  for (size_t k = 0; k < 5000; ++k) {
    const auto task = static_cast<TaskId>(k);
    spec.constraints.holes.push_back(
        {k % 50 * 40, k % 50 * 40 + 4, task, task, 0});
  }
  ExpectPlans(spec);
}

// The gaps between the holes are too small for the larger half of the records.
TEST(LargeConstraints, HolesThatAreThereForEver) {
  ProblemSpec spec = Sequence(1000);
  for (size_t k = 0; k < 50000; ++k) {
    spec.constraints.holes.push_back({k * 50, k * 50 + 10, 0, 2000, 0});
  }
  ExpectPlans(spec);
}

TEST(LargeConstraints, HolesOfOneTaskEach) {
  ProblemSpec spec = Sequence(20000);
  for (size_t k = 0; k < 20000; ++k) {
    const auto task = static_cast<TaskId>(k);
    spec.constraints.holes.push_back({k % 3, 100 + k % 97, task, task, 0});
  }
  ExpectPlans(spec);
}

TEST(LargeConstraints, ManySetsAndPairsThatAreApart) {
  ProblemSpec spec = Sequence(20000);
  for (size_t k = 0; k < 10000; ++k) {
    spec.constraints.apart.push_back({k, k + 10000});
  }
  ExpectPlans(spec);
  for (size_t k = 0; k < 200000; ++k) {
    spec.constraints.apart.push_back({k % 2000, 2000 + k / 2000 * 7 + k % 7});
  }
  ExpectPlan(spec, "skyline");
}

TEST(LargeConstraints, ManyNeverPairs) {
  ProblemSpec spec;
  for (size_t i = 0; i < 3000; ++i) spec.records.emplace_back(8 + i % 5, 0, 9);
  for (size_t i = 0; i + 1 < 3000; i += 2) {
    spec.constraints.never.emplace_back(i, i + 1);
  }
  ExpectPlans(spec);
}

TEST(LargeConstraints, ManyGroupsAndOneOfAll) {
  ProblemSpec spec = Sequence(20000);
  spec.constraints.places.resize(spec.records.size());
  for (size_t i = 0; i < spec.records.size(); ++i) {
    spec.constraints.places[i].group = static_cast<uint32_t>(i / 4);
    spec.constraints.places[i].at = i % 4 * 8;
  }
  ExpectPlans(spec);
  for (RecordPlace& place : spec.constraints.places) place.group = 0;
  ExpectPlans(spec);
}

TEST(LargeConstraints, HalfOfTheRecordsAreFixed) {
  ProblemSpec spec = Sequence(8000);
  spec.constraints.holes = {{4096, 4128, 0, 10, 0}};
  spec.fixed_offsets.resize(spec.records.size());
  for (size_t i = 0; i < spec.records.size(); i += 2) {
    spec.fixed_offsets[i] = i % 4 * 64;
  }
  ExpectPlan(spec, "skyline");
  ExpectPlan(spec, "optimal");
}

// For some selections of records for the fast pool, the live bytes never exceed
// the capacity of the pool, but the records nevertheless cannot be packed into
// it.
TEST(LargeConstraints, ManyRecordsInAPoolThatIsNeverPackedFull) {
  ProblemSpec spec;
  uint64_t cost_of_slow = 0;
  for (size_t i = 0; i < 70; ++i) {
    const auto first = static_cast<TaskId>(i);
    spec.records.emplace_back(1 + i * 7919 % 4096, first,
                              first + static_cast<TaskId>(i * 31 % 15));
    spec.constraints.choices.push_back({{0, 0}, {1, 1 + i % 9}});
    cost_of_slow += 1 + i % 9;
  }
  spec.constraints.pools = {{"fast", 15000}, {"slow", absl::nullopt}};
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  SolveOptions options;
  options.node_budget = 1;
  for (const char* strategy : {"skyline", "optimal"}) {
    SCOPED_TRACE(strategy);
    const auto solution = Solve(*problem, strategy, options);
    ASSERT_TRUE(solution.ok()) << solution.status();
    ASSERT_TRUE(solution->has_plan()) << solution->reason;
    EXPECT_FALSE(FindViolation(*problem, *solution->offsets()));
    EXPECT_LT(solution->cost, cost_of_slow / 2);
  }
}

TEST(LargeConstraints, ManyRecordsInTwoPools) {
  ProblemSpec spec = Sequence(100000);
  spec.constraints.pools = {{"fast", 100}, {"slow", absl::nullopt}};
  spec.constraints.choices.assign(spec.records.size(), {{0, 0}, {1, 1}});
  ExpectPlan(spec, "skyline");
  ExpectPlan(spec, "optimal");
  for (auto& record : spec.records) record = {8, 0, 5};
  ExpectPlan(spec, "skyline");
}

// The search would have to decide the order of so many pairs that only its
// limits stop it.
TEST(LargeConstraints, AllRecordsLiveTogetherAndMisaligned) {
  ProblemSpec spec;
  for (size_t i = 0; i < 600; ++i) {
    spec.records.emplace_back(1 + i % 13, 0, 3);
    spec.alignments.push_back(size_t{1} << i % 5);
  }
  spec.constraints.holes = {{100, 103, 0, 3, 0}};
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok());
  SolveOptions options;
  options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(2));
  const auto solution = Solve(*problem, "optimal", options);
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_TRUE(solution->has_plan());
}

TEST(LargeConstraints, SizesAndPlacesNearTheEndOfTheAddressesDoNotWrap) {
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  size_t problems = 0;
  for (const size_t size : {(size_t{1} << 60) - 1, size_t{1} << 60,
                            size_t{1} << 62, (size_t{1} << 63) + 1}) {
    for (const size_t far : {size_t{0}, size_t{1} << 60, kMax - 8}) {
      ProblemSpec spec;
      spec.records = {{size, 0, 1}, {8, 1, 2}, {0, 2, 3}};
      spec.constraints.places.resize(3);
      spec.constraints.places[1].min = far;
      spec.constraints.holes = {{4, 8, 0, 3, 0}};
      const auto problem = Problem::Create(spec);
      if (!problem.ok()) continue;
      ++problems;
      for (const char* name : {"skyline", "optimal", "greedy_by_size"}) {
        SCOPED_TRACE(absl::StrCat(name, " ", size, " ", far));
        const auto solution = Solve(*problem, name);
        if (!solution.ok() || !solution->has_plan()) continue;
        EXPECT_FALSE(FindViolation(*problem, *solution->offsets()));
      }
      ProblemSpec pooled = spec;
      pooled.constraints.pools = {{"a", size_t{64}}, {"b", absl::nullopt}};
      const auto in_pools = Problem::Create(pooled);
      if (!in_pools.ok()) continue;
      const auto solution = Solve(*in_pools, "optimal");
      if (solution.ok() && solution->has_plan()) {
        EXPECT_FALSE(FindViolation(*in_pools, *solution->offsets()));
      }
    }
  }
  EXPECT_GT(problems, 0);
}

TEST(LargeConstraints, PoolsWithoutRoomAreInfeasible) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {0, 0, 1}};
  spec.constraints.pools = {{"none", size_t{0}}, {"small", size_t{7}}};
  auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  auto solution = Solve(*problem, "optimal");
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
  spec.records[0].tensor_size = 7;
  problem = Problem::Create(spec);
  solution = Solve(*problem, "optimal");
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->status, SolutionStatus::kOptimal);
  EXPECT_EQ(solution->total_size, 7);
}

TEST(LargeConstraints, NothingToPlaceIsPlanned) {
  ProblemSpec spec;
  spec.constraints.holes = {{0, 8, 0, 1, 0}};
  ExpectPlans(spec);
  spec.records = {{0, 0, 1}, {0, 1, 2}};
  spec.constraints.apart = {{0, 1}};
  ExpectPlans(spec);
}

// Returns a problem whose optimum the search cannot prove within a second, for
// tests of limits.
ProblemSpec Hard(size_t count) {
  ProblemSpec spec;
  for (size_t i = 0; i < count; ++i) {
    const auto first = static_cast<TaskId>(i * 7919 % 97);
    spec.records.emplace_back(1 + i * 31 % 61, first,
                              first + static_cast<TaskId>(i * 17 % 23));
    spec.alignments.push_back(size_t{1} << i % 4);
  }
  spec.constraints.holes = {{50, 55, 0, 50, 0}};
  return spec;
}

TEST(ConstrainedLimits, EndTheSearchWithAPlan) {
  for (const bool has_pools : {false, true}) {
    ProblemSpec spec = Hard(400);
    if (has_pools) {
      spec.constraints.pools = {{"a", size_t{300}}, {"b", absl::nullopt}};
      spec.constraints.choices.assign(400, {{0, 0}, {1, 3}});
    }
    const auto problem = Problem::Create(spec);
    ASSERT_TRUE(problem.ok()) << problem.status();
    LowerBoundOf(*problem);
    support::ImpatientObserver impatient;
    for (const bool is_cancelled : {false, true}) {
      SolveOptions options;
      options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Milliseconds(1));
      if (is_cancelled) {
        options.time_limit_ns = absl::ToInt64Nanoseconds(absl::Seconds(60));
        options.observer = &impatient;
      }
      const auto solution = Solve(*problem, "optimal", options);
      ASSERT_TRUE(solution.ok()) << solution.status();
      ASSERT_TRUE(solution->has_plan()) << has_pools << is_cancelled;
      EXPECT_NE(solution->status, SolutionStatus::kOptimal);
      EXPECT_FALSE(FindViolation(*problem, *solution->offsets()));
      // The library promises to return within 51 ms. The test allows more,
      // because tests run without optimization and on busy machines.
      EXPECT_LT(absl::Nanoseconds(solution->time_ns), absl::Seconds(2));
    }
  }
}

// Selecting a pool for each record repeatedly takes several seconds.
TEST(ConstrainedLimits, EndTheChoiceOfPoolsWithAPlan) {
  ProblemSpec spec = Hard(50);
  spec.constraints.holes.clear();
  spec.constraints.pools = {{"a", size_t{150}}, {"b", absl::nullopt}};
  for (const ByteRecord& record : spec.records) {
    spec.constraints.choices.push_back({{0, 0}, {1, record.tensor_size}});
  }
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  support::ImpatientObserver impatient;
  SolveOptions options;
  options.observer = &impatient;
  const auto solution = Solve(*problem, "skyline", options);
  ASSERT_TRUE(solution.ok()) << solution.status();
  ASSERT_TRUE(solution->has_plan());
  EXPECT_FALSE(FindViolation(*problem, *solution->offsets()));
  EXPECT_LT(absl::Nanoseconds(solution->time_ns), absl::Seconds(2));
}

// Without pools, skyline does not search, so limits do not change its plan.
TEST(ConstrainedLimits, DoNotConcernWhatDoesNotSearch) {
  const auto problem = Problem::Create(Hard(50));
  ASSERT_TRUE(problem.ok()) << problem.status();
  support::ImpatientObserver impatient;
  SolveOptions options;
  const auto expected = Solve(*problem, "skyline", options);
  options.time_limit_ns = 0;
  options.observer = &impatient;
  const auto found = Solve(*problem, "skyline", options);
  ASSERT_TRUE(expected.ok() && found.ok());
  ASSERT_TRUE(expected->has_plan() && found->has_plan());
  EXPECT_EQ(expected->offsets()->offsets, found->offsets()->offsets);
}

TEST(ConstrainedLimits, ABudgetOfNodesGivesTheSamePlanAgain) {
  const auto problem = Problem::Create(Hard(60));
  ASSERT_TRUE(problem.ok()) << problem.status();
  SolveOptions options;
  options.node_budget = 300;
  options.threads = 1;
  const auto first = Solve(*problem, "optimal", options);
  options.threads = 4;
  const auto second = Solve(*problem, "optimal", options);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->offsets()->offsets, second->offsets()->offsets);
  EXPECT_EQ(first->nodes, second->nodes);
  EXPECT_LE(first->nodes, 300);
}

TEST(ConstrainedLimits, DecidingEndsWithAPlanWithinTheCapacity) {
  ProblemSpec spec = Hard(30);
  const auto unlimited = Problem::Create(spec);
  ASSERT_TRUE(unlimited.ok());
  spec.capacity = Solve(*unlimited, "skyline")->total_size;
  const auto problem = Problem::Create(spec);
  SolveOptions options;
  options.decide = true;
  const auto solution = Solve(*problem, "optimal", options);
  ASSERT_TRUE(solution.ok()) << solution.status();
  ASSERT_TRUE(solution->has_plan());
  EXPECT_LE(solution->total_size, *spec.capacity);
}

// The plan that is optimal without the constraint violates it, so the
// certificate of that plan must be refuted.
TEST(ConstrainedCertificates, HoldUnderTheConstraints) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 2, 3}};
  ProblemSpec constrained = spec;
  constrained.constraints.apart = {{0, 1}};
  for (const ProblemSpec& of : {constrained, spec}) {
    const auto problem = Problem::Create(of);
    const auto text = FormatCertificate(*problem, *Solve(*problem, "optimal"));
    ASSERT_TRUE(text.ok()) << text.status();
    const auto verdict = CheckCertificate(constrained, *text);
    ASSERT_TRUE(verdict.ok()) << verdict.status();
    EXPECT_EQ(verdict->refuted.empty(), !of.constraints.empty())
        << verdict->refuted;
  }
}

}  // namespace
}  // namespace stowage
