// SPDX-License-Identifier: Apache-2.0
// Formats a plan for all values (dynamic/plan_dynamic.h) as one HTML file, in
// which a slider chooses the value whose plan is shown. The file is like those
// of views/page.h, which has the page for plans of fixed sizes.
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

// The number of values that a page shows at most.
inline constexpr size_t kMaxPageValues = 24;

// Returns the plan at the values that it compares, in their order, each with
// the value as its title: all of them, or kMaxPageValues that are spread evenly
// and have the first, the last, the worst and the one of the largest height.
// Errors: those of ViewPlan.
absl::StatusOr<std::vector<PlanView>> ViewPlanAtValues(
    const DynamicProblem& problem, const DynamicPlan& plan);

// Returns the page. `title` is the name of the problem. Errors: those of
// ViewPlan and FormatPage.
absl::StatusOr<std::string> FormatDynamicPage(const DynamicProblem& problem,
                                              const DynamicPlan& plan,
                                              absl::string_view title);

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_DYNAMIC_PAGE_H_
