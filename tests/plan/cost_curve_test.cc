// SPDX-License-Identifier: Apache-2.0
// Tests the trade-off of plans between memory and cost. The expected results
// come from an enumeration of all plans of small problems.
#include "stowage/cost_curve.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/constraints.h"
#include "stowage/plan_cost.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr uint64_t kNoCost = std::numeric_limits<uint64_t>::max();

SolveOptions Nodes(uint64_t nodes) {
  SolveOptions options;
  options.node_budget = nodes;
  return options;
}

// Returns three records, live one after another, that prefer to be apart.
ProblemSpec Chain() {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 1, 1}, {8, 2, 2}};
  spec.constraints.prefer_apart = {{0, 1, 5}, {1, 2, 3}, {0, 2, 1}};
  return spec;
}

struct LimitCase {
  const char* name;
  uint64_t limit;
  optional<size_t> capacity;
  SolutionStatus status;
  size_t total;  // 0 without a plan
  const char* reason;
  const char* proof;  // of the lower bound of the total
};

class CostLimit : public testing::TestWithParam<LimitCase> {};

TEST_P(CostLimit, GivesTheLeastTotal) {
  const LimitCase& row = GetParam();
  ProblemSpec spec = Chain();
  spec.capacity = row.capacity;
  const Problem problem = *Problem::Create(spec);
  const auto solution =
      SolveWithCostLimit(problem, "optimal", row.limit, Nodes(10000));
  ASSERT_THAT(solution.status(), IsOk());
  EXPECT_EQ(SolutionStatusName(solution->status),
            SolutionStatusName(row.status));
  EXPECT_EQ(solution->has_plan(), row.total > 0);
  EXPECT_EQ(solution->total_size, row.total);
  EXPECT_THAT(solution->reason, HasSubstr(row.reason));
  EXPECT_EQ(NameOf(solution->bound_proof), row.proof);
  if (!solution->has_plan()) return;
  EXPECT_EQ(FindViolation(problem, *solution->offsets()), nullopt);
  EXPECT_EQ(solution->cost, CostOfPlan(problem, *solution->offsets()));
  EXPECT_LE(solution->cost, row.limit);
}

INSTANTIATE_TEST_SUITE_P(
    Limits, CostLimit,
    testing::Values(
        LimitCase{"all_pay", 9, nullopt, SolutionStatus::kOptimal, 8, "live",
                  "bytes live at task 0"},
        LimitCase{"more_than_all", 100, nullopt, SolutionStatus::kOptimal, 8,
                  "live", "bytes live at task 0"},
        LimitCase{"one_pays", 8, nullopt, SolutionStatus::kOptimal, 16,
                  "no smaller plan costs 8 or less", "cost of smaller plans"},
        LimitCase{"the_cheapest_pays", 1, nullopt, SolutionStatus::kOptimal, 16,
                  "no smaller plan costs 1 or less", "cost of smaller plans"},
        LimitCase{"none_pays", 0, nullopt, SolutionStatus::kOptimal, 24,
                  "no smaller plan costs 0 or less", "cost of smaller plans"},
        LimitCase{"beyond_the_capacity", 0, 16, SolutionStatus::kInfeasible, 0,
                  "no plan costs less than 1; the limit is 0",
                  "bytes live at task 0"},
        LimitCase{"no_plan_at_all", 100, 7, SolutionStatus::kInfeasible, 0, "7",
                  "bytes live at task 0"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CostLimit, IsNotProvedToBeTooLowByAStrategyThatIgnoresCosts) {
  ProblemSpec spec = Chain();
  const auto solution = SolveWithCostLimit(*Problem::Create(spec),
                                           "greedy_by_size", 0, Nodes(100));
  ASSERT_THAT(solution.status(), IsOk());
  EXPECT_EQ(solution->status, SolutionStatus::kTimeLimit);
  EXPECT_THAT(solution->reason,
              HasSubstr("the least cost that was found is 9, and no plan costs "
                        "less than 0; the limit is 0"));
}

// Every solution names the proof of its bound, regardless of its status.
TEST(CostLimit, AlwaysHasAProofOfItsBound) {
  std::set<SolutionStatus> statuses;
  for (const char* const strategy : {"optimal", "skyline", "naive"}) {
    for (const optional<size_t> capacity :
         {optional<size_t>(), optional<size_t>(7), optional<size_t>(8),
          optional<size_t>(16), optional<size_t>(24)}) {
      for (const uint64_t nodes : {0u, 1u, 3u, 20u, 10000u}) {
        for (const uint64_t limit : {0u, 1u, 4u, 8u, 9u}) {
          ProblemSpec spec = Chain();
          spec.capacity = capacity;
          const Problem problem = *Problem::Create(spec);
          for (const bool has_limit : {false, true}) {
            const auto solution =
                has_limit
                    ? SolveWithCostLimit(problem, strategy, limit, Nodes(nodes))
                    : Solve(problem, strategy, Nodes(nodes));
            ASSERT_THAT(solution.status(), IsOk());
            EXPECT_NE(NameOf(solution->bound_proof), "")
                << strategy << " " << SolutionStatusName(solution->status);
            statuses.insert(solution->status);
          }
        }
      }
    }
  }
  EXPECT_THAT(statuses, UnorderedElementsAre(SolutionStatus::kOptimal,
                                             SolutionStatus::kFeasible,
                                             SolutionStatus::kInfeasible,
                                             SolutionStatus::kTimeLimit,
                                             SolutionStatus::kOverCapacity));
}

// Returns two chains, each in a pool of its own.
ProblemSpec TwoChains() {
  ProblemSpec spec = Chain();
  for (size_t i = 0; i < 3; ++i) spec.records.push_back(spec.records[i]);
  for (size_t p = 0; p < 3; ++p) {
    ApartPreference other = spec.constraints.prefer_apart[p];
    other.first += 3;
    other.second += 3;
    spec.constraints.prefer_apart.push_back(other);
  }
  spec.constraints.pools = {{"sram", {}}, {"dram", {}}};
  for (uint32_t i = 0; i < 6; ++i) {
    spec.constraints.choices.push_back({{i / 3, 0}});
  }
  return spec;
}

// The capacities of both pools decrease together until the cost is too high.
TEST(CostLimit, ScalesAllPools) {
  const Problem problem = *Problem::Create(TwoChains());
  const struct {
    uint64_t limit;
    size_t total;
    SolutionStatus status;
  } kCases[] = {{18, 16, SolutionStatus::kOptimal},
                {17, 32, SolutionStatus::kFeasible},
                {2, 32, SolutionStatus::kFeasible},
                {1, 48, SolutionStatus::kFeasible},
                {0, 48, SolutionStatus::kFeasible}};
  for (const auto& row : kCases) {
    const auto solution =
        SolveWithCostLimit(problem, "optimal", row.limit, Nodes(20000));
    ASSERT_THAT(solution.status(), IsOk());
    EXPECT_EQ(solution->total_size, row.total) << row.limit;
    EXPECT_EQ(solution->status, row.status) << row.limit;
    EXPECT_LE(solution->cost, row.limit);
    EXPECT_EQ(solution->cost, CostOfPlan(problem, *solution->offsets()));
    EXPECT_EQ(FindViolation(problem, *solution->offsets()), nullopt);
    EXPECT_EQ(NameOf(solution->bound_proof), "pools");
  }
}

// The smallest plan has record 0 in the more expensive pool.
TEST(CostLimit, AllowsDearerPools) {
  ProblemSpec spec;
  spec.records = {{10, 0, 0}, {10, 2, 2}};
  spec.constraints.pools = {{"sram", {}}, {"dram", {}}};
  spec.constraints.choices = {{{0, 0}, {1, 1}}, {{1, 0}}};
  spec.constraints.prefer_apart = {{0, 1, 1}};
  const Solution solution =
      *SolveWithCostLimit(*Problem::Create(spec), "optimal", 5, Nodes(20000));
  EXPECT_EQ(solution.total_size, 10u);
  EXPECT_EQ(solution.cost, 2u);
  EXPECT_EQ(solution.status, SolutionStatus::kOptimal);
  // To cost at most 4, a plan must keep records 2 and 3 of pool 0 apart.
  spec.records.insert(spec.records.end(), {{4, 0, 0}, {4, 2, 2}});
  spec.constraints.choices.resize(4, {{0, 0}});
  spec.constraints.prefer_apart.push_back({2, 3, 5});
  const Solution larger =
      *SolveWithCostLimit(*Problem::Create(spec), "optimal", 4, Nodes(20000));
  EXPECT_LE(larger.lower_bound, 18u);
}

// The capacity of a pool is never raised above the one given for it.
TEST(CostLimit, KeepsTheCapacitiesOfPools) {
  ProblemSpec spec = TwoChains();
  spec.constraints.pools[1].capacity = 16;
  const Problem problem = *Problem::Create(spec);
  const auto solution = SolveWithCostLimit(problem, "optimal", 1, Nodes(20000));
  ASSERT_THAT(solution.status(), IsOk());
  EXPECT_EQ(solution->cost, 1u);
  EXPECT_EQ(solution->total_size, 24u + 16u);
}

struct ErrorCase {
  const char* name;
  void (*change)(ProblemSpec* spec);
  absl::StatusCode code;
  const char* message;
};

class CostCurveError : public testing::TestWithParam<ErrorCase> {};

TEST_P(CostCurveError, IsReturned) {
  ProblemSpec spec = Chain();
  GetParam().change(&spec);
  const Problem problem = *Problem::Create(spec);
  EXPECT_THAT(CostCurve(problem, "optimal", 3).status(),
              FailsWith(GetParam().code, HasSubstr(GetParam().message)));
  EXPECT_THAT(SolveWithCostLimit(problem, "optimal", 1).status(),
              FailsWith(GetParam().code, HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Problems, CostCurveError,
    testing::Values(ErrorCase{"no_constraints",
                              [](ProblemSpec* spec) { spec->constraints = {}; },
                              absl::StatusCode::kInvalidArgument,
                              "expected prefer_apart"},
                    ErrorCase{"pools_alone",
                              [](ProblemSpec* spec) {
                                spec->constraints = {};
                                spec->constraints.pools = {{"sram", 16}};
                              },
                              absl::StatusCode::kInvalidArgument,
                              "expected prefer_apart"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(CostCurve, NeedsAStrategyAndTwoPoints) {
  const Problem problem = *Problem::Create(Chain());
  EXPECT_THAT(CostCurve(problem, "no_such", 3).status(),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("no_such")));
  EXPECT_THAT(SolveWithCostLimit(problem, "no_such", 3).status(),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("no_such")));
  for (const size_t count : {size_t{0}, size_t{1}, size_t{10'001}}) {
    EXPECT_THAT(CostCurve(problem, "optimal", count).status(),
                FailsWith(absl::StatusCode::kInvalidArgument,
                          HasSubstr("expected 2 to 10000")));
  }
}

struct PointCase {
  size_t capacity;
  uint64_t cost;
};

void ExpectPoints(const ProblemSpec& spec, size_t count,
                  const std::vector<PointCase>& expected) {
  const auto curve =
      CostCurve(*Problem::Create(spec), "optimal", count, Nodes(10000));
  ASSERT_THAT(curve.status(), IsOk());
  ASSERT_EQ(curve->size(), expected.size());
  for (size_t k = 0; k < expected.size(); ++k) {
    const Solution& solution = (*curve)[k].solution;
    EXPECT_EQ((*curve)[k].capacity, expected[k].capacity);
    EXPECT_EQ(solution.cost, expected[k].cost);
    EXPECT_EQ(solution.cost_bound, expected[k].cost);
  }
}

TEST(CostCurve, HasEveryCapacityOnce) {
  ExpectPoints(Chain(), 2, {{8, 9}, {24, 0}});
  ExpectPoints(Chain(), 3, {{8, 9}, {24, 0}});  // 12 is rounded down to 8
  ExpectPoints(Chain(), 9, {{8, 9}, {16, 1}, {24, 0}});
}

TEST(CostCurve, IgnoresTheCapacityOfTheProblem) {
  ProblemSpec spec = Chain();
  spec.capacity = 8;
  ExpectPoints(spec, 9, {{8, 9}, {16, 1}, {24, 0}});
  spec.capacity.reset();
  spec.constraints.pools = {{"sram", 8}};
  ExpectPoints(spec, 9, {{8, 9}, {16, 1}, {24, 0}});
}

TEST(CostCurve, ScalesAllPools) {
  ProblemSpec spec = TwoChains();
  spec.constraints.pools[0].capacity = 8;  // is ignored
  ExpectPoints(spec, 9, {{16, 18}, {32, 2}, {48, 0}});
  // Adds a record to the second pool that is live throughout. The first pool
  // grows to 24 bytes, and the second one from 16 to 32.
  spec.records.push_back({8, 0, 2});
  spec.constraints.choices.push_back({{1, 0}});
  const auto curve =
      CostCurve(*Problem::Create(spec), "optimal", 9, Nodes(20000));
  ASSERT_THAT(curve.status(), IsOk());
  ASSERT_EQ(curve->size(), 3u);
  EXPECT_THAT((*curve)[0].capacities, ElementsAre(8, 16));
  EXPECT_THAT((*curve)[1].capacities, ElementsAre(16, 24));
  EXPECT_THAT((*curve)[2].capacities, ElementsAre(24, 32));
}

// The cost of a plan includes what its records pay for their pools.
TEST(CostCurve, CountsPools) {
  ProblemSpec spec = Chain();
  spec.constraints.pools = {{"sram", {}}, {"dram", {}}};
  spec.constraints.choices = {{{0, 0}}, {{0, 0}}, {{1, 4}}};
  ExpectPoints(spec, 9, {{16, 9}, {24, 4}});
}

TEST(CostCurve, IsOnePointIfEveryPlanOfLeastTotalCostsLeast) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 1, 2}};
  spec.constraints.prefer_apart = {{0, 1, 5}};
  ExpectPoints(spec, 4, {{16, 0}});
}

TEST(CostCurve, SaysThatThereIsNoPlan) {
  // Two records are live at the same task, but only one of them has room.
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 0, 0}, {8, 1, 1}};
  spec.constraints.prefer_apart = {{0, 2, 1}};
  spec.constraints.places.resize(3);
  spec.constraints.places[0].max = 8;
  spec.constraints.places[1].max = 8;
  const auto curve =
      CostCurve(*Problem::Create(spec), "optimal", 4, Nodes(10000));
  ASSERT_THAT(curve.status(), IsOk());
  ASSERT_EQ(curve->size(), 1);
  EXPECT_EQ(curve->front().solution.status, SolutionStatus::kInfeasible);
}

// Stops every search immediately, and counts the calls of its two functions.
class Ending final : public Observer {
 public:
  bool OnProgress(const SearchProgress& /*progress*/) override {
    ++progress_;
    return true;
  }
  bool KeepGoing() override {
    ++asked_;
    return false;
  }
  int asked() const { return asked_; }
  int progress() const { return progress_; }

 private:
  int asked_ = 0;
  int progress_ = 0;
};

TEST(CostCurve, EndsWithItsObserver) {
  const Problem problem = *Problem::Create(Chain());
  SolveOptions options;
  options.time_limit_ns = kNoTimeLimit;
  for (const bool has_limit : {false, true}) {
    Ending ending;
    options.observer = &ending;
    if (has_limit) {
      EXPECT_THAT(SolveWithCostLimit(problem, "optimal", 2, options).status(),
                  IsOk());
    } else {
      EXPECT_THAT(CostCurve(problem, "optimal", 4, options).status(), IsOk());
    }
    EXPECT_LE(ending.asked(), 1);
    EXPECT_EQ(ending.progress(), 0);
  }
}

// Tries all plans of a small problem with preferences, and stores the lowest
// cost for each total size.
class Enumeration {
 public:
  explicit Enumeration(ProblemSpec spec)
      : problem_(*Problem::Create(std::move(spec))) {
    for (const auto& record : problem_.records()) end_ += record.tensor_size;
    costs_.assign(end_ + 1, kNoCost);
    plan_.offsets.resize(problem_.size());
    Place(0);
  }

  const Problem& problem() const { return problem_; }
  uint64_t LeastCost(size_t capacity) const {
    const auto end = costs_.begin() +
                     static_cast<std::ptrdiff_t>(std::min(capacity, end_)) + 1;
    return *std::min_element(costs_.begin(), end);
  }
  size_t LeastTotal(uint64_t limit) const {
    size_t total = 0;
    while (costs_[total] > limit) ++total;
    return total;
  }

 private:
  void Place(size_t i) {
    if (i == problem_.size()) {
      plan_.total_size = 0;
      for (size_t k = 0; k < i; ++k) {
        plan_.total_size =
            std::max(plan_.total_size,
                     plan_.offsets[k] + problem_.records()[k].tensor_size);
      }
      if (FindViolation(problem_, plan_)) return;
      uint64_t& cost = costs_[plan_.total_size];
      cost = std::min(cost, CostOfPlan(problem_, plan_));
      return;
    }
    const size_t size = problem_.records()[i].tensor_size;
    for (size_t offset = 0; offset + size <= end_; ++offset) {
      plan_.offsets[i] = offset;
      Place(i + 1);
    }
  }

  Problem problem_;
  size_t end_ = 0;
  std::vector<uint64_t> costs_;
  OffsetsAssignment plan_;
};

Enumeration RandomEnumeration() {
  ProblemSpec spec;
  for (size_t i = 0; i < 4; ++i) {
    const auto first = *rc::gen::inRange<size_t>(0, 4);
    spec.records.push_back({*rc::gen::inRange<size_t>(1, 4), first,
                            first + *rc::gen::inRange<size_t>(0, 2)});
    for (size_t j = 0; j < i; ++j) {
      spec.constraints.prefer_apart.push_back(
          {i, j, *rc::gen::inRange<uint64_t>(0, 5)});
    }
  }
  return Enumeration(std::move(spec));
}

RC_GTEST_PROP(CostLimitProperty, GivesTheTotalOfTheEnumeration, ()) {
  const Enumeration all = RandomEnumeration();
  const auto limit = *rc::gen::inRange<uint64_t>(0, 16);
  const auto solution =
      SolveWithCostLimit(all.problem(), "optimal", limit, Nodes(20000));
  RC_ASSERT(solution.ok());
  RC_ASSERT(solution->has_plan());
  RC_ASSERT(!FindViolation(all.problem(), *solution->offsets()));
  RC_ASSERT(solution->cost == CostOfPlan(all.problem(), *solution->offsets()));
  RC_ASSERT(solution->cost <= limit);
  const size_t least = all.LeastTotal(limit);
  RC_ASSERT(solution->total_size == least);
  RC_ASSERT(solution->lower_bound <= least);
  if (solution->status == SolutionStatus::kOptimal) {
    RC_ASSERT(solution->lower_bound == least);
  }
}

// Under all limits, the curve never rises, and its bounds are valid.
RC_GTEST_PROP(CostCurveProperty, NeverRisesAndIsTrue, ()) {
  const Enumeration all = RandomEnumeration();
  const Problem& problem = all.problem();
  const auto nodes = *rc::gen::inRange<uint64_t>(0, 400);
  const auto count = *rc::gen::inRange<size_t>(2, 8);
  const auto curve = CostCurve(problem, "optimal", count, Nodes(nodes));
  RC_ASSERT(curve.ok());
  RC_ASSERT(!curve->empty());
  RC_ASSERT(curve->size() <= count);
  const CostPoint* before = nullptr;
  for (const CostPoint& point : *curve) {
    const Solution& solution = point.solution;
    RC_ASSERT(solution.has_plan());
    RC_ASSERT(!FindViolation(problem, *solution.offsets()));
    RC_ASSERT(solution.cost == CostOfPlan(problem, *solution.offsets()));
    RC_ASSERT(solution.total_size <= point.capacity);
    const uint64_t least = all.LeastCost(point.capacity);
    RC_ASSERT(solution.cost_bound <= least);
    RC_ASSERT(least <= solution.cost);
    if (before != nullptr) {
      RC_ASSERT(before->capacity < point.capacity);
      RC_ASSERT(before->solution.cost >= solution.cost);
      RC_ASSERT(before->solution.cost_bound >= solution.cost_bound);
    }
    before = &point;
  }
}

}  // namespace
}  // namespace stowage
