// SPDX-License-Identifier: Apache-2.0
// Problems with constraints: they are valid, sound planners pass, and broken
// ones are caught by the property of what they break.
#include "stowage/testing/problem_properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rapidcheck/gtest.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/random_problems.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

using ::testing::ContainsRegex;

void ExpectWitnessIsSafe(const Instance& instance) {
  const auto problem = Problem::Create(SpecOf(instance));
  ASSERT_THAT(problem, support::IsOk());
  const auto violation = FindViolation(*problem, instance.witness);
  EXPECT_FALSE(violation) << Describe(*violation, *problem);
}

TEST(RandomProblems, AreOfTheirFeaturesAndHaveAPlan) {
  for (const Feature feature : kAllFeatures) {
    if (!kConstraintFeatures.Has(feature)) continue;
    ProblemKnobs knobs;
    knobs.features = {feature};
    size_t count = 0;
    for (uint64_t seed = 0; seed < 500; ++seed) {
      const Instance instance = RandomProblem(seed, 1 + seed % 12, knobs);
      ExpectWitnessIsSafe(instance);
      const FeatureSet required = Problem::Create(SpecOf(instance))
                                      ->Requires()
                                      .Without({Feature::kOffsets});
      EXPECT_TRUE(required.Without({feature}).empty());
      if (!required.empty()) ++count;
    }
    EXPECT_GT(count, 300U) << FeatureName(feature);
  }
}

RC_GTEST_PROP(AnyProblems, HaveAPlan, ()) {
  ProblemKnobs knobs;
  knobs.has_never = true;
  knobs.has_prefer_apart = true;
  const Instance instance = *AnyProblems(knobs);
  const auto problem = Problem::Create(SpecOf(instance));
  RC_ASSERT(problem.ok());
  RC_ASSERT(!FindViolation(*problem, instance.witness));
}

TEST(ProblemProperties, HoldOfASoundPlanner) {
  SearchForProblem search;
  search.problems = 700;
  for (const bool has_pairs : {false, true}) {
    search.knobs.has_never = has_pairs;
    search.knobs.has_prefer_apart = has_pairs;
    const auto failure = FindFailure(StrategyProblemPlanFn("skyline"), search);
    EXPECT_FALSE(failure) << failure->property << ": " << failure->status;
  }
}

TEST(ProblemProperties, FailAPlannerThatRefuses) {
  const auto failure =
      FindFailure([](const Problem&) -> absl::StatusOr<OffsetsAssignment> {
        return absl::OutOfRangeError("no");
      });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->property, "problem_completeness");
}

TEST(ProblemProperties, PassAPlannerThatClaimsNothing) {
  EXPECT_FALSE(
      FindFailure([](const Problem&) -> absl::StatusOr<OffsetsAssignment> {
        return absl::UnimplementedError("no");
      }));
}

// A sound planner that is asked another problem, or whose plan is damaged.
struct ProblemMutant {
  const char* name;
  std::function<void(ProblemSpec*)> forget;
  std::function<void(const Problem&, OffsetsAssignment*)> damage;
  const char* property;
  const char* message;  // of the violation
  size_t records;       // of the smallest problem, at most
};

ProblemPlanFn BrokenPlannerOf(const ProblemMutant& mutant) {
  return [&mutant, sound = StrategyProblemPlanFn("skyline")](
             const Problem& problem) -> absl::StatusOr<OffsetsAssignment> {
    Instance asked = MakeInstance(problem);
    ProblemSpec spec = SpecOf(asked);
    if (mutant.forget) mutant.forget(&spec);
    const auto changed = Problem::Create(std::move(spec));
    if (!changed.ok()) return absl::UnimplementedError("contradiction");
    auto plan = sound(*changed);
    if (!plan.ok()) return absl::UnimplementedError("no plan");
    if (mutant.damage) mutant.damage(problem, &*plan);
    return plan;
  };
}

void ForEachPlace(ProblemSpec* spec,
                  const std::function<void(RecordPlace*)>& change) {
  for (RecordPlace& place : spec->constraints.places) change(&place);
}

// Whether moving the record breaks more than what the mutant is about.
bool IsFixed(const Problem& problem, size_t i) {
  return problem.alignments().Of(i) > 1 || problem.fixed_offset(i);
}
bool IsHeld(const Problem& problem, size_t i) {
  return IsFixed(problem, i) || problem.constraints()->places[i].max;
}

void EndBeyondMax(const Problem& problem, OffsetsAssignment* plan) {
  if (problem.constraints() == nullptr) return;
  const auto& places = problem.constraints()->places;
  for (size_t i = 0; i < places.size(); ++i) {
    const size_t size = problem.records()[i].tensor_size;
    if (!places[i].max || size == 0 || IsFixed(problem, i)) continue;
    plan->offsets[i] = *places[i].max - size + 1;
    plan->total_size = std::max(plan->total_size, *places[i].max + 1);
    return;
  }
}

void MoveAMemberByAByte(const Problem& problem, OffsetsAssignment* plan) {
  if (problem.constraints() == nullptr) return;
  const auto& places = problem.constraints()->places;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group == kNoGroup || IsHeld(problem, i)) continue;
    ++plan->offsets[i];
    ++plan->total_size;
    return;
  }
}

void UseAnotherPool(const Problem& problem, OffsetsAssignment* plan) {
  for (size_t i = 0; i < plan->pools.size(); ++i) {
    if (problem.constraints()->choices[i].size() != 1) continue;
    plan->pools[i] = 1 - plan->pools[i];
    return;
  }
}

const std::vector<ProblemMutant>& ProblemMutants() {
  static const auto* const mutants = new std::vector<ProblemMutant>{
      {"forgets fixed offsets",
       [](ProblemSpec* s) { s->fixed_offsets.clear(); }, nullptr,
       "fixed_offsets", "fixed", 1},
      {"ignores holes", [](ProblemSpec* s) { s->constraints.holes.clear(); },
       nullptr, "places", "hole", 1},
      {"begins below min",
       [](ProblemSpec* s) {
         ForEachPlace(s, [](RecordPlace* p) { p->min = 0; });
       },
       nullptr, "places", "below", 1},
      {"ends a byte beyond max", nullptr, EndBeyondMax, "places", "", 1},
      {"moves a member of a group by a byte", nullptr, MoveAMemberByAByte,
       "groups", "group", 2},
      {"forgets who is apart",
       [](ProblemSpec* s) { s->constraints.apart.clear(); }, nullptr, "apart",
       "at any time", 2},
      {"uses a pool that is not allowed", nullptr, UseAnotherPool, "pools",
       "pool", 1},
      {"forgets capacities",
       [](ProblemSpec* s) {
         for (MemoryPool& pool : s->constraints.pools) pool.capacity.reset();
       },
       nullptr, "pools", "beyond the", 3},
      {"runs all tasks in turn",
       [](ProblemSpec* s) {
         s->constraints.order.reset();
         s->constraints.users = UserLists();
         for (Hole& hole : s->constraints.holes) {
           hole.first_task = 0;
           hole.last_task = 1000;
         }
       },
       nullptr, "partial_order", "may run at once", 2},
  };
  return *mutants;
}

TEST(ProblemProperties, CatchMutants) {
  for (const ProblemMutant& mutant : ProblemMutants()) {
    SCOPED_TRACE(mutant.name);
    const auto failure = FindFailure(BrokenPlannerOf(mutant));
    if (!failure) {
      ADD_FAILURE() << "not caught";
      continue;
    }
    EXPECT_EQ(std::string(failure->property), mutant.property)
        << failure->status;
    EXPECT_THAT(std::string(failure->status.message()),
                ContainsRegex(mutant.message));
    EXPECT_LE(failure->smallest.records.size(), mutant.records);
  }
}

// Nobody is failed for what it has not claimed.
TEST(ProblemProperties, AskOnlyWhatIsClaimed) {
  for (const ProblemMutant& mutant : ProblemMutants()) {
    SearchForProblem search;
    search.problems = 150;
    search.knobs.features = {};
    for (const Feature feature : kAllFeatures) {
      if (kConstraintFeatures.Has(feature) &&
          FeatureName(feature) != mutant.property) {
        search.knobs.features.Add(feature);
      }
    }
    const auto failure = FindFailure(BrokenPlannerOf(mutant), search);
    EXPECT_FALSE(failure) << mutant.name << ": " << failure->status;
  }
}

}  // namespace
}  // namespace stowage::testing
