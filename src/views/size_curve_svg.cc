// SPDX-License-Identifier: Apache-2.0
#include "stowage/views/size_curve_svg.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "src/views/svg_marks.h"
#include "src/views/svg_shapes.h"
#include "src/views/svg_text.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/views/plain_text.h"
#include "stowage/views/svg.h"

namespace stowage::views {
namespace {

using SizePoints = std::vector<SizeCurve::Point>;

constexpr int64_t kSizePixel = kEighths;

// Gives parameters of the problem a single value each, "batch=8,n=1".
absl::Status FixParameters(absl::string_view fixed, DynamicSpec* spec) {
  if (fixed.empty()) return absl::OkStatus();
  std::vector<absl::string_view> names;
  for (const absl::string_view part : absl::StrSplit(fixed, ',')) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const auto found = std::find_if(
        spec->parameters.begin(), spec->parameters.end(),
        [&](const SizeParameter& p) { return p.name == pair.first; });
    uint64_t value = 0;
    if (found == spec->parameters.end() ||
        !absl::SimpleAtoi(pair.second, &value)) {
      return absl::InvalidArgumentError(absl::StrCat(
          PlainText(part), ": expected a parameter and its value, seq=128"));
    }
    if (std::find(names.begin(), names.end(), pair.first) != names.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(pair.first, ": is given twice"));
    }
    names.push_back(pair.first);
    if (value < found->min || value > found->max ||
        (value - found->min) % found->step != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(pair.first, "=", value, ": expected ", found->min,
                       " to ", found->max, ", in steps of ", found->step));
    }
    *found = {found->name, value, value, 1};
  }
  return absl::OkStatus();
}

// Returns the index of the parameter. Requires that all others are fixed.
absl::StatusOr<size_t> FindParameter(const DynamicSpec& spec,
                                     absl::string_view parameter) {
  size_t index = spec.parameters.size();
  for (size_t p = 0; p < spec.parameters.size(); ++p) {
    if (spec.parameters[p].name == parameter) index = p;
  }
  if (index == spec.parameters.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the problem has no parameter '", PlainText(parameter), "'"));
  }
  for (size_t p = 0; p < spec.parameters.size(); ++p) {
    const SizeParameter& other = spec.parameters[p];
    if (p != index && other.min != other.max) {
      return absl::InvalidArgumentError(
          absl::StrCat(other.name, ": has no value; expected ", other.name, "=",
                       other.min, ", for example"));
    }
  }
  return index;
}

SizePoints PointsOf(const std::vector<HeightAt>& heights, size_t parameter) {
  SizePoints points;
  for (const HeightAt& height : heights) {
    points.push_back({height.values[parameter], height.need, height.height});
  }
  return points;
}

// Returns a scale on which values take the place of tasks.
SvgScale ScaleOfSizes(const SizeCurve& curve, const SvgOptions& options) {
  const auto width = static_cast<int64_t>(options.width);
  const auto height = static_cast<int64_t>(options.height);
  SvgScale scale;
  scale.frame = {64 * kSizePixel, 34 * kSizePixel,
                 (width - 64 - 40) * kSizePixel,
                 (height - 34 - 32) * kSizePixel};
  const SizePoints& points = curve.points;
  scale.first_task = points.front().value;
  scale.tasks =
      std::max<uint64_t>(1, points.back().value - points.front().value);
  scale.bytes = std::max<uint64_t>(1, curve.reserve);
  for (const SizeCurve::Point& point : points) {
    scale.bytes = std::max<uint64_t>({scale.bytes, point.height, point.need});
  }
  return scale;
}

// Returns the data of a path through one size of each point.
std::string PathThrough(const SizePoints& points,
                        size_t SizeCurve::Point::*size, const SvgScale& scale) {
  std::string path;
  for (const SizeCurve::Point& point : points) {
    absl::StrAppend(&path, path.empty() ? "M" : "L", scale.X(point.value), " ",
                    scale.Y(point.*size));
  }
  return path;
}

void AddSizeLines(const SizeCurve& curve, const SvgScale& scale,
                  std::string* svg) {
  const SvgBox& frame = scale.frame;
  const std::string height =
      PathThrough(curve.points, &SizeCurve::Point::height, scale);
  const std::string need =
      PathThrough(curve.points, &SizeCurve::Point::need, scale);
  const int64_t bottom = frame.y + frame.height;
  absl::StrAppend(svg, R"(<path class="curve" d=")", need, "V", bottom, "H",
                  scale.X(curve.points.front().value), "z\"/>\n");
  absl::StrAppend(svg, R"(<path class="at" d="M)", frame.x, " ",
                  scale.Y(curve.reserve), "H", frame.x + frame.width, "\"/>\n");
  absl::StrAppend(svg, R"(<path class="total" d=")", height, "\"/>\n");
  absl::StrAppend(svg, R"(<path class="bound" d=")", need, "\"/>\n");
}

// Adds numbers to the axes: bytes at the left and values below.
void AddSizeNumbers(const SizeCurve& curve, const SvgScale& scale,
                    std::string* svg) {
  constexpr char kAtEnd[] = R"( class="text" text-anchor="end")";
  constexpr char kAtMiddle[] = R"( class="text" text-anchor="middle")";
  const SvgBox& frame = scale.frame;
  const uint64_t bytes_tick = SvgTick(scale.bytes);
  for (uint64_t k = 0; k <= scale.bytes / bytes_tick; ++k) {
    absl::StrAppend(svg, SvgLabel(frame.x - 5 * kSizePixel,
                                  scale.Y(k * bytes_tick) + 3 * kSizePixel,
                                  kAtEnd, ShortSize(k * bytes_tick)));
  }
  const uint64_t tick = SvgTick(scale.tasks);
  // Ticks are at multiples of the distance between them.
  const uint64_t first = curve.points.front().value;
  const uint64_t last = curve.points.back().value;
  for (uint64_t at = first + (tick - first % tick) % tick;
       at >= first && at <= last; at += tick) {
    absl::StrAppend(
        svg, SvgLabel(scale.X(at), frame.y + frame.height + 14 * kSizePixel,
                      kAtMiddle, absl::StrCat(at)));
    if (last - at < tick) break;
  }
}

std::string DescriptionOfSizes(const SizeCurve& curve) {
  std::string text = absl::StrCat(
      "The bytes of a plan for each value of ", curve.parameter,
      ": values run to the right, bytes upwards. The solid line is the height "
      "of the plan, the dashed line the smallest plan that was found for the "
      "value, the dotted line the reserve of ",
      curve.reserve, " bytes.");
  for (const SizeCurve::Point& point : curve.points) {
    absl::StrAppend(&text, " ", curve.parameter, "=", point.value, ": height ",
                    point.height, ", need ", point.need, ".");
  }
  return text;
}

}  // namespace

absl::StatusOr<SizeCurve> SizeCurveOver(const DynamicProblem& problem,
                                        const DynamicPlan& plan,
                                        absl::string_view parameter,
                                        absl::string_view fixed) {
  SizeCurve curve;
  curve.reserve = plan.reserve;
  if (problem.has_scenarios()) {
    if (!parameter.empty() || !fixed.empty()) {
      return absl::InvalidArgumentError(
          "the problem has scenarios and no parameters");
    }
    curve.parameter = "scenario";
    curve.points = PointsOf(plan.heights, 0);
    return curve;
  }
  DynamicSpec spec = problem.spec();
  if (absl::Status s = FixParameters(fixed, &spec); !s.ok()) return s;
  const absl::StatusOr<size_t> index = FindParameter(spec, parameter);
  if (!index.ok()) return index.status();
  curve.parameter = std::string(parameter);
  curve.fixed = std::string(fixed);
  if (fixed.empty()) {
    curve.points = PointsOf(plan.heights, *index);
    return curve;
  }
  const absl::StatusOr<DynamicProblem> part =
      DynamicProblem::Create(std::move(spec));
  if (!part.ok()) return part.status();
  const Span<const size_t> order = plan.stack.order();
  const absl::StatusOr<DynamicPlan> heights =
      EvaluateOrder(*part, std::vector<size_t>(order.begin(), order.end()));
  if (!heights.ok()) return heights.status();
  curve.points = PointsOf(heights->heights, *index);
  return curve;
}

absl::StatusOr<std::string> SizeCurveSvg(const SizeCurve& curve,
                                         absl::string_view title,
                                         const SvgOptions& options) {
  if (absl::Status s = CheckSvgSize(options); !s.ok()) return s;
  constexpr size_t kMaxTitle = 100;
  const std::string heading = absl::StrCat(
      CutMiddle(PlainText(title), kMaxTitle, false), ": bytes for each ",
      curve.parameter, curve.fixed.empty() ? "" : " at ", curve.fixed,
      "; dashed: need; dotted: reserve ", ShortSize(curve.reserve));
  const SvgScale scale = ScaleOfSizes(curve, options);
  std::string svg = SvgHead(options, heading, DescriptionOfSizes(curve));
  SvgPath background;
  background.Add({0, 0, static_cast<int64_t>(options.width) * kSizePixel,
                  static_cast<int64_t>(options.height) * kSizePixel});
  SvgPath frame;
  frame.Add(scale.frame);
  absl::StrAppend(&svg, R"(<path class="bg" d=")", background.data(),
                  "\"/>\n<path class=\"arena\" d=\"", frame.data(), "\"/>\n");
  AddSizeLines(curve, scale, &svg);
  AddSizeNumbers(curve, scale, &svg);
  absl::StrAppend(
      &svg,
      SvgLabel(8 * kSizePixel, 15 * kSizePixel, R"( class="text head")",
               FittingLabel(heading, static_cast<int64_t>(options.width) *
                                         kSizePixel * 5 / 6)),
      "</svg>\n");
  return svg;
}

}  // namespace stowage::views
