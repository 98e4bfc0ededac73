// SPDX-License-Identifier: Apache-2.0
// Draws the curve of cost against memory (cost_curve.h) as an SVG picture. For
// the picture of a plan, use views/svg.h.
//
//   absl::StatusOr<std::vector<CostPoint>> curve =
//       CostCurve(problem, "optimal", 10);
//   if (!curve.ok()) return curve.status();
//   absl::StatusOr<std::string> svg =
//       views::CostCurveSvg(*curve, "tiles.json");
//
// Capacities run to the right, costs upwards. The solid line is the lowest cost
// that was found; each point of it holds for its capacity and all larger ones.
// The dashed line is the lower bound of the cost; each point of it holds for
// its capacity and all smaller ones. The lowest possible cost lies between the
// two lines, in the shaded area.
#ifndef STOWAGE_VIEWS_COST_CURVE_SVG_H_
#define STOWAGE_VIEWS_COST_CURVE_SVG_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/cost_curve.h"
#include "stowage/views/svg.h"

namespace stowage::views {

// Returns one SVG document like those of PlanSvg (views/svg.h): without
// scripts, with the same bytes on every machine. `title` is the name of the
// problem. Requires that CostCurve has returned the points, and that their
// solutions have plans. Error: InvalidArgument if a size in `options` is out of
// range. O(points).
absl::StatusOr<std::string> CostCurveSvg(absl::Span<const CostPoint> curve,
                                         absl::string_view title,
                                         const SvgOptions& options = {});

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_COST_CURVE_SVG_H_
