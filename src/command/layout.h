// SPDX-License-Identifier: Apache-2.0
// Lays out tables and lines of text for users so that they fit the terminal.
// screen.h returns the width of the terminal; views/terminal.h draws plans.
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

// The smallest width for which text is laid out. Lines may be shorter.
inline constexpr size_t kLeastTextWidth = 40;

// The maximum width of text, and the characters that may be used.
struct TextLimits {
  size_t width = 80;  // the unit is a column
  // If true, only ASCII characters mark the places where text was cut.
  bool ascii = false;
};

class Table {
 public:
  enum class Align { kLeft, kRight };
  // The minimum number of columns to which a name may be cut.
  static constexpr size_t kLeastName = 10;

  // Creates a table with bars between columns and a rule below the titles.
  Table() = default;
  // Creates a plain table with `blanks` blanks between columns.
  explicit Table(size_t blanks) : blanks_(blanks) {}

  // Adds a column. Columns for numbers are right-aligned and never cut.
  // Left-aligned cells may be wrapped between words. Long words in them may be
  // cut in the middle, but never to fewer than `least` columns.
  void AddColumn(std::string title, Align align, size_t least = kLeastName);
  // Adds a row. `cells` must have one entry per column.
  void AddRow(std::vector<std::string> cells);
  // Sets the number of key columns, which is 1 by default. If a table has to be
  // split, each part repeats the key columns, which are the first `count`
  // columns.
  void set_key_columns(size_t count) { key_columns_ = count; }

  // Returns a Markdown table that is also aligned as plain text. The table has
  // the width that its contents require.
  std::string ToMarkdown() const;
  // Returns a Markdown table without padding for alignment.
  std::string ToCompactMarkdown() const;
  // Returns the table as text: a plain table if the number of blanks was given,
  // and otherwise the table of ToMarkdown. If the table is wider than the
  // limit, titles and words are wrapped. If that is not enough, names are cut.
  // If the table is still too wide, it is split by columns into several tables,
  // one below the other, each of which has the key columns.
  std::string ToText(const TextLimits& limits) const;

 private:
  using Cells = std::vector<std::string>;

  std::vector<size_t> NaturalWidths() const;
  std::vector<size_t> LeastWidths() const;
  // Returns the width of a table that consists of `columns`, including the bars
  // or blanks between them.
  size_t WidthOf(const std::vector<size_t>& columns,
                 const std::vector<size_t>& widths) const;
  // Returns widths of `columns` with which the table has at most the width
  // `width`. The table is wider only if the minimum widths do not fit.
  std::vector<size_t> Fit(const std::vector<size_t>& columns,
                          size_t width) const;
  std::string Format(const std::vector<size_t>& columns,
                     const std::vector<size_t>& widths, bool ascii) const;
  std::string FormatRow(const Cells& row, const std::vector<size_t>& columns,
                        const std::vector<size_t>& widths, bool ascii) const;
  std::string FormatRule(const std::vector<size_t>& columns,
                         const std::vector<size_t>& widths) const;

  bool has_bars() const { return blanks_ == 0; }

  // The number of blanks between columns. If 0, bars separate the columns.
  size_t blanks_ = 0;
  size_t key_columns_ = 1;
  std::vector<Align> aligns_;
  // `least_[c]` is the minimum width to which names in column c may be cut.
  std::vector<size_t> least_;
  std::vector<Cells> rows_ = {{}};  // the first row has the titles
};

// Wraps the lines of `text` between words if they are too wide. The
// continuation of a line is indented. If the line consists of a name and a
// value with two or more blanks between them, the continuation begins below the
// value. Otherwise, it is indented by two columns more than the line. A word
// that is too wide for a line continues on the next line.
std::string FitLines(absl::string_view text, size_t width);

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_LAYOUT_H_
