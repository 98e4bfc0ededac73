// SPDX-License-Identifier: Apache-2.0
// Text of any origin in pictures, and the columns that it takes in a terminal.
// Text of messages is escaped instead, so that it can be told apart: OneLine
// (src/base/text.h).
#ifndef STOWAGE_SRC_VIEWS_PLAIN_TEXT_H_
#define STOWAGE_SRC_VIEWS_PLAIN_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stowage::views {

// `text` without control characters, line and paragraph separators and marks of
// direction. What is not UTF-8, or no character of XML 1.0, becomes U+FFFD, or
// all that is not ASCII '?' if `ascii`. O(n).
std::string PlainText(absl::string_view text, bool ascii = false);

// Columns that a terminal needs for UTF-8 text without control characters: none
// for combining marks, two for East Asian wide characters and emoji (Unicode
// Standard Annex 11; where terminals differ, the larger number). O(n).
size_t DisplayWidth(absl::string_view text);

// UTF-8 text cut in the middle to at most `columns`; `ascii` says which mark
// stands for what was cut: "~" or U+2026. O(n).
std::string CutMiddle(absl::string_view text, size_t columns, bool ascii);

// UTF-8 text without line ends as lines of at most `columns` of 1 or more,
// broken at spaces where there are any. O(n).
std::vector<std::string> WrapWords(absl::string_view text, size_t columns);

// Lets `text` take `columns`, if it is not wider: spaces after or before it.
std::string PadRight(absl::string_view text, size_t columns);
std::string PadLeft(absl::string_view text, size_t columns);

// "512 B", "5.7 KiB", "200.2 MiB": a tenth, rounded, at most 10 columns. The
// same on every machine.
std::string ShortSize(size_t bytes);

// By how much `total` is above `bound`, "+9.9 %", rounded to a tenth; "+0.0 %"
// means less than a twentieth, "" of equal ones or a bound of 0. Beyond 1000 %
// whole multiples, "12 times".
std::string PercentAbove(size_t total, size_t bound);

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_PLAIN_TEXT_H_
