// SPDX-License-Identifier: Apache-2.0
#include "stowage/views/dynamic_page.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stowage/base/span.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/views/page.h"

namespace stowage::views {
namespace {

// Returns the indices of the values to show, in rising order.
std::set<size_t> ShownValues(const DynamicPlan& plan) {
  const std::vector<HeightAt>& heights = plan.heights;
  std::set<size_t> shown;
  size_t highest = 0;
  for (size_t k = 0; k < heights.size(); ++k) {
    if (heights[k].height > heights[highest].height) highest = k;
    if (heights[k].values == plan.worst.values) shown.insert(k);
  }
  shown.insert(highest);
  // Leaves room for the values inserted above. These are at most two, and they
  // may fall between the evenly spaced values.
  const size_t spread = std::min(heights.size(), kMaxPageValues - 2);
  for (size_t k = 0; k < spread; ++k) {
    shown.insert(spread < 2 ? 0 : k * (heights.size() - 1) / (spread - 1));
  }
  if (heights.size() <= kMaxPageValues) {
    for (size_t k = 0; k < heights.size(); ++k) shown.insert(k);
  }
  return shown;
}

// Returns the name of the slider: "batch, seq".
std::string SliderName(const DynamicSpec& spec) {
  if (!spec.scenarios.empty()) return "Scenario";
  std::string name;
  for (const SizeParameter& parameter : spec.parameters) {
    absl::StrAppend(&name, name.empty() ? "" : ", ", parameter.name);
  }
  return name;
}

}  // namespace

absl::StatusOr<std::vector<PlanView>> ViewPlanAtValues(
    const DynamicProblem& problem, const DynamicPlan& plan) {
  std::vector<PlanView> views;
  for (const size_t k : ShownValues(plan)) {
    const ParameterValues& values = plan.heights[k].values;
    absl::StatusOr<ProblemSpec> spec = problem.SpecAt(values);
    if (!spec.ok()) return spec.status();
    const absl::StatusOr<std::vector<size_t>> sizes = problem.SizesAt(values);
    if (!sizes.ok()) return sizes.status();
    ProblemFile file;
    file.problem = *std::move(spec);
    // The page matches records by id, so a record without an id gets its index
    // as its id.
    for (size_t i = file.problem.names.size(); i < sizes->size(); ++i) {
      file.problem.names.push_back(absl::StrCat(i));
    }
    file.plan.offsets.resize(sizes->size());
    const absl::StatusOr<size_t> height =
        plan.stack.Offsets(*sizes, MakeSpan(file.plan.offsets));
    if (!height.ok()) return height.status();
    PlanCaption caption;
    caption.title = problem.Describe(values);
    caption.strategy = "one order";
    absl::StatusOr<PlanView> view =
        ViewPlan(std::move(file), std::move(caption));
    if (!view.ok()) return view.status();
    views.push_back(*std::move(view));
  }
  return views;
}

absl::StatusOr<std::string> FormatDynamicPage(const DynamicProblem& problem,
                                              const DynamicPlan& plan,
                                              absl::string_view title) {
  const absl::StatusOr<std::vector<PlanView>> views =
      ViewPlanAtValues(problem, plan);
  if (!views.ok()) return views.status();
  PageOptions options;
  options.title = std::string(title);
  options.slider = SliderName(problem.spec());
  return FormatPage(*views, options);
}

}  // namespace stowage::views
