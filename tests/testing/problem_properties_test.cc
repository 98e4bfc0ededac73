// SPDX-License-Identifier: Apache-2.0
// Problems with constraints are valid and have a plan, and sound planners pass.
// Broken ones are in mutants_problems_test.cc.
#include "stowage/testing/problem_properties.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rapidcheck/gtest.h"
#include "stowage/assignment.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/instance.h"
#include "stowage/testing/random_problems.h"
#include "stowage/verify.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

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

}  // namespace
}  // namespace stowage::testing
