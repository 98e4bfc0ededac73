// SPDX-License-Identifier: Apache-2.0
// Draws the parts that are common to all pictures of curves: a heading, and a
// frame with numbers on its axes. For pictures of plans, see svg_marks.h.
#ifndef STOWAGE_SRC_VIEWS_SVG_CURVE_H_
#define STOWAGE_SRC_VIEWS_SVG_CURVE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "src/views/svg_shapes.h"
#include "stowage/views/svg.h"

namespace stowage::views {

struct SvgCurve {
  std::string heading;
  std::string description;  // in sentences, for screen readers
  // The numbers at the two ends of the horizontal axis, and at the upper end of
  // the vertical axis, which begins at 0.
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t top = 0;
  // If true, the horizontal axis shows sizes in bytes, and the vertical axis
  // shows plain numbers. If false, the axes are the other way round. Sizes are
  // abbreviated, but plain numbers are not.
  bool has_bytes_across = false;
};

// Returns the title in the form for headings: as plain text, cut to 100
// columns.
std::string SvgCurveTitle(absl::string_view title);

// Returns the scale of the frame of the curve, in a picture of this size.
SvgScale ScaleOfCurve(const SvgCurve& curve, const SvgOptions& options);

// Returns the picture: the frame, `lines`, the numbers on the axes and the
// heading. `lines` are SVG elements that were drawn at the scale of
// ScaleOfCurve.
std::string DrawCurve(const SvgCurve& curve, absl::string_view lines,
                      const SvgOptions& options);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_SVG_CURVE_H_
