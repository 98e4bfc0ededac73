// SPDX-License-Identifier: Apache-2.0
#include "stowage/views/cost_curve_svg.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/views/svg_curve.h"
#include "src/views/svg_shapes.h"
#include "src/views/svg_text.h"
#include "stowage/cost_curve.h"
#include "stowage/views/svg.h"

namespace stowage::views {
namespace {

using Points = absl::Span<const CostPoint>;

uint64_t BoundAt(const CostPoint& point) {
  return std::min(point.solution.cost_bound, point.solution.cost);
}

// Returns the part of a path that draws the lowest costs found as steps, from
// left to right.
std::string CostSteps(Points curve, const SvgScale& scale) {
  std::string steps = absl::StrCat("M", scale.X(curve.front().capacity), " ",
                                   scale.Y(curve.front().solution.cost));
  for (const CostPoint& point : curve.subspan(1)) {
    absl::StrAppend(&steps, "H", scale.X(point.capacity), "V",
                    scale.Y(point.solution.cost));
  }
  return steps;
}

// Returns the part of a path that draws the bounds as steps, from right to
// left. The part continues an existing path, so it has no start position.
std::string BoundSteps(Points curve, const SvgScale& scale) {
  std::string steps;
  for (size_t k = curve.size(); k-- > 0;) {
    absl::StrAppend(&steps, "H", scale.X(curve[k].capacity), "V",
                    scale.Y(BoundAt(curve[k])));
  }
  return steps;
}

// Returns the lines of the curve. `scale` is used with capacities in place of
// tasks and with costs in place of bytes.
std::string LinesOf(Points curve, const SvgScale& scale) {
  const CostPoint& last = curve.back();
  const std::string cost = CostSteps(curve, scale);
  const std::string bound = BoundSteps(curve, scale);
  return absl::StrCat(R"(<path class="small s2" d=")", cost, "V",
                      scale.Y(BoundAt(last)), bound, "z\"/>\n",
                      R"(<path class="bound" d="M)", scale.X(last.capacity),
                      " ", scale.Y(BoundAt(last)), bound, "\"/>\n",
                      R"(<path class="total" d=")", cost, "\"/>\n");
}

std::string DescriptionOf(Points curve) {
  std::string text =
      "The least cost of a plan for each capacity: capacities run to the right,"
      " costs upwards; the dashed line is the lower bound.";
  for (const CostPoint& point : curve) {
    absl::StrAppend(&text, " ", point.capacity, " bytes: ", point.solution.cost,
                    ", bound ", BoundAt(point), ".");
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> CostCurveSvg(Points curve, absl::string_view title,
                                         const SvgOptions& options) {
  if (absl::Status s = CheckSvgSize(options); !s.ok()) return s;
  SvgCurve picture;
  picture.heading =
      absl::StrCat(SvgCurveTitle(title),
                   ": cost for each capacity; dashed: the lower bound");
  picture.description = DescriptionOf(curve);
  picture.first = curve.front().capacity;
  picture.last = curve.back().capacity;
  picture.top = curve.front().solution.cost;
  picture.has_bytes_across = true;
  return DrawCurve(picture, LinesOf(curve, ScaleOfCurve(picture, options)),
                   options);
}

}  // namespace stowage::views
