// SPDX-License-Identifier: Apache-2.0
// Tests the conflicts of problems with constraints: their records have no plan
// even without all other records, and every record is needed if the solution
// says so.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "src/kit/random_samples.h"
#include "src/model/keep_records.h"
#include "stowage/base/random.h"
#include "stowage/constraints.h"
#include "stowage/feature.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/testing/random_problems.h"
#include "stowage/verify.h"
#include "tests/plan/scripted_strategy.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::IsOk;

SolveOptions Complete() {
  SolveOptions options;
  options.time_limit_ns = kNoTimeLimit;
  options.node_budget = 200'000;
  return options;
}

// Returns the solution of the problem that consists of these records.
absl::StatusOr<Solution> SolveOf(const ProblemSpec& spec,
                                 const std::vector<size_t>& records) {
  const auto problem = Problem::Create(KeepRecords(spec, records));
  if (!problem.ok()) return problem.status();
  return Solve(*problem, "optimal", Complete());
}

struct ConflictCase {
  std::string name;
  ProblemSpec spec;
  std::string strategy = "optimal";
  std::vector<size_t> conflict;
  bool is_irreducible = true;
};

// Conflicts of a strategy that searches.
std::vector<ConflictCase> SearchedCases() {
  std::vector<ConflictCase> cases;
  {
    ConflictCase& c = cases.emplace_back();
    c.name = "a record of size 0 raises its group";
    c.spec.records = {{1, 3, 3}, {1, 3, 3}, {0, 3, 3}, {1, 2, 3}};
    c.spec.capacity = 3;
    c.spec.alignments = {1, 1, 4, 1};
    c.spec.constraints.places.resize(4);
    c.spec.constraints.places[0] = {0, absl::nullopt, 0, 1};
    c.spec.constraints.places[2] = {0, absl::nullopt, 0, 1};
    c.conflict = {2};
  }
  {
    ConflictCase& c = cases.emplace_back();
    c.name = "a mate allows no other pool";
    c.spec.records = {{1, 0, 0}, {1, 2, 2}, {1, 0, 0}};
    c.spec.fixed_offsets = {3, absl::nullopt, absl::nullopt};
    c.spec.constraints.places = {
        {0, absl::nullopt, 0, 0}, {0, absl::nullopt, 0, 1}, {}};
    c.spec.constraints.pools = {{"p0", absl::nullopt}, {"p1", absl::nullopt}};
    c.spec.constraints.holes = {{3, 6, 0, ~TaskId{0}, 1}};
    c.spec.constraints.choices = {{}, {{1, 0}}, {}};
    c.conflict = {0, 1};
  }
  {
    ConflictCase& c = cases.emplace_back();
    c.name = "three of many records exceed the capacity, two of them apart";
    c.spec.records.assign(80, {1, 5, 6});
    for (size_t i = 0; i < 80; ++i) {
      c.spec.records[i] = {1, 10 * i + 10, 10 * i + 12};
    }
    c.spec.records[30] = {4, 0, 1};
    c.spec.records[50] = {4, 1, 2};
    c.spec.records[70] = {4, 2, 3};
    c.spec.capacity = 11;
    c.spec.constraints.apart = {{30, 70}, {1, 2}};
    c.conflict = {30, 50, 70};
  }
  return cases;
}

// Conflicts of strategies that do not search.
std::vector<ConflictCase> CasesWithoutSearch() {
  std::vector<ConflictCase> cases;
  {
    ConflictCase& c = cases.emplace_back();
    c.name = "a bound of one pool";
    c.spec.records.assign(12, {1, 9, 9});
    c.spec.records[3] = {6, 0, 0};
    c.spec.records[7] = {6, 1, 1};
    c.spec.constraints.pools = {{"p0", 10}};
    c.spec.constraints.apart = {{3, 7}};
    c.strategy = "skyline";
    c.conflict = {3, 7};
    c.is_irreducible = false;
  }
  {
    ConflictCase& c = cases.emplace_back();
    c.name = "a record of size 0 raises its group, without a search";
    c.spec.records = {{1, 3, 3}, {0, 3, 3}, {1, 5, 5}};
    c.spec.capacity = 3;
    c.spec.alignments = {1, 4, 1};
    c.spec.constraints.places = {
        {0, absl::nullopt, 0, 1}, {0, absl::nullopt, 0, 1}, {}};
    c.strategy = "skyline";
    c.conflict = {1};
  }
  {
    // The bound of the pool names record 0 alone. Nothing proves without a
    // search that the group has no plan, but it may be needed as a whole.
    ConflictCase& c = cases.emplace_back();
    c.name = "a record of size 0 raises its group in a pool";
    c.spec = cases[1].spec;
    c.spec.capacity = absl::nullopt;
    c.spec.constraints.pools = {{"p0", 3}};
    c.strategy = "skyline";
    c.conflict = {0, 1};
    c.is_irreducible = false;
  }
  return cases;
}

TEST(SettleConflict, CompletesAndReduces) {
  std::vector<ConflictCase> cases = SearchedCases();
  for (ConflictCase& c : CasesWithoutSearch()) cases.push_back(std::move(c));
  for (const ConflictCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto problem = Problem::Create(c.spec);
    ASSERT_THAT(problem, IsOk());
    const auto solution = Solve(*problem, c.strategy, Complete());
    ASSERT_THAT(solution, IsOk());
    EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
    EXPECT_EQ(solution->conflict, c.conflict);
    EXPECT_EQ(solution->conflict_is_irreducible, c.is_irreducible);
    const bool has_witnesses =
        c.is_irreducible && c.spec.constraints.pools.empty();
    EXPECT_EQ(solution->conflict_witnesses.size(),
              has_witnesses ? c.conflict.size() : 0);
    for (size_t k = 0; has_witnesses && k < c.conflict.size(); ++k) {
      std::vector<size_t> rest = c.conflict;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      const Problem others = *Problem::Create(KeepRecords(c.spec, rest));
      EXPECT_FALSE(FindViolation(
          others, {solution->conflict_witnesses[k], *c.spec.capacity}));
    }
  }
}

// Never continues, and counts its calls.
class NeverContinuing final : public Observer {
 public:
  bool KeepGoing() override { return ++calls_ < 1; }
  int calls() const { return calls_; }

 private:
  int calls_ = 0;
};

TEST(SettleConflict, DoesNotAskAnObserverThatHasEndedTheSearch) {
  ProblemSpec spec;
  spec.records.assign(3, {4, 0, 1});
  spec.capacity = 20;
  spec.constraints.apart = {{0, 1}};
  const auto problem = Problem::Create(spec);
  ASSERT_THAT(problem, IsOk());
  // Claims after its search has been ended that there is no plan, so that the
  // conflict would be reduced.
  const ScriptedStrategy strategy(
      "scripted", {Feature::kOffsets, Feature::kApart},
      [](const Problem& /*problem*/, const SolveOptions& options) {
        EXPECT_FALSE(options.observer->KeepGoing());
        Solution solution;
        solution.status = SolutionStatus::kInfeasible;
        solution.conflict = {0, 1, 2};
        return solution;
      });
  NeverContinuing observer;
  SolveOptions options = Complete();
  options.observer = &observer;
  ASSERT_THAT(Solve(*problem, strategy, options), IsOk());
  EXPECT_EQ(observer.calls(), 1);
}

// Makes one constraint of the problem stricter, so that it may have no plan.
void Tighten(uint64_t seed, ProblemSpec* spec) {
  Random random(seed);
  const size_t i = random.Below(spec->records.size());
  const size_t count = spec->records.size();
  std::vector<MemoryPool>& pools = spec->constraints.pools;
  switch (random.Below(4)) {
    case 0:
      if (pools.empty()) break;
      pools[random.Below(pools.size())].capacity = random.Below(6);
      return;
    case 1:
      spec->fixed_offsets.resize(count);
      spec->fixed_offsets[i] = random.Below(8);
      return;
    case 2:
      spec->constraints.places.resize(count);
      spec->constraints.places[i].min += random.Below(8);
      return;
    default:
      break;
  }
  if (pools.empty()) spec->capacity = random.Below(16);
}

TEST(SettleConflict, HasNoPlanAlone) {
  testing::ProblemParameters parameters;
  parameters.has_never = true;
  parameters.has_prefer_apart = true;
  size_t conflicts = 0;
  size_t irreducible = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    parameters.has_same_or_apart = seed % 4 == 0;
    ProblemSpec spec = testing::RandomProblem(seed, 2 + seed % 5, parameters);
    Tighten(seed, &spec);
    const auto problem = Problem::Create(spec);
    if (!problem.ok()) continue;
    const auto solution =
        Solve(*problem, seed % 3 == 0 ? "skyline" : "optimal", Complete());
    ASSERT_THAT(solution, IsOk()) << seed;
    const std::vector<size_t>& conflict = solution->conflict;
    if (conflict.empty()) continue;
    ++conflicts;
    const auto alone = SolveOf(spec, conflict);
    ASSERT_THAT(alone, IsOk()) << seed;
    EXPECT_EQ(alone->status, SolutionStatus::kInfeasible) << seed;
    if (!solution->conflict_is_irreducible) continue;
    ++irreducible;
    for (size_t k = 0; k < conflict.size(); ++k) {
      std::vector<size_t> rest = conflict;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      const auto without = SolveOf(spec, rest);
      ASSERT_THAT(without, IsOk()) << seed;
      EXPECT_TRUE(without->has_plan()) << seed << ", " << conflict[k];
    }
  }
  EXPECT_GT(conflicts, 300u);
  EXPECT_GT(irreducible, 100u);
}

}  // namespace
}  // namespace stowage
