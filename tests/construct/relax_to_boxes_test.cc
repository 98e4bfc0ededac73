// SPDX-License-Identifier: Apache-2.0
// Tests the relaxation that replaces groups and partial orders by bounding
// intervals. With this relaxation, any strategy yields safe plans. The plans
// may be larger than necessary, and are never reported as optimal.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "src/construct/lower_problem.h"
#include "stowage/lower_bound.h"
#include "stowage/planner.h"
#include "stowage/verify.h"
#include "tests/support/constraint_vectors.h"

namespace stowage {
namespace {

ProblemSpec HalvesOfAWhole() {
  ProblemSpec spec;
  spec.records = {{64, 0, 1}, {32, 2, 3}, {32, 2, 5}, {32, 4, 5}};
  spec.constraints.places.resize(4);
  for (size_t i = 0; i < 3; ++i) spec.constraints.places[i].group = 0;
  spec.constraints.places[2].at = 32;
  return spec;
}

SolveOptions Relaxed() {
  SolveOptions options;
  options.relax_to_boxes = true;
  return options;
}

TEST(RelaxToBoxes, KeepsAWholeGroupWhileAnyOfItIsLive) {
  const auto problem = Problem::Create(HalvesOfAWhole());
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto exact = Solve(*problem, "optimal");
  ASSERT_TRUE(exact.ok()) << exact.status();
  EXPECT_EQ(exact->total_size, 64);
  EXPECT_EQ(exact->status, SolutionStatus::kOptimal);

  const auto box = Solve(*problem, "arena_best_fit", Relaxed());
  ASSERT_TRUE(box.ok()) << box.status();
  EXPECT_EQ(box->total_size, 96);
  EXPECT_EQ(box->status, SolutionStatus::kFeasible);
  EXPECT_EQ(box->lower_bound, 64);
}

TEST(RelaxToBoxes, SaysHowLargeAPlanAboveTheCapacityIs) {
  ProblemSpec spec;
  spec.records = {{64, 0, 0}, {64, 1, 1}, {64, 2, 2}};
  spec.constraints.places = {{0, absl::nullopt, 0, 0},
                             {0, absl::nullopt, 0, 64},
                             {0, absl::nullopt, kNoGroup, 0}};
  spec.capacity = 150;
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto box = Solve(*problem, "naive", Relaxed());
  ASSERT_TRUE(box.ok()) << box.status();
  EXPECT_FALSE(box->has_plan());
  EXPECT_EQ(box->status, SolutionStatus::kOverCapacity);
  EXPECT_EQ(box->total_size, 192);
  EXPECT_NE(box->reason, "");
}

TEST(RelaxToBoxes, IsUsedOnlyIfAskedFor) {
  const auto problem = Problem::Create(HalvesOfAWhole());
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(Solve(*problem, "arena_best_fit").status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(RelaxToBoxes, RefusesAGroupThatItWouldMisalign) {
  ProblemSpec spec = HalvesOfAWhole();
  spec.alignments = {1, 1, 64, 1};  // the third lies 32 bytes into its group
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto box = Solve(*problem, "arena_best_fit", Relaxed());
  EXPECT_EQ(box.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(box.status().message().find("multiple of its alignment 64"),
            std::string::npos)
      << box.status();
}

// The three sets name different records, but after the relaxation all of them
// name the same pair, so only one set remains.
TEST(RelaxToBoxes, KeepsBoxesApartOnce) {
  ProblemSpec spec = HalvesOfAWhole();
  spec.constraints.apart = {{0, 3}, {3, 1}, {2, 3}};
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_TRUE(problem.ok()) << problem.status();
  const auto relaxed = RelaxToBoxes(*problem);
  ASSERT_TRUE(relaxed.ok()) << relaxed.status();
  EXPECT_EQ(relaxed->problem.constraints()->apart,
            (std::vector<std::vector<size_t>>{{0, 1}}));
}

// After the relaxation, every strategy finds a plan for the models on streams.
TEST(RelaxToBoxes, PlansStreamsByAnyStrategyOfOffsets) {
  for (const std::string& model : support::DagModels()) {
    SCOPED_TRACE(model);
    const auto problem = Problem::Create(support::LoadDag(model, 2));
    ASSERT_TRUE(problem.ok()) << problem.status();
    for (const char* name :
         {"equality", "greedy_in_order", "greedy_by_breadth", "greedy_best",
          "arena_best_fit", "micro_first_fit"}) {
      const auto plan = Solve(*problem, name, Relaxed());
      ASSERT_TRUE(plan.ok()) << name << ": " << plan.status();
      EXPECT_GE(plan->total_size, LowerBoundOf(*problem).bytes);
      EXPECT_FALSE(FindViolation(*problem, *plan->offsets())) << name;
    }
  }
}

// A plan of the relaxation may be larger than the optimum, but is never
// smaller.
TEST(RelaxToBoxes, IsNeverSmallerThanTheOptimum) {
  for (const char* family : {"alias", "group", "gaps", "partial"}) {
    for (const auto& vector : support::LoadConstraintVectors(family)) {
      SCOPED_TRACE(vector.name);
      const auto problem = Problem::Create(vector.spec);
      ASSERT_TRUE(problem.ok()) << problem.status();
      const auto plan = Solve(*problem, "arena_best_fit", Relaxed());
      if (absl::IsUnimplemented(plan.status())) continue;
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_GE(plan->total_size, vector.plan.total_size);
    }
  }
}

}  // namespace
}  // namespace stowage
