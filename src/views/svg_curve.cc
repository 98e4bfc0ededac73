// SPDX-License-Identifier: Apache-2.0
#include "src/views/svg_curve.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/views/svg_marks.h"
#include "src/views/svg_shapes.h"
#include "src/views/svg_text.h"
#include "stowage/views/plain_text.h"
#include "stowage/views/svg.h"

namespace stowage::views {
namespace {

std::string CurveNumber(uint64_t number, bool is_size) {
  return is_size ? ShortSize(number) : absl::StrCat(number);
}

void AddCurveNumbers(const SvgCurve& curve, const SvgScale& scale,
                     std::string* svg) {
  constexpr char kAtEnd[] = R"( class="text" text-anchor="end")";
  constexpr char kAtMiddle[] = R"( class="text" text-anchor="middle")";
  const SvgBox& frame = scale.frame;
  const uint64_t step = SvgTick(scale.bytes);
  for (uint64_t k = 0; k <= scale.bytes / step; ++k) {
    absl::StrAppend(
        svg, SvgLabel(frame.x - 5 * kEighths, scale.Y(k * step) + 3 * kEighths,
                      kAtEnd, CurveNumber(k * step, !curve.has_bytes_across)));
  }
  const uint64_t tick = SvgTick(scale.tasks);
  // Ticks are at multiples of `tick`.
  for (uint64_t at = curve.first + (tick - curve.first % tick) % tick;
       at >= curve.first && at <= curve.last; at += tick) {
    absl::StrAppend(
        svg, SvgLabel(scale.X(at), frame.y + frame.height + 14 * kEighths,
                      kAtMiddle, CurveNumber(at, curve.has_bytes_across)));
    if (curve.last - at < tick) break;
  }
}

}  // namespace

std::string SvgCurveTitle(absl::string_view title) {
  constexpr size_t kMaxTitle = 100;
  return CutMiddle(PlainText(title), kMaxTitle, false);
}

SvgScale ScaleOfCurve(const SvgCurve& curve, const SvgOptions& options) {
  const auto width = static_cast<int64_t>(options.width);
  const auto height = static_cast<int64_t>(options.height);
  SvgScale scale;
  scale.frame = {64 * kEighths, 34 * kEighths, (width - 64 - 40) * kEighths,
                 (height - 34 - 32) * kEighths};
  scale.first_task = curve.first;
  scale.tasks = std::max<uint64_t>(1, curve.last - curve.first);
  scale.bytes = std::max<uint64_t>(1, curve.top);
  return scale;
}

std::string DrawCurve(const SvgCurve& curve, absl::string_view lines,
                      const SvgOptions& options) {
  const int64_t width = static_cast<int64_t>(options.width) * kEighths;
  const SvgScale scale = ScaleOfCurve(curve, options);
  SvgPath background;
  background.Add(
      {0, 0, width, static_cast<int64_t>(options.height) * kEighths});
  SvgPath frame;
  frame.Add(scale.frame);
  std::string svg = absl::StrCat(
      SvgHead(options, curve.heading, curve.description),
      R"(<path class="bg" d=")", background.data(),
      "\"/>\n<path class=\"arena\" d=\"", frame.data(), "\"/>\n", lines);
  AddCurveNumbers(curve, scale, &svg);
  absl::StrAppend(&svg,
                  SvgLabel(8 * kEighths, 15 * kEighths, R"( class="text head")",
                           FittingLabel(curve.heading, width * 5 / 6)),
                  "</svg>\n");
  return svg;
}

}  // namespace stowage::views
