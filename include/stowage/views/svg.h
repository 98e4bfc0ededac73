// SPDX-License-Identifier: Apache-2.0
// Draws a plan as an SVG picture, for documents, pull requests and tickets. To
// examine a plan of many tensors, use views/page.h; for a picture in a
// terminal, use views/terminal.h.
//
//   absl::StatusOr<views::PlanView> view =
//       views::ViewPlan(file, {"plan.csv"});
//   if (!view.ok()) return view.status();
//   absl::StatusOr<std::string> svg = views::PlanSvg(*view);
//
// The horizontal axis shows tasks, and the vertical axis shows bytes. A curve
// below the plan shows the number of live bytes. The picture is exact for any
// number of records: if tensors are smaller than a pixel, the shade of the
// pixel shows the occupied share, and white always means free.
#ifndef STOWAGE_VIEWS_SVG_H_
#define STOWAGE_VIEWS_SVG_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "stowage/explain/plan_view.h"

namespace stowage::views {

enum class SvgTheme {
  kLight,
  kDark,
  kAuto,  // the theme of the viewer, by prefers-color-scheme
};

// The limits of a picture, in pixels.
inline constexpr size_t kSvgLeastWidth = 160;
inline constexpr size_t kSvgLeastHeight = 120;
inline constexpr size_t kSvgMost = 8192;

struct SvgOptions {
  size_t width = 960;
  size_t height = 320;
  SvgTheme theme = SvgTheme::kAuto;
};

// Returns an SVG document without scripts and fonts. The document refers to no
// other file, and has the same bytes on every machine, since all arithmetic is
// in eighths of a pixel. For any number of records, it contains at most 4,000
// rectangles and 8,000 runs of pixels, because the smallest tensors are merged
// into runs; its size is therefore below 400 kB. Ids are escaped and have no
// control characters. An unsafe plan is marked with its violation. Error:
// InvalidArgument if a size in `options` is out of range. O(n log n + pixels).
absl::StatusOr<std::string> PlanSvg(const PlanView& view,
                                    const SvgOptions& options = {});

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_SVG_H_
