// SPDX-License-Identifier: Apache-2.0
// Text from files inside Markdown, as GitHub renders it. For plain tables see
// Table (text.h).
#ifndef STOWAGE_SRC_COMMAND_MARKDOWN_H_
#define STOWAGE_SRC_COMMAND_MARKDOWN_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace stowage::cli {

// `text` on one line as a code span, in which nothing is markup, a mention or a
// link, cut after `most` bytes; "" for none. In a cell of a table the pipes
// still have to be escaped, as Table does.
std::string CodeSpan(absl::string_view text, size_t most = 80);

// A sentence with all punctuation of Markdown and HTML escaped, on one line.
std::string EscapeMarkdown(absl::string_view text);

// "191,102,976".
std::string Grouped(size_t number);

// A part of `text` on one line that is at most `most` bytes long and ends
// between characters; "..." stands for the rest.
std::string Shortened(absl::string_view text, size_t most);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_MARKDOWN_H_
