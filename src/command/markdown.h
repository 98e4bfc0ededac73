// SPDX-License-Identifier: Apache-2.0
// Formats text from files as Markdown that GitHub renders. For tables, use
// Table (layout.h).
#ifndef STOWAGE_SRC_COMMAND_MARKDOWN_H_
#define STOWAGE_SRC_COMMAND_MARKDOWN_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace stowage::cli {

// Returns `text` on one line as a code span, in which nothing is markup, a
// mention or a link. Truncates `text` to `max` bytes. Returns "" for an empty
// text. In a table cell, the caller must still escape pipes, as Table does.
std::string CodeSpan(absl::string_view text, size_t max = 80);

// Returns a sentence on one line. All punctuation of Markdown and HTML in it is
// escaped, except for underscores within words.
std::string EscapeMarkdown(absl::string_view text);

// Returns `markdown` without the backslashes that escape pipes. Backslashes in
// code spans remain, since they are part of the code. Use this function for the
// cells of a Table: the table adds a backslash to every pipe, and a renderer of
// Markdown tables removes all of these backslashes again, even in code.
std::string UnescapePipes(absl::string_view markdown);

// Returns the beginning of `text` on one line, in at most `max` bytes. Cuts
// between characters. If `text` is cut, the result ends with "...".
std::string Shortened(absl::string_view text, size_t max);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_MARKDOWN_H_
