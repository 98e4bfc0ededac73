// SPDX-License-Identifier: Apache-2.0
// Lays out what people read, so that it fits the terminal: tables, and lines of
// text. What a terminal is wide is said by screen.h; pictures of plans are laid
// out by views/terminal.h.
//
//   Table table;
//   table.AddColumn("tensor", Table::Align::kLeft);
//   table.AddColumn("bytes", Table::Align::kRight);
//   table.AddRow({"conv1", "1024"});
//   out = table.ToText(ScreenLimits());
#ifndef STOWAGE_SRC_COMMAND_LAYOUT_H_
#define STOWAGE_SRC_COMMAND_LAYOUT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace stowage::cli {

// Least columns that text is laid out for: lines may pass fewer.
inline constexpr size_t kLeastTextWidth = 40;

// The limits within which text is laid out.
struct TextLimits {
  size_t width = 80;   // columns
  bool ascii = false;  // nothing but ASCII marks what was cut
};

class Table {
 public:
  enum class Align { kLeft, kRight };
  // Columns of a name that may be cut.
  static constexpr size_t kLeastName = 10;

  // Between bars, below a rule.
  Table() = default;
  // Plain, with so many blanks between columns.
  explicit Table(size_t blanks) : blanks_(blanks) {}

  // Numbers are aligned at the right and never cut; what is aligned at the left
  // may be wrapped between words, and words cut in the middle to `least`
  // columns.
  void AddColumn(std::string title, Align align, size_t least = kLeastName);
  // One cell for each column.
  void AddRow(std::vector<std::string> cells);
  // The first `count` columns stay beside all others, 1 if not set.
  void set_key_columns(size_t count) { key_columns_ = count; }

  // A Markdown table whose plain text is aligned too, as wide as it has to be.
  std::string ToMarkdown() const;
  // The same, or plain, where it fits. Otherwise titles and words are wrapped,
  // then names cut; and where even that is too wide the columns come in several
  // tables, one below the other, with the key columns in each.
  std::string ToText(const TextLimits& limits) const;

 private:
  using Cells = std::vector<std::string>;

  std::vector<size_t> NaturalWidths() const;
  std::vector<size_t> LeastWidths() const;
  // Columns and blanks of a table of these columns.
  size_t WidthOf(const std::vector<size_t>& columns,
                 const std::vector<size_t>& widths) const;
  // The widths of these columns, which fit if the least ones do.
  std::vector<size_t> Fit(const std::vector<size_t>& columns,
                          size_t width) const;
  std::string Format(const std::vector<size_t>& columns,
                     const std::vector<size_t>& widths, bool ascii) const;
  std::string FormatRow(const Cells& row, const std::vector<size_t>& columns,
                        const std::vector<size_t>& widths, bool ascii) const;
  std::string FormatRule(const std::vector<size_t>& columns,
                         const std::vector<size_t>& widths) const;

  bool has_bars() const { return blanks_ == 0; }

  size_t blanks_ = 0;  // between columns; 0: bars
  size_t key_columns_ = 1;
  std::vector<Align> aligns_;
  std::vector<size_t> least_;       // of names, by column
  std::vector<Cells> rows_ = {{}};  // the titles first
};

// `text`, whose lines are wrapped between words where they are too wide. What
// goes on below a line is indented: after a word and two blanks or more, as
// names and their values have between them, to where the value begins;
// otherwise by two columns more than the line. A word that is too wide for a
// line is continued on the next.
std::string FitLines(absl::string_view text, size_t width);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_LAYOUT_H_
