// SPDX-License-Identifier: Apache-2.0
// Writes the text and the colours of an SVG picture.
#ifndef STOWAGE_SRC_VIEWS_SVG_TEXT_H_
#define STOWAGE_SRC_VIEWS_SVG_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "stowage/explain/plan_view.h"
#include "stowage/views/svg.h"

namespace stowage::views {

// Applies PlainText to `text` and escapes & < > " ', so the result is valid
// both as XML content and in an XML attribute.
std::string EscapeXml(absl::string_view text);

// Returns a <text> element at a position in eighths of a pixel. Requires that
// `attributes` is empty or begins with a space.
std::string SvgLabel(int64_t x, int64_t y, absl::string_view attributes,
                     absl::string_view text);

// Returns an upper estimate of the width of the text in usual fonts, in eighths
// of a pixel.
int64_t TextWidth(absl::string_view text);

// Returns the <style> element.
std::string SvgStyle(SvgTheme theme);

// Returns InvalidArgument if a size is out of range.
absl::Status CheckSvgSize(const SvgOptions& options);

// Returns the beginning of a document: the opening tag, the title, the
// description and the style. Escapes the title and the description.
std::string SvgHead(const SvgOptions& options, absl::string_view title,
                    absl::string_view description);

// Returns one line that describes the picture.
std::string SvgTitle(const PlanView& view);
// Returns a description in whole sentences, for readers who cannot see the
// picture.
std::string SvgDescription(const PlanView& view);

// Returns the label of the peaks: "peak, task 34" or "3 peaks, the first at
// task 34".
std::string PeakLabel(const PlanView& view);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_SVG_TEXT_H_
