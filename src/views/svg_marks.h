// SPDX-License-Identifier: Apache-2.0
// Draws everything over and around the tensors of an SVG picture: axes, levels,
// peaks, bands, violations and text.
#ifndef STOWAGE_SRC_VIEWS_SVG_MARKS_H_
#define STOWAGE_SRC_VIEWS_SVG_MARKS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "src/views/svg_shapes.h"
#include "stowage/explain/plan_view.h"

namespace stowage::views {

// The layout of a picture, in eighths of a pixel.
struct SvgLayout {
  int64_t width = 0;
  int64_t height = 0;
  // The upper end of the arena.
  int64_t top = 0;
  // True if there is room for labels at the sides and for a legend.
  bool is_wide = false;
  SvgScale arena;
  SvgScale curve;
};

// Returns the distance between two ticks on an axis from 0 to `range`. The
// distance is a power of two that divides the axis into three to six parts.
uint64_t SvgTick(uint64_t range);

// Shortens the text in the middle so that it fits into `width` eighths of a
// pixel.
std::string FittingLabel(absl::string_view text, int64_t width);

// Each of the following functions appends elements to the document `svg`.

// Adds a line at the end of each pool or object, and the name of the pool or
// object if there is room.
void AddBands(const PlanView& view, const SvgLayout& layout, std::string* svg);
// Adds ticks along the bytes, and the numbers of the first and last task.
void AddAxes(const PlanView& view, const SvgLayout& layout, std::string* svg);
// Adds lines at the total and the lower bound.
void AddLevels(const PlanView& view, const SvgLayout& layout, std::string* svg);
// Adds a line and a mark at each peak.
void AddPeaks(const PlanView& view, const SvgLayout& layout, std::string* svg);
// Marks the tensors and the bytes of a violation, and adds a sentence about it.
void AddViolation(const PlanView& view, const SvgLayout& layout,
                  std::string* svg);
void AddHeadline(const PlanView& view, const SvgLayout& layout,
                 std::string* svg);
// Adds a legend that explains the colours.
void AddLegend(const SvgLayout& layout, std::string* svg);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_SVG_MARKS_H_
