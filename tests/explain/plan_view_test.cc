// SPDX-License-Identifier: Apache-2.0
// Tests the content of a PlanView, from which pictures of plans are drawn.
#include "stowage/explain/plan_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/profile.h"

namespace stowage::views {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::HasSubstr;

constexpr char kTwoPeaks[] =
    "id,lower,upper,size,offset\n"
    "a,0,2,6,0\n"
    "b,1,3,4,6\n"
    "c,4,5,10,0\n";

PlanView View(const std::string& csv) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(csv, "plan.csv");
  EXPECT_TRUE(trace.ok()) << trace.status();
  absl::StatusOr<PlanView> view = ViewPlan(*trace, {"plan.csv", ""});
  EXPECT_TRUE(view.ok()) << view.status();
  return *view;
}

TEST(PlanView, HasTheProfileWithEveryPeak) {
  const PlanView view = View(kTwoPeaks);
  std::vector<size_t> tasks;
  std::vector<size_t> breadths;
  for (const TaskBreadth& step : view.profile) {
    tasks.push_back(step.task);
    breadths.push_back(step.breadth);
  }
  EXPECT_THAT(tasks, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(breadths, ElementsAre(6, 10, 4, 0, 10, 0));
  EXPECT_THAT(view.peak_tasks, ElementsAre(1, 4));
  EXPECT_EQ(view.peak_breadth, 10u);
  EXPECT_EQ(view.task_count, 5u);
}

TEST(PlanView, IsOptimalAtTheBound) {
  const PlanView view = View(kTwoPeaks);
  EXPECT_EQ(view.total_size, 10u);
  EXPECT_EQ(view.lower_bound, 10u);
  EXPECT_TRUE(view.is_optimal());
  EXPECT_TRUE(view.bands.empty());
}

TEST(PlanView, DrawsObjectsAboveOneAnother) {
  const PlanView view = View(
      "id,lower,upper,size,object\n"
      "a,0,2,6,7\n"
      "b,1,3,4,3\n"
      "c,4,5,10,3\n");
  EXPECT_EQ(view.kind, PlanKind::kObjects);
  ASSERT_EQ(view.bands.size(), 2u);
  EXPECT_EQ(view.bands[1].name, "object 3");
  EXPECT_EQ(view.bands[1].begin, 6u);
  EXPECT_EQ(view.bands[1].size, 10u);
  EXPECT_THAT(view.offsets, ElementsAre(0, 6, 6));
  EXPECT_EQ(view.total_size, 16u);
}

TEST(PlanView, DrawsPoolsAboveOneAnother) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(kTwoPeaks, "plan.csv");
  ASSERT_TRUE(trace.ok());
  trace->problem.constraints.pools = {{"sram", 10}, {"dram", absl::nullopt}};
  trace->plan.offsets = {0, 0, 0};
  trace->plan.chosen_pools = {1, 0, 0};
  const absl::StatusOr<PlanView> view = ViewPlan(*trace, {"pools", ""});
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_THAT(view->offsets, ElementsAre(10, 0, 0));
  ASSERT_EQ(view->bands.size(), 2u);
  EXPECT_EQ(view->bands[0].capacity, 10u);
  EXPECT_EQ(view->bands[1].begin, 10u);
  EXPECT_EQ(view->total_size, 16u);
}

TEST(PlanView, KeepsTheWitnessOfAnUnsafePlan) {
  const PlanView view = View(
      "id,lower,upper,size,offset\n"
      "a,0,2,6,0\n"
      "b,1,3,4,2\n");
  ASSERT_TRUE(view.violation.has_value());
  EXPECT_THAT(view.violation_text, HasSubstr("both hold bytes [2, 6)"));
  EXPECT_FALSE(view.is_optimal());
}

TEST(PlanView, OfNothingIsEmpty) {
  const PlanView view = View("id,lower,upper,size,offset\n");
  EXPECT_TRUE(view.profile.empty());
  EXPECT_TRUE(view.peak_tasks.empty());
  EXPECT_EQ(view.task_count, 0u);
  EXPECT_EQ(view.total_size, 0u);
}

TEST(PlanView, HasABoundThatASearchProved) {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(kTwoPeaks, "plan.csv");
  ASSERT_TRUE(trace.ok());
  trace->plan.offsets = {0, 8, 0};
  const absl::StatusOr<PlanView> view =
      ViewPlan(*trace, {"plan.csv", "optimal", 12, "exhaustive search"});
  ASSERT_TRUE(view.ok());
  EXPECT_EQ(view->lower_bound, 12u);
  EXPECT_EQ(view->bound_reason, "exhaustive search");
  EXPECT_TRUE(view->is_optimal());
}

// Returns a plan of three records, in which the first and the second record
// share bytes, and so do the second and the third.
ProblemFile SharingPlan() {
  absl::StatusOr<ProblemFile> trace = ParseProblemCsv(
      "id,lower,upper,size,offset\n"
      "a,0,1,8,0\n"
      "b,1,2,8,0\n"
      "c,2,3,8,0\n",
      "plan.csv");
  EXPECT_TRUE(trace.ok()) << trace.status();
  trace->problem.constraints.prefer_apart = {{0, 1, 5}, {2, 1, 7}};
  return *trace;
}

TEST(PlanView, HasTheCostOfASafePlanAndThePairsThatPay) {
  PlanCaption caption = {"plan.csv", ""};
  const absl::StatusOr<PlanView> view = ViewPlan(SharingPlan(), caption);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->cost, 12u);
  EXPECT_THAT(view->paid, ElementsAre(FieldsAre(1, 2, 7), FieldsAre(0, 1, 5)));
  // The smallest plan is not the plan of least cost.
  EXPECT_EQ(view->total_size, view->lower_bound);
  EXPECT_FALSE(view->is_optimal());
  caption.cost_bound = 12;
  EXPECT_TRUE(ViewPlan(SharingPlan(), caption)->is_optimal());
}

TEST(PlanView, HasNoCostWhereThereIsNone) {
  EXPECT_EQ(View(kTwoPeaks).cost, absl::nullopt);
  ProblemFile unsafe = SharingPlan();
  unsafe.problem.constraints.apart = {{0, 2}};
  const absl::StatusOr<PlanView> view =
      ViewPlan(std::move(unsafe), {"plan.csv", ""});
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->cost, absl::nullopt);
}

TEST(PlanView, RefusesATraceWithoutAPlan) {
  absl::StatusOr<ProblemFile> trace =
      ParseProblemCsv("id,lower,upper,size\na,0,2,6\n", "trace.csv");
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(ViewPlan(*trace, {"trace.csv", ""}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(PlanView, RefusesALifeUpToTheLastTaskThereIs) {
  ProblemFile trace;
  trace.problem.names = {"a"};
  trace.problem.records = {{6, 0, std::numeric_limits<TaskId>::max()}};
  trace.plan.offsets = {0};
  EXPECT_EQ(ViewPlan(trace, {"trace", ""}).status().code(),
            absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace stowage::views
