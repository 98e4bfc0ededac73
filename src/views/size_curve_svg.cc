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
#include "src/views/svg_curve.h"
#include "src/views/svg_shapes.h"
#include "src/views/svg_text.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/views/plain_text.h"
#include "stowage/views/svg.h"

namespace stowage::views {
namespace {

using SizePoints = std::vector<SizeCurve::Point>;

// Fixes parameters of the problem at the values in `fixed`, such as
// "batch=8,n=1".
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

// Returns the index of the parameter with this name. Error: InvalidArgument if
// no parameter has this name, or if any other parameter has more than one
// value.
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

// Returns the data of a path through the points of a curve. `size` is the
// member of Point that determines the height of each point.
std::string PathThrough(const SizePoints& points,
                        size_t SizeCurve::Point::*size, const SvgScale& scale) {
  std::string path;
  for (const SizeCurve::Point& point : points) {
    absl::StrAppend(&path, path.empty() ? "M" : "L", scale.X(point.value), " ",
                    scale.Y(point.*size));
  }
  return path;
}

// Returns the lines of the curve. `scale` is used with parameter values in
// place of tasks.
std::string SizeLines(const SizeCurve& curve, const SvgScale& scale) {
  const SvgBox& frame = scale.frame;
  const std::string height =
      PathThrough(curve.points, &SizeCurve::Point::height, scale);
  const std::string need =
      PathThrough(curve.points, &SizeCurve::Point::need, scale);
  return absl::StrCat(
      R"(<path class="curve" d=")", need, "V", frame.y + frame.height, "H",
      scale.X(curve.points.front().value), "z\"/>\n",
      R"(<path class="at" d="M)", frame.x, " ", scale.Y(curve.reserve), "H",
      frame.x + frame.width, "\"/>\n", R"(<path class="total" d=")", height,
      "\"/>\n", R"(<path class="bound" d=")", need, "\"/>\n");
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
  SvgCurve picture;
  picture.heading = absl::StrCat(
      SvgCurveTitle(title), ": bytes for each ", curve.parameter,
      curve.fixed.empty() ? "" : " at ", curve.fixed,
      "; dashed: need; dotted: reserve ", ShortSize(curve.reserve));
  picture.description = DescriptionOfSizes(curve);
  picture.first = curve.points.front().value;
  picture.last = curve.points.back().value;
  picture.top = curve.reserve;
  for (const SizeCurve::Point& point : curve.points) {
    picture.top = std::max<uint64_t>({picture.top, point.height, point.need});
  }
  return DrawCurve(picture, SizeLines(curve, ScaleOfCurve(picture, options)),
                   options);
}

}  // namespace stowage::views
