// SPDX-License-Identifier: Apache-2.0
// What is drawn over and around the tensors of an SVG picture: axes, levels,
// peaks, bands, violations, text.
#ifndef STOWAGE_SRC_VIEWS_SVG_MARKS_H_
#define STOWAGE_SRC_VIEWS_SVG_MARKS_H_

#include <cstdint>
#include <string>

#include "src/views/svg_shapes.h"
#include "stowage/explain/plan_view.h"

namespace stowage::views {

// Where everything is, in eighths of a pixel.
struct SvgLayout {
  int64_t width = 0;
  int64_t height = 0;
  int64_t top = 0;       // of the arena
  bool is_wide = false;  // room for labels at the sides, and a legend
  SvgScale arena;
  SvgScale curve;
};

// Each appends elements to a document.

// Where a pool or object ends, and its name where there is room.
void AddBands(const PlanView& view, const SvgLayout& layout, std::string* svg);
// Ticks of bytes, and the first and last task.
void AddAxes(const PlanView& view, const SvgLayout& layout, std::string* svg);
// Lines at the total and the lower bound.
void AddLevels(const PlanView& view, const SvgLayout& layout, std::string* svg);
// A line and a mark at each peak.
void AddPeaks(const PlanView& view, const SvgLayout& layout, std::string* svg);
// The tensors that a violation names, the bytes in question, and a sentence.
void AddViolation(const PlanView& view, const SvgLayout& layout,
                  std::string* svg);
void AddHeadline(const PlanView& view, const SvgLayout& layout,
                 std::string* svg);
// What colours mean.
void AddLegend(const SvgLayout& layout, std::string* svg);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_SVG_MARKS_H_
