// SPDX-License-Identifier: Apache-2.0
// Tests which groups of records a plan keeps and which it drops. The choice
// with the smallest plan is preferred, and among plans of equal size, the one
// with more groups.
#include "src/plan/group_choice.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/constraints.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/verify.h"
#include "tests/support/constraint_vectors.h"

namespace stowage {
namespace {

struct GroupedRecord {
  size_t size;
  TaskId first;
  TaskId last;
  uint32_t group = kNoGroup;
  size_t at = 0;
};

ProblemSpec SpecOfGroups(const std::vector<GroupedRecord>& records) {
  ProblemSpec spec;
  for (const GroupedRecord& record : records) {
    spec.records.emplace_back(record.size, record.first, record.last);
    RecordPlace& place = spec.constraints.places.emplace_back();
    place.group = record.group;
    place.at = record.at;
  }
  return spec;
}

size_t GroupsIn(const std::vector<RecordPlace>& places) {
  size_t groups = 0;
  for (const RecordPlace& place : places) {
    if (place.group == kNoGroup) continue;
    groups = std::max(groups, size_t{place.group} + 1);
  }
  return groups;
}

// Returns a concatenation whose inputs are placed inside its output.
std::vector<GroupedRecord> Concatenated() {
  return {{4, 0, 2, 0, 0}, {4, 1, 2, 0, 4}, {8, 2, 3, 0, 0}};
}

// Returns a rigid group of two records and a third record that is live together
// with both. The third record is too large to be placed between the members of
// the group.
std::vector<GroupedRecord> Stiff() {
  return {{1, 0, 0, 0, 0}, {1, 1, 1, 0, 9}, {9, 0, 1}};
}

struct Choice {
  Solution solution;
  std::vector<RecordPlace> places;
  size_t problems = 0;
  size_t least_bytes = 0;
};

absl::StatusOr<Choice> Choose(ProblemSpec spec, absl::string_view strategy,
                              const SolveOptions& options = {}) {
  spec.groups_are_optional = true;
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  const absl::StatusOr<const Strategy*> found = FindStrategy(strategy);
  if (!found.ok()) return found.status();
  const absl::StatusOr<GroupChoice> choice =
      ChooseGroups(*problem, **found, options);
  if (!choice.ok()) return choice.status();
  return Choice{choice->solution, choice->solution.places, choice->problems,
                AlignedLowerBound(*problem)};
}

TEST(ChooseGroups, FindsTheSmallestPlan) {
  std::vector<GroupedRecord> both = Concatenated();
  for (GroupedRecord record : Stiff()) {
    record.first += 10;
    record.last += 10;
    if (record.group != kNoGroup) record.group = 7;
    both.push_back(record);
  }
  const struct {
    const char* name;
    std::vector<GroupedRecord> records;
    size_t total;
    size_t groups;    // number of groups that are kept
    size_t problems;  // number of problems that were solved
  } cases[] = {
      {"nothing to choose", {{4, 0, 1}, {4, 1, 2}}, 8, 0, 1},
      {"a group of one is none", {{4, 0, 1, 3, 100}}, 4, 0, 1},
      {"in place", {{4, 0, 1, 0, 0}, {4, 1, 2, 0, 0}}, 4, 1, 1},
      {"inputs of a concatenation", Concatenated(), 8, 1, 1},
      {"what keeps others away is given up", Stiff(), 10, 0, 2},
      {"of two bodies the one that pays is kept", both, 10, 1, 2},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto choice = Choose(SpecOfGroups(c.records), "optimal");
    ASSERT_TRUE(choice.ok()) << choice.status();
    EXPECT_EQ(choice->solution.total_size, c.total);
    EXPECT_EQ(choice->solution.status, SolutionStatus::kOptimal);
    EXPECT_EQ(choice->solution.lower_bound, c.total);
    EXPECT_EQ(GroupsIn(choice->places), c.groups);
    EXPECT_EQ(choice->problems, c.problems);
  }
}

// The lower bound includes the bytes lost to alignment. The first plan reaches
// this bound, so the search stops.
TEST(ChooseGroups, EndsAtTheAlignedBytesThatAreLive) {
  const std::vector<GroupedRecord> wake_word = {
      {40, 0, 9},        {96, 1, 5},          {48, 2, 5},
      {200, 3, 4, 0, 0}, {100, 4, 5, 0, 128}, {8, 4, 6}};
  const struct {
    const char* name;
    std::vector<GroupedRecord> records;
    size_t alignment;
    size_t least;
    size_t problems;
  } cases[] = {
      {"without alignment", wake_word, 1, 420, 1},
      // The sum of the padded sizes of the live tensors, 64 + 128 + 64 + 256 +
      // 64, without the last 56 bytes, which are padding above the highest
      // tensor.
      {"with alignment", wake_word, 64, 520, 1},
      {"in one place", {{3, 0, 1, 0}, {3, 1, 2, 0}, {5, 0, 2}}, 4, 9, 1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ProblemSpec spec = SpecOfGroups(c.records);
    spec.alignment = c.alignment;
    const auto choice = Choose(spec, "skyline");
    ASSERT_TRUE(choice.ok()) << choice.status();
    EXPECT_EQ(choice->least_bytes, c.least);
    EXPECT_EQ(choice->problems, c.problems);
    EXPECT_EQ(choice->solution.total_size, c.least);
  }
}

// Returns groups whose conflicts form a cycle. No plan is as small as the
// largest number of bytes that are live at once, so only limits stop the
// search.
ProblemSpec Unprovable() {
  std::vector<GroupedRecord> records;
  for (uint32_t i = 0; i < 40; ++i) {
    records.push_back({3 + i * 7 % 11, i, i + 3, i / 2, i % 2 * 5});
    records.push_back({1 + i * 5 % 7, i, i + 5});
  }
  ProblemSpec spec = SpecOfGroups(records);
  return spec;
}

TEST(ChooseGroups, SharesOneLimitAmongAllProblems) {
  SolveOptions options;
  options.node_budget = 200;
  options.time_limit_ns = kNoTimeLimit;
  const auto choice = Choose(Unprovable(), "optimal", options);
  ASSERT_TRUE(choice.ok()) << choice.status();
  ASSERT_GT(choice->problems, 2u);
  // A search checks its budget only now and then, so it may slightly exceed the
  // budget.
  EXPECT_LE(choice->solution.nodes, 400u);
  const auto again = Choose(Unprovable(), "optimal", options);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->solution.offsets()->offsets,
            choice->solution.offsets()->offsets);
}

// Records 0 and 1 must both be in the small pool, which has room for them only
// if they are at the same offset. Of the three pairs, only the last permits
// this.
TEST(ChooseGroups, FindsTheOnlyPairThatFitsThePools) {
  ProblemSpec spec;
  spec.records = {{4, 0, 0}, {4, 0, 0}, {4, 0, 0}, {4, 0, 0}};
  spec.constraints.pools = {{"large", {}}, {"small", 4}};
  spec.constraints.choices = {{{1}}, {{1}}, {}, {}};
  spec.constraints.same_or_apart = {{2, 1, 9}, {3, 1}, {0, 1}};
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  SolveOptions options;
  options.node_budget = 1000;
  options.time_limit_ns = kNoTimeLimit;
  const auto solution = Solve(*problem, "optimal", options);
  ASSERT_TRUE(solution.ok()) << solution.status();
  ASSERT_TRUE(solution->has_plan()) << solution->reason;
  EXPECT_EQ(solution->total_size, 12);
  EXPECT_FALSE(FindViolation(*problem, *solution->offsets()));
}

TEST(ChooseGroups, BeginsNothingAfterTheTime) {
  for (const char* strategy : {"skyline", "optimal"}) {
    SolveOptions options;
    options.time_limit_ns = 0;
    const auto choice = Choose(Unprovable(), strategy, options);
    ASSERT_TRUE(choice.ok()) << choice.status();
    EXPECT_TRUE(choice->solution.has_plan());
    EXPECT_EQ(choice->problems, 1u) << strategy;
  }
}

// A strategy that does not support groups can keep a group only if all records
// of the group have the same offset and the same size. These records are then
// merged into one.
TEST(ChooseGroups, KeepsWhatAStrategyWithoutGroupsCanPlan) {
  std::vector<GroupedRecord> records = Concatenated();
  records.push_back({8, 3, 4, 0, 0});
  const std::string strategy = "greedy_by_breadth";
  const auto found = FindStrategy(strategy);
  ASSERT_TRUE(found.ok());
  ASSERT_FALSE((*found)->info().features.Has(Feature::kGroups));
  const auto choice = Choose(SpecOfGroups(records), strategy);
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->solution.total_size, 16u);
  EXPECT_EQ(choice->solution.status, SolutionStatus::kFeasible);
  EXPECT_EQ(choice->solution.lower_bound, 8u);
  ASSERT_EQ(GroupsIn(choice->places), 1u);
  EXPECT_EQ(choice->places[0].group, kNoGroup);
  EXPECT_EQ(choice->places[2].group, choice->places[3].group);
}

TEST(ChooseGroups, ChecksACapacityForAllChoices) {
  const struct {
    size_t capacity;
    SolutionStatus status;
  } cases[] = {
      {9, SolutionStatus::kInfeasible},  // 10 bytes are live at once
      {10, SolutionStatus::kOptimal},
      {18, SolutionStatus::kOptimal},
  };
  for (const auto& c : cases) {
    ProblemSpec spec = SpecOfGroups(Stiff());
    spec.capacity = c.capacity;
    const auto choice = Choose(spec, "optimal");
    ASSERT_TRUE(choice.ok()) << choice.status();
    EXPECT_EQ(choice->solution.status, c.status) << c.capacity;
  }
}

// Returns a problem in which either a pair of same_or_apart or an optional
// group leaves a choice for records `a` and `b`.
ProblemSpec WithChoice(ProblemSpec spec, size_t a, size_t b, bool is_group) {
  if (!is_group) {
    spec.constraints.same_or_apart = {{a, b}};
    return spec;
  }
  spec.groups_are_optional = true;
  spec.constraints.places.resize(spec.records.size());
  spec.constraints.places[a].group = 0;
  spec.constraints.places[b].group = 0;
  return spec;
}

absl::StatusOr<Solution> SolutionOf(const ProblemSpec& spec,
                                    absl::string_view strategy) {
  const absl::StatusOr<Problem> problem = Problem::Create(spec);
  if (!problem.ok()) return problem.status();
  return Solve(*problem, **FindStrategy(strategy));
}

// A choice that has nothing to do with a contradiction does not hide it.
TEST(ChooseGroups, FindsContradictionsOfAllChoices) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 1, 2}, {8, 5, 6}, {8, 6, 7}};
  spec.fixed_offsets = {0, 4, absl::nullopt, absl::nullopt};
  for (const char* strategy : {"skyline", "greedy_by_size", "optimal"}) {
    for (const bool is_group : {false, true}) {
      const auto solution =
          SolutionOf(WithChoice(spec, 2, 3, is_group), strategy);
      ASSERT_TRUE(solution.ok()) << solution.status();
      EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
      EXPECT_THAT(solution->conflict, ::testing::ElementsAre(0u, 1u));
    }
  }
}

// Pairs that may share bytes for two reasons do not hide a contradiction
// either.
TEST(ChooseGroups, FindsContradictionsBesidePairsInGroups) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 1, 2}, {8, 5, 6}, {8, 6, 7}};
  spec.fixed_offsets = {0, 4, absl::nullopt, absl::nullopt};
  spec.constraints.never = {{3, 2}};
  const auto never = SolutionOf(WithChoice(spec, 2, 3, true), "skyline");
  ASSERT_TRUE(never.ok()) << never.status();
  EXPECT_EQ(never->status, SolutionStatus::kInfeasible);
  spec.constraints.never.clear();
  spec.constraints.same_or_apart = {{3, 2}};
  const auto pair = SolutionOf(WithChoice(spec, 2, 3, true), "skyline");
  ASSERT_TRUE(pair.ok()) << pair.status();
  EXPECT_EQ(pair->status, SolutionStatus::kInfeasible);
  EXPECT_THAT(pair->conflict, ::testing::ElementsAre(0u, 1u));
}

// Records that may share a place or a group do not contradict each other there.
TEST(ChooseGroups, FindsNoContradictionThatAChoiceAvoids) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 1, 2}};
  spec.fixed_offsets = {16, 16};
  for (const bool is_group : {false, true}) {
    const auto solution =
        SolutionOf(WithChoice(spec, 0, 1, is_group), "optimal");
    ASSERT_TRUE(solution.ok()) << solution.status();
    EXPECT_TRUE(solution->has_plan());
    EXPECT_EQ(solution->total_size, 24u);
  }
}

// Because of alignment, the plan needs one byte more than the largest number of
// live bytes. The search proves this for one choice of groups, but nothing
// proves it for all choices.
TEST(ChooseGroups, IsNotSaidToBeOptimalForWhatOneChoiceProves) {
  ProblemSpec spec = SpecOfGroups(
      {{3, 0, 1}, {4, 0, 1}, {1, 0, 1}, {2, 5, 6, 0}, {2, 6, 7, 0}});
  spec.alignment = 4;
  const auto choice = Choose(spec, "optimal");
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->solution.total_size, 9u);
  EXPECT_EQ(choice->solution.lower_bound, 8u);
  EXPECT_EQ(choice->solution.status, SolutionStatus::kFeasible);
  EXPECT_EQ(GroupsIn(choice->places), 1u);
  spec.constraints.places.clear();
  const auto without = Choose(spec, "optimal");
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(without->solution.status, SolutionStatus::kOptimal);
  EXPECT_EQ(without->solution.lower_bound, 9u);
}

TEST(ChooseGroups, RefusesWhatIsNoProblem) {
  ProblemSpec spec = SpecOfGroups(Concatenated());
  spec.alignment = 8;  // the second lies at byte 4 of its group
  EXPECT_EQ(Choose(spec, "optimal").status().code(),
            absl::StatusCode::kInvalidArgument);
  spec.alignment = 3;
  EXPECT_EQ(Choose(spec, "optimal").status().code(),
            absl::StatusCode::kInvalidArgument);
  spec.alignment = 1;
  spec.constraints.places.pop_back();
  EXPECT_EQ(Choose(spec, "optimal").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Choose(SpecOfGroups(Stiff()), "unheard").status().code(),
            absl::StatusCode::kNotFound);
}

// The chosen plan is safe. It is never larger than the smallest plan that keeps
// all groups, and never smaller than the claimed bound.
TEST(ChooseGroups, IsNoLargerThanAllGroupsOfTheVectors) {
  size_t smaller = 0;
  for (const char* family : {"alias", "group", "gaps"}) {
    for (const auto& vector : support::LoadConstraintVectors(family)) {
      SCOPED_TRACE(vector.name);
      SolveOptions options;
      options.node_budget = 20'000;
      const auto choice = Choose(vector.spec, "optimal", options);
      ASSERT_TRUE(choice.ok()) << choice.status();
      if (vector.is_infeasible) continue;
      ASSERT_TRUE(choice->solution.has_plan());
      const Solution& solution = choice->solution;
      EXPECT_LE(solution.total_size, vector.plan.total_size);
      EXPECT_LE(solution.lower_bound, solution.total_size);
      EXPECT_EQ(solution.status == SolutionStatus::kOptimal,
                solution.lower_bound == solution.total_size);
      smaller += solution.total_size < vector.plan.total_size ? 1 : 0;
      ProblemSpec chosen = vector.spec;
      chosen.constraints.places = choice->places;
      const auto problem = Problem::Create(chosen);
      ASSERT_TRUE(problem.ok()) << problem.status();
      EXPECT_FALSE(FindViolation(*problem, *solution.offsets()).has_value());
    }
  }
  EXPECT_GT(smaller, 0u);
}

TEST(DecidedProblem, HasAllGroupsIfThereIsNoPlan) {
  ProblemSpec spec;
  spec.records = {{2, 0, 0}, {2, 0, 0}, {2, 0, 0}};
  spec.constraints.places.resize(3);
  spec.constraints.places[1].group = 0;
  spec.constraints.places[2].group = 0;
  spec.constraints.same_or_apart = {{0, 1}};
  spec.capacity = 3;
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto solution = Solve(*problem, "optimal");
  ASSERT_TRUE(solution.ok()) << solution.status();
  ASSERT_FALSE(solution->has_plan());
  const auto decided = DecidedProblem(*problem, *solution);
  ASSERT_TRUE(decided.ok()) << decided.status();
  EXPECT_TRUE(decided->constraints()->same_or_apart.empty());
  EXPECT_EQ(decided->constraints()->places[1].group,
            decided->constraints()->places[2].group);
}

// Record 1 must end at or below byte 19, but start at byte 7 or above.
TEST(DecidedProblem, HasGroupsThatHaveNoRoom) {
  ProblemSpec spec;
  spec.records = {{15, 1, 2}, {15, 1, 2}};
  spec.constraints.places.resize(2);
  spec.constraints.places[1] = {0, 19, 0, 7};
  spec.constraints.same_or_apart = {{0, 1}};
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto solution = Solve(*problem, "optimal");
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
  EXPECT_THAT(solution->conflict, ::testing::ElementsAre(1));
  const auto decided = DecidedProblem(*problem, *solution);
  ASSERT_TRUE(decided.ok()) << decided.status();
  EXPECT_EQ(decided->constraints()->places[1].at, 7);
}

// Costs do not change which plans exist.
TEST(ChooseGroups, NoPlanOfAnyCostIsInfeasible) {
  ProblemSpec spec;
  spec.records = {{3, 2, 2}, {3, 2, 2}, {3, 0, 2}};
  spec.capacity = 8;
  spec.constraints.holes = {{5, 6, 0, 2}};
  spec.constraints.same_or_apart = {{1, 0}};
  spec.constraints.prefer_apart = {{0, 1, 7}};
  const auto problem = Problem::Create(spec);
  ASSERT_TRUE(problem.ok()) << problem.status();
  SolveOptions options;
  options.time_limit_ns = kNoTimeLimit;
  const auto solution = Solve(*problem, "optimal", options);
  ASSERT_TRUE(solution.ok()) << solution.status();
  EXPECT_EQ(solution->status, SolutionStatus::kInfeasible);
}

}  // namespace
}  // namespace stowage
