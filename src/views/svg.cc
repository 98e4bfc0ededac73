// SPDX-License-Identifier: Apache-2.0
#include "stowage/views/svg.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/views/svg_marks.h"
#include "src/views/svg_shapes.h"
#include "src/views/svg_text.h"
#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"
#include "stowage/views/plain_text.h"

namespace stowage::views {
namespace {

constexpr int64_t Pixels(int64_t pixels) { return pixels * kEighths; }

// The maximum number of tensors in a picture that shows the ids of tensors.
constexpr size_t kMaxNamed = 400;

SvgLayout LayOut(const PlanView& view, const SvgOptions& options) {
  SvgLayout layout;
  layout.width = Pixels(static_cast<int64_t>(options.width));
  layout.height = Pixels(static_cast<int64_t>(options.height));
  layout.is_wide = options.width >= 480;
  const int64_t left = Pixels(layout.is_wide ? 64 : 8);
  const int64_t right = Pixels(layout.is_wide ? 136 : 8);
  layout.top = Pixels(view.violation ? 46 : 34);
  const int64_t inner = layout.height - layout.top - Pixels(32);
  // Makes the height of the curve, and thus that of the arena, a whole number
  // of pixels, so that each pixel of the arena is one cell of the raster.
  const int64_t curve = inner / 4 / kEighths * kEighths;
  SvgScale& arena = layout.arena;
  arena.frame = {left, layout.top, layout.width - left - right,
                 inner - curve - Pixels(8)};
  if (!view.profile.empty()) {
    arena.first_task = view.profile.front().task;
    arena.tasks = view.task_count - arena.first_task;
  }
  arena.bytes = std::max<uint64_t>(
      {view.total_size, view.lower_bound, view.peak_breadth, 1});
  layout.curve = arena;
  layout.curve.frame.y = arena.frame.y + arena.frame.height + Pixels(8);
  layout.curve.frame.height = curve;
  return layout;
}

void AddPath(absl::string_view name, const SvgPath& path, std::string* svg) {
  if (path.empty()) return;
  absl::StrAppend(svg, "<path class=\"", name, "\" d=\"", path.data(),
                  "\"/>\n");
}

// Writes the ids of tensors into their rectangles, if the rectangles are large
// enough.
void AddNames(const PlanView& view, const SvgLayout& layout,
              const std::vector<size_t>& drawn, std::string* svg) {
  if (view.offsets.size() > kMaxNamed) return;
  for (const size_t i : drawn) {
    const TensorUsageRecord<size_t>& record = view.problem.records[i];
    const SvgBox box = layout.arena.BoxOf(record, view.offsets[i]);
    const bool is_tall = box.height >= Pixels(12);
    // Skips long ids, since they would not fit and measuring them would take
    // time.
    const bool is_short = i < view.problem.names.size() &&
                          view.problem.names[i].size() < size_t{200};
    if (!is_tall || !is_short) continue;
    const std::string id = PlainText(view.problem.names[i]);
    if (TextWidth(id) + Pixels(4) > box.width) continue;
    const size_t group = LifetimeClass(record, layout.arena.tasks) / 2;
    absl::StrAppend(svg,
                    SvgLabel(box.x + box.width / 2, box.y + box.height / 2 + 32,
                             absl::StrCat(R"( class="n)", group,
                                          R"(" text-anchor="middle")"),
                             id));
  }
}

// Adds one path for each lifetime class, with the tensors that have a
// rectangle, and one path for each shade, with the tensors that are too small
// for one.
void AddTensors(const PlanView& view, const SvgLayout& layout,
                std::string* svg) {
  const SvgShapes shapes = MakeShapes(view, layout.arena);
  for (size_t shade = 1; shade <= kShades; ++shade) {
    AddPath(absl::StrCat("small s", shade), shapes.runs[shade], svg);
  }
  SvgPath paths[kLifetimeClasses];
  for (const size_t i : shapes.drawn) {
    const TensorUsageRecord<size_t>& record = view.problem.records[i];
    paths[LifetimeClass(record, layout.arena.tasks)].Add(
        layout.arena.BoxOf(record, view.offsets[i]));
  }
  for (size_t k = 0; k < kLifetimeClasses; ++k) {
    AddPath(absl::StrCat("l", k), paths[k], svg);
  }
  AddNames(view, layout, shapes.drawn, svg);
}

// Returns the points of the curve of live bytes. Each point is at the left end
// of a column that is `pixel` eighths of a pixel wide, at the height of the
// largest value in the column. A column gets no point if its height equals the
// height of the previous point.
std::vector<std::pair<int64_t, int64_t>> CurveColumns(const PlanView& view,
                                                      const SvgScale& scale,
                                                      int64_t pixel) {
  const auto columns = static_cast<size_t>(scale.frame.width / pixel);
  std::vector<size_t> max(columns, 0);
  for (size_t k = 0; k + 1 < view.profile.size(); ++k) {
    const int64_t begin = scale.X(view.profile[k].task) - scale.frame.x;
    const int64_t end = scale.X(view.profile[k + 1].task) - scale.frame.x;
    const int64_t last = std::max(begin, end - 1) / pixel;
    for (int64_t c = begin / pixel; c <= last; ++c) {
      const size_t column = std::min(static_cast<size_t>(c), columns - 1);
      max[column] = std::max(max[column], view.profile[k].breadth);
    }
  }
  std::vector<std::pair<int64_t, int64_t>> points;
  for (size_t c = 0; c < columns; ++c) {
    const int64_t y = scale.Y(max[c]);
    if (!points.empty() && points.back().second == y) continue;
    points.emplace_back(scale.frame.x + static_cast<int64_t>(c) * pixel, y);
  }
  return points;
}

// Adds the curve of live bytes. The area between the curve and the total shows
// unused bytes.
void AddCurve(const PlanView& view, const SvgScale& scale, std::string* svg) {
  if (view.profile.empty()) return;
  const bool is_coarse =
      view.profile.size() > static_cast<size_t>(scale.frame.width / kEighths);
  const auto points = CurveColumns(view, scale, is_coarse ? kEighths : 1);
  std::string data =
      absl::StrCat("M", scale.frame.x, " ", scale.frame.y + scale.frame.height);
  for (const auto& [x, y] : points) absl::StrAppend(&data, "H", x, "V", y);
  absl::StrAppend(&data, "H", scale.frame.x + scale.frame.width, "V",
                  scale.frame.y + scale.frame.height, "z");
  absl::StrAppend(svg, R"(<path class="curve" d=")", data, "\"/>\n");
}

void AddFrame(const char* name, const SvgBox& frame, std::string* svg) {
  SvgPath path;
  path.Add(frame);
  AddPath(name, path, svg);
}

}  // namespace

absl::StatusOr<std::string> PlanSvg(const PlanView& view,
                                    const SvgOptions& options) {
  if (absl::Status s = CheckSvgSize(options); !s.ok()) return s;
  const SvgLayout layout = LayOut(view, options);
  std::string svg = SvgHead(options, SvgTitle(view), SvgDescription(view));
  AddFrame("bg", {0, 0, layout.width, layout.height}, &svg);
  AddFrame("arena", layout.arena.frame, &svg);
  AddFrame("arena", layout.curve.frame, &svg);
  AddTensors(view, layout, &svg);
  AddCurve(view, layout.curve, &svg);
  AddBands(view, layout, &svg);
  AddAxes(view, layout, &svg);
  AddLevels(view, layout, &svg);
  AddPeaks(view, layout, &svg);
  AddViolation(view, layout, &svg);
  AddHeadline(view, layout, &svg);
  AddLegend(layout, &svg);
  absl::StrAppend(&svg, "</svg>\n");
  return svg;
}

}  // namespace stowage::views
