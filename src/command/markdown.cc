// SPDX-License-Identifier: Apache-2.0
#include "src/command/markdown.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/text.h"

namespace stowage::cli {

std::string Shortened(absl::string_view text, size_t max) {
  constexpr absl::string_view kRest = "...";
  // OneLine never shortens a text. The bytes after the first `max` bytes
  // therefore cannot appear in the result and need not be escaped.
  const bool is_long = text.size() > max;
  std::string line = OneLine(text.substr(0, max));
  if (!is_long && line.size() <= max) return line;
  return absl::StrCat(FirstBytes(line, max - std::min(max, kRest.size())),
                      kRest);
}

std::string CodeSpan(absl::string_view text, size_t max) {
  if (text.empty()) return "";
  const std::string line = Shortened(text, max);
  size_t longest = 0;
  size_t run = 0;
  for (const char c : line) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  // If the line begins or ends with a backquote, spaces separate it from the
  // fence. Markdown removes one space at each end, so a line that begins or
  // ends with a space needs another space.
  const bool is_padded = line.front() == '`' || line.back() == '`' ||
                         line.front() == ' ' || line.back() == ' ';
  const char* const space = is_padded ? " " : "";
  return absl::StrCat(fence, space, line, space, fence);
}

std::string EscapeMarkdown(absl::string_view text) {
  constexpr absl::string_view kMarkup = "\\`*{}[]<>#|~&@!";
  const std::string line = OneLine(text);
  const auto is_word = [&](size_t k) {
    return k < line.size() &&
           absl::ascii_isalnum(static_cast<unsigned char>(line[k]));
  };
  std::string escaped;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool is_inner = i > 0 && is_word(i - 1) && is_word(i + 1);
    const bool is_markup =
        line[i] == '_' ? !is_inner
                       : kMarkup.find(line[i]) != absl::string_view::npos;
    if (is_markup) escaped += '\\';
    escaped += line[i];
  }
  return escaped;
}

std::string UnescapePipes(absl::string_view markdown) {
  std::string text;
  // The number of backquotes on each side of the current code span, or 0
  // outside code spans.
  size_t fence = 0;
  while (!markdown.empty()) {
    const size_t run =
        std::min(markdown.find_first_not_of('`'), markdown.size());
    if (run > 0 && (fence == 0 || fence == run)) fence = fence == 0 ? run : 0;
    size_t size = std::max(run, size_t{1});
    if (fence == 0 && markdown[0] == '\\') {
      if (markdown.substr(1, 1) == "|") {
        markdown.remove_prefix(1);
      } else {
        size = std::min(size_t{2}, markdown.size());
      }
    }
    absl::StrAppend(&text, markdown.substr(0, size));
    markdown.remove_prefix(size);
  }
  return text;
}

}  // namespace stowage::cli
