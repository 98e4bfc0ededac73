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
// The horizontal axis shows capacities, and the vertical axis shows costs. The
// solid line is the lowest cost that was found; each of its points is valid for
// its capacity and for all larger capacities. The dashed line is the lower
// bound of the cost; each of its points is valid for its capacity and for all
// smaller capacities. The lowest possible cost is between the two lines, in the
// shaded area.
#ifndef STOWAGE_VIEWS_COST_CURVE_SVG_H_
#define STOWAGE_VIEWS_COST_CURVE_SVG_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/cost_curve.h"
#include "stowage/views/svg.h"

namespace stowage::views {

// Returns an SVG document that, like those of PlanSvg (views/svg.h), has no
// scripts and has the same bytes on every machine. `title` is the name of the
// problem. Requires points that CostCurve returned, with solutions that have
// plans. Error: InvalidArgument if a size in `options` is out of range.
// O(points).
absl::StatusOr<std::string> CostCurveSvg(absl::Span<const CostPoint> curve,
                                         absl::string_view title,
                                         const SvgOptions& options = {});

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_COST_CURVE_SVG_H_
