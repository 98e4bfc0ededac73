// SPDX-License-Identifier: Apache-2.0
// Text and colours of an SVG picture.
#ifndef STOWAGE_SRC_VIEWS_SVG_TEXT_H_
#define STOWAGE_SRC_VIEWS_SVG_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "stowage/explain/plan_view.h"
#include "stowage/views/svg.h"

namespace stowage::views {

// `text` as content or attribute of XML: PlainText, with & < > " ' as
// references.
std::string EscapeXml(absl::string_view text);

// A <text> element at a position in eighths of a pixel. `attributes` begin with
// a space, or are empty.
std::string SvgLabel(int64_t x, int64_t y, absl::string_view attributes,
                     absl::string_view text);

// A number of columns as eighths of a pixel, with room to spare in usual fonts.
int64_t TextWidth(absl::string_view text);

// The <style> element.
std::string SvgStyle(SvgTheme theme);

// What the picture shows, in a line.
std::string SvgTitle(const PlanView& view);
// The same in sentences, for those who do not see it.
std::string SvgDescription(const PlanView& view);

// "peak, task 34"; "3 peaks, the first at task 34".
std::string PeakLabel(const PlanView& view);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_SVG_TEXT_H_
