// SPDX-License-Identifier: Apache-2.0
// Formats the rows of stowage compare for other programs and for pull requests.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/command/compare.h"
#include "src/command/compare_rows.h"
#include "src/command/json.h"
#include "src/command/text.h"
#include "stowage/compare.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"

namespace stowage::cli {
namespace {

using Cells = std::vector<std::string>;

// The largest number of characters of a Markdown table: the number that a
// comment on GitHub may have, minus the space for the note.
constexpr size_t kMostMarkdown = 65536 - 200;

Cells Titles(bool has_costs) {
  Cells titles = {"input", "records", "bound",  "strategy", "kind",
                  "total", "ratio",   "status", "micros"};
  if (has_costs) titles.insert(titles.end(), {"cost", "pools"});
  return titles;
}

// Returns the cells of a row. No cell contains a line break, even if the path
// of the input does.
Cells RowOf(const ComparedInput& input, const ComparedPlan& plan,
            bool has_costs) {
  const size_t bound = input.LowerBound(plan.kind);
  Cells row = {OneLine(input.name),
               absl::StrCat(input.records),
               absl::StrCat(bound),
               OneLine(plan.strategy),
               std::string(PlanKindName(plan.kind)),
               "",
               "",
               std::string(plan.StatusName()),
               ""};
  if (plan.total_size) {
    row[5] = absl::StrCat(*plan.total_size);
    const auto ratio = Ratio(*plan.total_size, bound);
    if (ratio) row[6] = FormatRatio(ratio);
    row[8] = absl::StrFormat("%.3f", Micros(plan.time));
  }
  if (!has_costs) return row;
  row.push_back(plan.cost ? absl::StrCat(*plan.cost) : "");
  row.push_back(OneLine(PoolsText(input, plan)));
  return row;
}

std::vector<Cells> RowsOf(const Comparison& comparison, bool has_costs) {
  std::vector<Cells> rows;
  for (const ComparedInput& input : comparison.inputs) {
    for (const ComparedPlan& plan : input.plans) {
      rows.push_back(RowOf(input, plan, has_costs));
    }
  }
  return rows;
}

std::string CsvLine(const Cells& cells) {
  std::string line;
  for (size_t c = 0; c < cells.size(); ++c) {
    const bool is_quoted =
        cells[c].find_first_of(",\"\r\n") != std::string::npos;
    absl::StrAppend(
        &line, c > 0 ? "," : "",
        is_quoted
            ? absl::StrCat(
                  "\"", absl::StrReplaceAll(cells[c], {{"\"", "\"\""}}), "\"")
            : cells[c]);
  }
  return line + "\n";
}

// Returns the text of a cell with all markup escaped, except for underscores
// within words.
std::string MarkdownCell(absl::string_view text) {
  constexpr absl::string_view kMarkup = "\\`*{}[]<>|~&@#";
  std::string cell;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto is_word = [&](size_t k) {
      return k < text.size() &&
             absl::ascii_isalnum(static_cast<unsigned char>(text[k]));
    };
    const bool is_inner = i > 0 && is_word(i - 1) && is_word(i + 1);
    const bool is_markup =
        text[i] == '_' ? !is_inner
                       : kMarkup.find(text[i]) != absl::string_view::npos;
    if (is_markup) cell += '\\';
    cell += text[i];
  }
  return cell;
}

std::string MarkdownLine(const Cells& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    absl::StrAppend(&line, " ", MarkdownCell(cell), " |");
  }
  return line + "\n";
}

bool IsText(absl::string_view title) {
  return title == "input" || title == "strategy" || title == "kind" ||
         title == "status" || title == "pools";
}

}  // namespace

std::string CompareCsv(const Comparison& comparison) {
  const bool has_costs = HasCosts(comparison.inputs);
  std::string text = CsvLine(Titles(has_costs));
  for (const Cells& row : RowsOf(comparison, has_costs)) {
    absl::StrAppend(&text, CsvLine(row));
  }
  return text;
}

std::string CompareMarkdown(const Comparison& comparison) {
  const bool has_costs = HasCosts(comparison.inputs);
  const Cells titles = Titles(has_costs);
  std::string text = absl::StrCat(MarkdownLine(titles), "|");
  for (const std::string& title : titles) {
    absl::StrAppend(&text, IsText(title) ? " --- |" : " ---: |");
  }
  text += "\n";
  const std::vector<Cells> rows = RowsOf(comparison, has_costs);
  for (size_t r = 0; r < rows.size(); ++r) {
    const std::string line = MarkdownLine(rows[r]);
    if (text.size() + line.size() > kMostMarkdown) {
      absl::StrAppend(&text, "\n", Count(rows.size() - r, "row"),
                      " more: `--format csv` has all.\n");
      break;
    }
    absl::StrAppend(&text, line);
  }
  return text;
}

}  // namespace stowage::cli
