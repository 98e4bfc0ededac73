// SPDX-License-Identifier: Apache-2.0
// Tests that the random problems with constraints are valid and have a plan,
// and that sound planners satisfy the properties. Broken planners are tested in
// mutants_problems_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "rapidcheck/gtest.h"
#include "stowage/assignment.h"
#include "stowage/feature.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/testing/find_failure.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/plan_fn.h"
#include "stowage/testing/properties.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/specs.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "tests/support/sanitized.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

TEST(RandomProblems, AreOfTheirFeaturesAndHaveAPlan) {
  for (const Feature feature : kAllFeatures) {
    if (!kConstraintFeatures.Has(feature)) continue;
    ProblemParameters parameters;
    parameters.features = {feature};
    size_t count = 0;
    for (uint64_t seed = 0; seed < 500; ++seed) {
      parameters.scale = seed % 3 == 0 ? (size_t{1} << 46) - 21 : 1;
      parameters.has_rare_forms = seed % 2 == 0;
      OffsetsAssignment witness;
      const ProblemSpec spec =
          RandomProblem(seed, 1 + seed % 12, parameters, &witness);
      const auto problem = Problem::Create(spec);
      ASSERT_THAT(problem, support::IsOk());
      const auto violation = FindViolation(*problem, witness);
      EXPECT_FALSE(violation) << Describe(*violation, *problem);
      const FeatureSet required =
          problem->Requires().Without({Feature::kOffsets});
      EXPECT_TRUE(required.Without({feature}).empty());
      if (!required.empty()) ++count;
      const bool may_be_bounded =
          feature == Feature::kPlaces || feature == Feature::kPools;
      EXPECT_TRUE(may_be_bounded || IsPlannable(spec)) << seed;
    }
    EXPECT_GT(count, 300U) << FeatureName(feature);
  }
}

RC_GTEST_PROP(AnyProblems, HaveAPlan, ()) {
  ProblemParameters parameters;
  parameters.has_never = true;
  parameters.has_same_or_apart = true;
  parameters.has_prefer_apart = true;
  RC_ASSERT(Problem::Create(*AnyProblems(parameters)).ok());
  OffsetsAssignment witness;
  const auto problem = Problem::Create(ProblemFromSamples(
      *detail::Samples(ProblemSampleLimits()), parameters, &witness));
  RC_ASSERT(problem.ok());
  RC_ASSERT(!FindViolation(*problem, witness));
}

TEST(ProblemProperties, HoldOfASoundPlanner) {
  SearchForProblem search;
  search.problems = support::Sampled(700);
  for (const bool has_pairs : {false, true}) {
    search.parameters.has_never = has_pairs;
    search.parameters.has_same_or_apart = has_pairs;
    search.parameters.has_prefer_apart = has_pairs;
    const auto failure = FindFailure(StrategyPlanFn("skyline"), search);
    EXPECT_FALSE(failure) << Describe(*failure);
  }
}

TEST(ProblemProperties, FailAPlannerThatRefuses) {
  const auto failure = FindFailure(
      [](const Problem&) -> absl::StatusOr<OffsetsAssignment> {
        return absl::OutOfRangeError("no");
      },
      SearchForProblem());
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->property, "problem_completeness");
  EXPECT_FALSE(failure->family);
  EXPECT_THAT(Describe(*failure), ::testing::HasSubstr("a problem with seed"));
}

// A planner may be a function of specs, of problems or of records. A function
// of records refuses constraints, so the properties for records skip problems
// with constraints.
TEST(ProblemProperties, AreThoseOfAllForms) {
  using Answer = absl::StatusOr<OffsetsAssignment>;
  const Answer at_zero = OffsetsAssignment{{0, 0}, 8};
  const PlanFn of_specs = [&](const ProblemSpec&) { return at_zero; };
  const PlanFn of_problems = [&](const Problem&) { return at_zero; };
  const PlanFn of_records = [&](absl::Span<const ByteRecord>,
                                const Alignments&) { return at_zero; };
  ProblemSpec spec = SpecOf(ByteRecords{{8, 0, 1}, {8, 1, 2}});
  const auto safety = FindProperty("safety");
  ASSERT_THAT(safety, support::IsOk());
  for (const PlanFn& planner : {of_specs, of_problems, of_records}) {
    EXPECT_FALSE(safety->check(planner, spec).ok());
  }
  spec.constraints.apart = {{0, 1}};
  for (const Property& property : ProblemProperties({Feature::kApart})) {
    EXPECT_THAT(property.check(of_records, spec), support::IsOk());
    if (property.name == "apart") {
      EXPECT_FALSE(property.check(of_problems, spec).ok());
    }
  }
  EXPECT_THAT(safety->check(of_specs, spec), support::IsOk());
  EXPECT_FALSE(PlanFn(nullptr));
}

TEST(ProblemProperties, PassAPlannerThatClaimsNothing) {
  EXPECT_FALSE(FindFailure(
      [](const Problem&) -> absl::StatusOr<OffsetsAssignment> {
        return absl::UnimplementedError("no");
      },
      SearchForProblem()));
}

}  // namespace
}  // namespace stowage::testing
