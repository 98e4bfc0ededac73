// SPDX-License-Identifier: Apache-2.0
// Tests that the random problems with constraints are valid and have a plan,
// and that sound planners pass the properties. Broken planners are in
// mutants_problems_test.cc.
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
    ProblemParameters parameters;
    parameters.features = {feature};
    size_t count = 0;
    for (uint64_t seed = 0; seed < 500; ++seed) {
      const Instance instance = RandomProblem(seed, 1 + seed % 12, parameters);
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
  ProblemParameters parameters;
  parameters.has_never = true;
  parameters.has_prefer_apart = true;
  const Instance instance = *AnyProblems(parameters);
  const auto problem = Problem::Create(SpecOf(instance));
  RC_ASSERT(problem.ok());
  RC_ASSERT(!FindViolation(*problem, instance.witness));
}

TEST(ProblemProperties, HoldOfASoundPlanner) {
  SearchForProblem search;
  search.problems = 700;
  for (const bool has_pairs : {false, true}) {
    search.parameters.has_never = has_pairs;
    search.parameters.has_prefer_apart = has_pairs;
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
