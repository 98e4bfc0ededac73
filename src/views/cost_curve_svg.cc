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
#include "src/views/svg_marks.h"
#include "src/views/svg_shapes.h"
#include "src/views/svg_text.h"
#include "stowage/cost_curve.h"
#include "stowage/views/plain_text.h"
#include "stowage/views/svg.h"

namespace stowage::views {
namespace {

using Points = absl::Span<const CostPoint>;

constexpr int64_t kCurvePixel = kEighths;

uint64_t BoundAt(const CostPoint& point) {
  return std::min(point.solution.cost_bound, point.solution.cost);
}

// Returns a scale on which capacities take the place of tasks, and costs the
// place of bytes.
SvgScale ScaleOf(Points curve, const SvgOptions& options) {
  const auto width = static_cast<int64_t>(options.width);
  const auto height = static_cast<int64_t>(options.height);
  SvgScale scale;
  scale.frame = {64 * kCurvePixel, 34 * kCurvePixel,
                 (width - 64 - 40) * kCurvePixel,
                 (height - 34 - 32) * kCurvePixel};
  scale.first_task = curve.front().capacity;
  scale.tasks =
      std::max<uint64_t>(1, curve.back().capacity - curve.front().capacity);
  scale.bytes = std::max<uint64_t>(1, curve.front().solution.cost);
  return scale;
}

// Returns the part of a path that steps along the least costs that were found,
// from left to right.
std::string CostSteps(Points curve, const SvgScale& scale) {
  std::string steps = absl::StrCat("M", scale.X(curve.front().capacity), " ",
                                   scale.Y(curve.front().solution.cost));
  for (const CostPoint& point : curve.subspan(1)) {
    absl::StrAppend(&steps, "H", scale.X(point.capacity), "V",
                    scale.Y(point.solution.cost));
  }
  return steps;
}

// Returns the part of a path that steps along the bounds, from right to left.
// The part has no first position, since it continues a path.
std::string BoundSteps(Points curve, const SvgScale& scale) {
  std::string steps;
  for (size_t k = curve.size(); k-- > 0;) {
    absl::StrAppend(&steps, "H", scale.X(curve[k].capacity), "V",
                    scale.Y(BoundAt(curve[k])));
  }
  return steps;
}

void AddLines(Points curve, const SvgScale& scale, std::string* svg) {
  const CostPoint& last = curve.back();
  const std::string cost = CostSteps(curve, scale);
  const std::string bound = BoundSteps(curve, scale);
  absl::StrAppend(svg, R"(<path class="small s2" d=")", cost, "V",
                  scale.Y(BoundAt(last)), bound, "z\"/>\n");
  absl::StrAppend(svg, R"(<path class="bound" d="M)", scale.X(last.capacity),
                  " ", scale.Y(BoundAt(last)), bound, "\"/>\n");
  absl::StrAppend(svg, R"(<path class="total" d=")", cost, "\"/>\n");
}

// Adds numbers to the axes: costs at the left and capacities below.
void AddNumbers(Points curve, const SvgScale& scale, std::string* svg) {
  constexpr char kAtEnd[] = R"( class="text" text-anchor="end")";
  constexpr char kAtMiddle[] = R"( class="text" text-anchor="middle")";
  const SvgBox& frame = scale.frame;
  const uint64_t cost_tick = SvgTick(scale.bytes);
  for (uint64_t k = 0; k <= scale.bytes / cost_tick; ++k) {
    absl::StrAppend(svg, SvgLabel(frame.x - 5 * kCurvePixel,
                                  scale.Y(k * cost_tick) + 3 * kCurvePixel,
                                  kAtEnd, absl::StrCat(k * cost_tick)));
  }
  const uint64_t tick = SvgTick(scale.tasks);
  // Ticks are at multiples of the distance between them.
  const size_t first = curve.front().capacity;
  for (size_t at = first + (tick - first % tick) % tick;
       at <= curve.back().capacity; at += tick) {
    absl::StrAppend(
        svg, SvgLabel(scale.X(at), frame.y + frame.height + 14 * kCurvePixel,
                      kAtMiddle, ShortSize(at)));
    if (curve.back().capacity - at < tick) break;
  }
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
  constexpr size_t kMaxTitle = 100;
  const std::string heading =
      absl::StrCat(CutMiddle(PlainText(title), kMaxTitle, false),
                   ": cost for each capacity; dashed: the lower bound");
  const SvgScale scale = ScaleOf(curve, options);
  std::string svg = SvgHead(options, heading, DescriptionOf(curve));
  SvgPath background;
  background.Add({0, 0, static_cast<int64_t>(options.width) * kCurvePixel,
                  static_cast<int64_t>(options.height) * kCurvePixel});
  SvgPath frame;
  frame.Add(scale.frame);
  absl::StrAppend(&svg, R"(<path class="bg" d=")", background.data(),
                  "\"/>\n<path class=\"arena\" d=\"", frame.data(), "\"/>\n");
  AddLines(curve, scale, &svg);
  AddNumbers(curve, scale, &svg);
  absl::StrAppend(
      &svg,
      SvgLabel(8 * kCurvePixel, 15 * kCurvePixel, R"( class="text head")",
               FittingLabel(heading, static_cast<int64_t>(options.width) *
                                         kCurvePixel * 5 / 6)),
      "</svg>\n");
  return svg;
}

}  // namespace stowage::views
