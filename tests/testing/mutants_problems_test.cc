// SPDX-License-Identifier: Apache-2.0
// Tests that the kit catches a planner that is wrong about a constraint, and
// that the property of this constraint is the one that fails. Also tests that a
// planner does not fail because of features that it has not claimed.
// docs/mutants.md lists what caught each mutant.
#include "tests/testing/mutants_problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "stowage/feature.h"
#include "stowage/testing/find_failure.h"
#include "stowage/testing/random_problems.h"
#include "tests/support/sanitized.h"
#include "tests/testing/mutants_table.h"

namespace stowage::testing {
namespace {

using ::testing::ContainsRegex;

TEST(ProblemMutants, AreCaught) {
  std::vector<Caught> all;
  for (const ProblemMutant& mutant : ProblemMutants()) {
    SCOPED_TRACE(mutant.name);
    Caught caught{mutant.name, mutant.bug};
    if (const auto failure =
            FindFailure(BrokenPlannerOf(mutant), SearchForProblem())) {
      caught.by = std::string(failure->property);
      caught.after = failure->traces;
      EXPECT_EQ(caught.by, mutant.property) << failure->status;
      EXPECT_THAT(std::string(failure->status.message()),
                  ContainsRegex(mutant.message));
      EXPECT_LE(failure->smallest.records.size(), mutant.records);
    }
    all.push_back(std::move(caught));
  }
  ExpectCaughtAsDocumented(
      {"Planners of problems with constraints", "problems", all});
}

TEST(ProblemMutants, PassWhereTheyClaimNothing) {
  for (const ProblemMutant& mutant : ProblemMutants()) {
    SearchForProblem search;
    search.problems = support::Sampled(150);
    search.parameters.features = {};
    for (const Feature feature : kAllFeatures) {
      if (kConstraintFeatures.Has(feature) &&
          FeatureName(feature) != mutant.property) {
        search.parameters.features.Add(feature);
      }
    }
    const auto failure = FindFailure(BrokenPlannerOf(mutant), search);
    EXPECT_FALSE(failure) << mutant.name << ": " << failure->status;
  }
}

}  // namespace
}  // namespace stowage::testing
