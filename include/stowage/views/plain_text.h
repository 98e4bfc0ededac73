// SPDX-License-Identifier: Apache-2.0
// Makes text of any origin safe for pictures, and measures the number of
// columns that a text needs in a terminal, so that programs can print their own
// tables. For messages, use OneLine (base/text.h) instead, which escapes unsafe
// characters so that they remain recognizable.
#ifndef STOWAGE_VIEWS_PLAIN_TEXT_H_
#define STOWAGE_VIEWS_PLAIN_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stowage::views {

// Returns `text` without control characters, line and paragraph separators and
// direction marks. Bytes that are not UTF-8, and characters that XML 1.0 does
// not allow, become U+FFFD. If `ascii` is true, all characters outside ASCII
// become '?'. O(n).
std::string PlainText(absl::string_view text, bool ascii = false);

// Returns the number of columns that a terminal needs for UTF-8 text without
// control characters: none for combining marks, two for East Asian wide
// characters and emoji (Unicode Standard Annex 11). If terminals differ,
// returns the larger number. O(n).
size_t DisplayWidth(absl::string_view text);

// Shortens UTF-8 text to at most `columns` columns by replacing a part in the
// middle with a mark: "~" if `ascii` is true, otherwise U+2026. O(n).
std::string CutMiddle(absl::string_view text, size_t columns, bool ascii);

// Breaks UTF-8 text without line ends into lines of at most `columns` columns.
// Lines are broken at spaces if possible. Requires columns >= 1. O(n).
std::vector<std::string> WrapWords(absl::string_view text, size_t columns);

// Return `text`, padded with spaces on the right or on the left to `columns`
// columns. Wider text is returned unchanged.
std::string PadRight(absl::string_view text, size_t columns);
std::string PadLeft(absl::string_view text, size_t columns);

// Formats a size: "512 B", "5.7 KiB", "200.2 MiB". The number is rounded to a
// tenth. The text has at most 10 columns and is the same on every machine.
std::string ShortSize(size_t bytes);

// Formats the percentage by which `total` exceeds `bound`, rounded to a tenth:
// "+9.9 %". An excess of less than 0.05 % is "+0.0 %". The text is empty if
// both numbers are equal or `bound` is 0. Above 1000 %, the text is a whole
// multiple: "12 times".
std::string PercentAbove(size_t total, size_t bound);

}  // namespace stowage::views

#endif  // STOWAGE_VIEWS_PLAIN_TEXT_H_
