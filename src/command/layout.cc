// SPDX-License-Identifier: Apache-2.0
#include "src/command/layout.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "src/command/text.h"
#include "stowage/views/plain_text.h"

namespace stowage::cli {
namespace {

using views::CutMiddle;
using views::DisplayWidth;
using views::PadLeft;
using views::PadRight;

// The minimum width of a column. In the rule below the titles of a Markdown
// table, each column needs at least a dash and a colon.
constexpr size_t kLeastColumn = 3;

size_t LongestWord(absl::string_view text) {
  size_t longest = 0;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    longest = std::max(longest, DisplayWidth(word));
  }
  return longest;
}

// Returns the lines of a cell, wrapped to `columns`. A word that is longer than
// a line is cut.
std::vector<std::string> LinesOfCell(absl::string_view cell, size_t columns,
                                     bool ascii) {
  if (DisplayWidth(cell) <= columns) return {std::string(cell)};
  std::vector<std::string> words;
  for (const absl::string_view word : absl::StrSplit(cell, ' ')) {
    words.push_back(CutMiddle(word, columns, ascii));
  }
  return views::WrapWords(absl::StrJoin(words, " "), columns);
}

// Returns the column at which the continuation of `line` begins.
size_t IndentOf(absl::string_view line, size_t width) {
  const size_t begin = line.find_first_not_of(' ');
  if (begin == absl::string_view::npos) return 0;
  const size_t gap = line.find("  ", begin);
  if (gap != absl::string_view::npos) {
    const size_t value = line.find_first_not_of(' ', gap);
    if (value != absl::string_view::npos) {
      const size_t indent = DisplayWidth(line.substr(0, value));
      if (indent <= width / 2) return indent;
    }
  }
  return begin + 2 <= width / 2 ? begin + 2 : 0;
}

// Returns the number of bytes that remain on the line if `line` is too wide.
// The line is broken at the last blank that fits, but never within the first
// `indent` bytes. If there is no such blank, the line keeps the largest number
// of bytes that fits.
size_t EndOfLine(absl::string_view line, size_t indent, size_t width) {
  const std::vector<std::string> broken =
      views::WrapWords(line.substr(std::min(indent, line.size())),
                       width - std::min(width - 1, indent));
  return std::min(indent, line.size()) + broken.front().size();
}

}  // namespace

void Table::AddColumn(std::string title, Align align, size_t least) {
  rows_[0].push_back(std::move(title));
  aligns_.push_back(align);
  least_.push_back(least);
}

void Table::AddRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) {
    cell = OneLine(cell);
    if (has_bars()) {
      cell = absl::StrReplaceAll(cell, {{"|", "\\|"}});
    }
  }
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::NaturalWidths() const {
  std::vector<size_t> widths(aligns_.size(), has_bars() ? kLeastColumn : 0);
  for (const Cells& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], DisplayWidth(row[c]));
    }
  }
  return widths;
}

std::vector<size_t> Table::LeastWidths() const {
  std::vector<size_t> widths(aligns_.size(), has_bars() ? kLeastColumn : 0);
  for (size_t c = 0; c < aligns_.size(); ++c) {
    widths[c] = std::max(widths[c], LongestWord(rows_[0][c]));
    for (size_t r = 1; r < rows_.size(); ++r) {
      const std::string& cell = rows_[r][c];
      widths[c] =
          std::max(widths[c], aligns_[c] == Align::kRight
                                  ? DisplayWidth(cell)
                                  : std::min(least_[c], LongestWord(cell)));
    }
  }
  return widths;
}

size_t Table::WidthOf(const std::vector<size_t>& columns,
                      const std::vector<size_t>& widths) const {
  size_t width = 0;
  for (const size_t c : columns) width += widths[c];
  return has_bars() ? width + 3 * columns.size() + 1
                    : width + blanks_ * (columns.size() - 1);
}

std::vector<size_t> Table::Fit(const std::vector<size_t>& columns,
                               size_t width) const {
  std::vector<size_t> widths = NaturalWidths();
  const std::vector<size_t> least = LeastWidths();
  // Narrowing a right-aligned column cuts no cell; at most, the title needs
  // more lines. Such columns are therefore narrowed first.
  for (const size_t c : columns) {
    if (WidthOf(columns, widths) <= width) return widths;
    if (aligns_[c] == Align::kRight) widths[c] = std::min(widths[c], least[c]);
  }
  while (WidthOf(columns, widths) > width) {
    size_t widest = columns.front();
    for (const size_t c : columns) {
      const bool is_wider = widths[c] > widths[widest];
      const bool can_shrink = widths[c] > least[c];
      if (can_shrink && (is_wider || widths[widest] <= least[widest])) {
        widest = c;
      }
    }
    if (widths[widest] <= least[widest]) break;
    --widths[widest];
  }
  return widths;
}

std::string Table::FormatRow(const Cells& row,
                             const std::vector<size_t>& columns,
                             const std::vector<size_t>& widths,
                             bool ascii) const {
  std::vector<std::vector<std::string>> cells;
  size_t height = 1;
  for (const size_t c : columns) {
    cells.push_back(LinesOfCell(row[c], widths[c], ascii));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (size_t line = 0; line < height; ++line) {
    std::string one;
    for (size_t k = 0; k < columns.size(); ++k) {
      const size_t c = columns[k];
      const std::string cell = line < cells[k].size() ? cells[k][line] : "";
      const std::string padded = aligns_[c] == Align::kLeft
                                     ? PadRight(cell, widths[c])
                                     : PadLeft(cell, widths[c]);
      if (has_bars()) {
        absl::StrAppend(&one, "| ", padded, " ");
      } else {
        absl::StrAppend(&one, std::string(k > 0 ? blanks_ : 0, ' '), padded);
      }
    }
    if (has_bars()) one += "|";
    absl::StripTrailingAsciiWhitespace(&one);
    absl::StrAppend(&text, one, "\n");
  }
  return text;
}

std::string Table::FormatRule(const std::vector<size_t>& columns,
                              const std::vector<size_t>& widths) const {
  std::string rule;
  for (const size_t c : columns) {
    const bool left = aligns_[c] == Align::kLeft;
    absl::StrAppend(&rule, "|", left ? "-" : "", std::string(widths[c], '-'),
                    left ? "-" : "-:");
  }
  return absl::StrCat(rule, "|\n");
}

std::string Table::Format(const std::vector<size_t>& columns,
                          const std::vector<size_t>& widths, bool ascii) const {
  std::string text;
  for (size_t r = 0; r < rows_.size(); ++r) {
    text += FormatRow(rows_[r], columns, widths, ascii);
    if (r == 0 && has_bars()) text += FormatRule(columns, widths);
  }
  return text;
}

std::string Table::ToMarkdown() const {
  std::vector<size_t> all(aligns_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return Format(all, NaturalWidths(), false);
}

std::string Table::ToCompactMarkdown() const {
  std::vector<size_t> all(aligns_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  std::string text;
  for (size_t r = 0; r < rows_.size(); ++r) {
    absl::StrAppend(&text, "| ", absl::StrJoin(rows_[r], " | "), " |\n");
    if (r == 0) {
      text += FormatRule(all, std::vector<size_t>(all.size(), kLeastColumn));
    }
  }
  return text;
}

std::string Table::ToText(const TextLimits& limits) const {
  const size_t width = std::max(limits.width, kLeastTextWidth);
  const std::vector<size_t> least = LeastWidths();
  const size_t keys = std::min(key_columns_, aligns_.size());
  std::string text;
  for (size_t next = keys; next < aligns_.size() || text.empty();) {
    std::vector<size_t> columns(keys);
    std::iota(columns.begin(), columns.end(), size_t{0});
    do {
      if (next < aligns_.size()) columns.push_back(next++);
      std::vector<size_t> wider = columns;
      wider.push_back(next);
      if (next == aligns_.size() || WidthOf(wider, least) > width) break;
    } while (true);
    absl::StrAppend(&text, text.empty() ? "" : "\n",
                    Format(columns, Fit(columns, width), limits.ascii));
  }
  return text;
}

std::string FitLines(absl::string_view text, size_t width) {
  width = std::max(width, kLeastTextWidth);
  std::string fitted;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string line(text.substr(0, end));
    text.remove_prefix(end == absl::string_view::npos ? text.size() : end + 1);
    const size_t indent = IndentOf(line, width);
    while (DisplayWidth(line) > width) {
      const size_t kept = EndOfLine(line, indent, width);
      absl::string_view rest = absl::string_view(line).substr(kept);
      absl::ConsumePrefix(&rest, " ");
      std::string head = line.substr(0, kept);
      absl::StripTrailingAsciiWhitespace(&head);
      absl::StrAppend(&fitted, head, "\n");
      line = absl::StrCat(std::string(indent, ' '), rest);
    }
    fitted += line;
    if (end != absl::string_view::npos) fitted += "\n";
  }
  return fitted;
}

}  // namespace stowage::cli
