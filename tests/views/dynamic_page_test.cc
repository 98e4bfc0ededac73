// SPDX-License-Identifier: Apache-2.0
// Tests a page that shows a plan for all values of a parameter: for which of
// the values the page shows the plan. The slider of the page is tested in a
// browser by tests/web.
#include "stowage/views/dynamic_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/explain/plan_view.h"

namespace stowage::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct PlannedProblem {
  DynamicProblem problem;
  DynamicPlan plan;
};

// Returns the plan of three records. The second record grows with the value of
// the parameter, and the third one shrinks.
PlannedProblem PlanUpTo(uint64_t max) {
  DynamicSpec spec;
  spec.problem.records = {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}};
  spec.parameters = {{"i", 0, max}};
  spec.sizes = {"64", "8*i", absl::StrCat("8*(", max, " - i)")};
  auto problem = DynamicProblem::Create(std::move(spec));
  EXPECT_TRUE(problem.ok()) << problem.status();
  auto plan = PlanForAllValues(*problem);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return {*std::move(problem), *std::move(plan)};
}

TEST(ViewPlanAtValues, ShowsTheStackAtEachValue) {
  const PlannedProblem planned = PlanUpTo(3);
  const auto views = ViewPlanAtValues(planned.problem, planned.plan);
  ASSERT_TRUE(views.ok()) << views.status();
  std::vector<std::string> titles;
  for (size_t k = 0; k < views->size(); ++k) {
    const PlanView& view = (*views)[k];
    titles.push_back(view.caption.title);
    EXPECT_FALSE(view.violation.has_value()) << view.violation_text;
    EXPECT_EQ(view.total_size, planned.plan.heights[k].height);
    EXPECT_THAT(view.problem.names, ElementsAre("0", "1", "2"));
  }
  EXPECT_THAT(titles, ElementsAre("i=0", "i=1", "i=2", "i=3"));
}

TEST(ViewPlanAtValues, TakesTheWorstAndTheHighestOfMany) {
  PlannedProblem planned = PlanUpTo(200);
  // The page would not show these two values if it spread its values evenly.
  planned.plan.worst = planned.plan.heights[58];
  planned.plan.heights[91].height = planned.plan.reserve + 1;
  const auto views = ViewPlanAtValues(planned.problem, planned.plan);
  ASSERT_TRUE(views.ok()) << views.status();
  EXPECT_EQ(views->size(), kMaxPageValues);
  std::vector<std::string> titles;
  for (const PlanView& view : *views) titles.push_back(view.caption.title);
  EXPECT_EQ(titles.front(), "i=0");
  EXPECT_EQ(titles.back(), "i=200");
  EXPECT_THAT(titles, testing::IsSupersetOf({"i=58", "i=91"}));
}

TEST(FormatDynamicPage, NamesTheProblem) {
  const PlannedProblem planned = PlanUpTo(3);
  const auto page =
      FormatDynamicPage(planned.problem, planned.plan, "loop.json");
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, HasSubstr("<title>loop.json</title>"));
}

}  // namespace
}  // namespace stowage::views
