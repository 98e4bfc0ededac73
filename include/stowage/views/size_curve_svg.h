// SPDX-License-Identifier: Apache-2.0
// Draws a plan for all values of the parameters (dynamic/plan_dynamic.h) as an
// SVG picture, which shows how the size of the plan depends on one of the
// parameters. For the picture of a plan at one value, use views/svg.h.
//
//   absl::StatusOr<DynamicPlan> plan = PlanForAllValues(problem);
//   if (!plan.ok()) return plan.status();
//   absl::StatusOr<views::SizeCurve> curve =
//       views::SizeCurveOver(problem, *plan, "seq", "batch=8");
//   if (!curve.ok()) return curve.status();
//   absl::StatusOr<std::string> svg = views::SizeCurveSvg(*curve, "bert.json");
//
// The horizontal axis shows the values, and the vertical axis shows bytes. The
// solid line is the height of the plan's stack at each value. The dashed line
// is the size of the smallest plan that was found for each value alone. The
// dotted line is the reserve, which is large enough for all values.
#ifndef STOWAGE_VIEWS_SIZE_CURVE_SVG_H_
#define STOWAGE_VIEWS_SIZE_CURVE_SVG_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/views/svg.h"

namespace stowage::views {

struct SizeCurve {
  struct Point {
    uint64_t value = 0;  // the value of the parameter, or the scenario's index
    size_t need = 0;     // the bytes of the smallest plan that was found
    size_t height = 0;   // the height of the stack
  };
  std::string parameter;      // the name of the parameter, or "scenario"
  std::string fixed;          // the values of other parameters, "batch=8"
  std::vector<Point> points;  // in rising order of values; never empty
  size_t reserve = 0;
};

// Returns the curve over `parameter`. `fixed` has the values of all other
// parameters in any order, as in "batch=8,n=1". If the problem has scenarios,
// it has no parameters, and both texts must be empty. If `fixed` is empty, the
// curve has the values that were compared for the plan (DynamicPlan::heights).
// Otherwise, EvaluateOrder selects the values of the curve. Error:
// InvalidArgument if a parameter is unknown, missing or given twice, if a given
// value is not a value of its parameter, or if the limits of the problem leave
// no value.
absl::StatusOr<SizeCurve> SizeCurveOver(const DynamicProblem& problem,
                                        const DynamicPlan& plan,
                                        absl::string_view parameter,
                                        absl::string_view fixed);

// Returns an SVG document that, like those of PlanSvg (views/svg.h), has no
// scripts and has the same bytes on every machine. `title` is the name of the
// problem. Error: InvalidArgument if a size in `options` is out of range.
// O(points).
absl::StatusOr<std::string> SizeCurveSvg(const SizeCurve& curve,
                                         absl::string_view title,
                                         const SvgOptions& options = {});

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_SIZE_CURVE_SVG_H_
