// SPDX-License-Identifier: Apache-2.0
// Formats a plan for all values of the parameters (dynamic/plan_dynamic.h) as
// one HTML file. A slider selects the value for which the plan is shown. For
// plans of fixed sizes, use views/page.h, which makes similar files.
//
//   absl::StatusOr<std::string> page =
//       views::FormatDynamicPage(problem, *plan, "bert.json");
#ifndef STOWAGE_VIEWS_DYNAMIC_PAGE_H_
#define STOWAGE_VIEWS_DYNAMIC_PAGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/explain/plan_view.h"

namespace stowage::views {

// The maximum number of values that a page shows.
inline constexpr size_t kMaxPageValues = 24;

// Returns one view of the plan for each value that was compared
// (DynamicPlan::heights), in rising order. The title of each view is its value.
// If there are more than kMaxPageValues values, returns views for at most
// kMaxPageValues of them: the first, the last, evenly spaced values between
// them, the worst value (DynamicPlan::worst), and the value with the largest
// height. Errors: those of ViewPlan.
absl::StatusOr<std::vector<PlanView>> ViewPlanAtValues(
    const DynamicProblem& problem, const DynamicPlan& plan);

// Returns the page. `title` is the name of the problem. Errors: those of
// ViewPlan and FormatPage.
absl::StatusOr<std::string> FormatDynamicPage(const DynamicProblem& problem,
                                              const DynamicPlan& plan,
                                              absl::string_view title);

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_DYNAMIC_PAGE_H_
