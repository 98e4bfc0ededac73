// SPDX-License-Identifier: Apache-2.0
#include "stowage/views/terminal.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/views/terminal_grid.h"
#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"
#include "stowage/views/plain_text.h"

namespace stowage::views {
namespace {

// The maximum number of columns of an id in the list of letters.
constexpr size_t kMaxIdColumns = 24;

constexpr const char* kReset = "\x1b[0m";

// Returns the escape sequence of a colour. The first three colours are blue,
// bold yellow and bold red; the colours of letters follow.
std::string ColorStart(int color) {
  static constexpr const char* kCodes[] = {"",   "34", "1;33", "1;31", "32",
                                           "36", "35", "33",   "34",   "37"};
  return absl::StrCat("\x1b[", kCodes[color], "m");
}

// The data that all lines of one picture have in common.
struct Sheet {
  const PlanView& view;
  const TextOptions& options;
  TextWindow window;
  // The number of columns before the bar.
  size_t margin = 0;

  std::string Bar() const { return options.ascii ? "|" : "\u258F"; }
};

std::string RowText(const std::vector<TextCell>& cells, bool color) {
  std::string text;
  int now = 0;
  for (const TextCell& cell : cells) {
    if (color && cell.color != now) {
      if (now != 0) absl::StrAppend(&text, kReset);
      if (cell.color != 0) absl::StrAppend(&text, ColorStart(cell.color));
      now = cell.color;
    }
    absl::StrAppend(&text, cell.text);
  }
  if (now != 0) absl::StrAppend(&text, kReset);
  // Removes trailing blanks, which are invisible.
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

void AddLine(absl::string_view line, std::string* text) {
  absl::StrAppend(text, line, "\n");
}

void AddWrapped(absl::string_view sentence, size_t width, std::string* text) {
  for (const std::string& line : WrapWords(sentence, width)) {
    AddLine(line, text);
  }
}

// Adds a row of cells with a label before the bar.
void AddRow(const Sheet& sheet, absl::string_view label,
            const std::vector<TextCell>& cells, std::string* text) {
  const std::string cut = CutMiddle(label, sheet.margin, sheet.options.ascii);
  AddLine(absl::StrCat(PadLeft(cut, sheet.margin), sheet.Bar(),
                       RowText(cells, sheet.options.color)),
          text);
}

std::string Counted(uint64_t count, const char* noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

void AddHeadline(const Sheet& sheet, std::string* text) {
  const PlanView& view = sheet.view;
  const std::string title =
      CutMiddle(PlainText(view.caption.title, sheet.options.ascii),
                sheet.options.width - 2, sheet.options.ascii);
  const std::string above = PercentAbove(view.total_size, view.lower_bound);
  std::vector<std::string> parts = {
      absl::StrCat(title, title.empty() ? "" : ": ",
                   Counted(view.offsets.size(), "tensor")),
      Counted(view.task_count, "task"),
      absl::StrCat(Counted(view.total_size, "byte"),
                   view.total_size >= 1024
                       ? absl::StrCat(" (", ShortSize(view.total_size), ")")
                       : ""),
      absl::StrCat("bound ", view.lower_bound,
                   above.empty() ? "" : absl::StrCat(" (", above, ")"))};
  if (view.total_size == view.lower_bound) parts[3] = "at the lower bound";
  // Breaks lines only between parts, unless a single part is wider than a line.
  std::string line;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (k + 1 < parts.size()) parts[k] += ",";
    const bool fits =
        DisplayWidth(line) + 1 + DisplayWidth(parts[k]) <= sheet.options.width;
    if (!line.empty() && !fits) {
      AddWrapped(line, sheet.options.width, text);
      line.clear();
    }
    absl::StrAppend(&line, line.empty() ? "" : " ", parts[k]);
  }
  AddWrapped(line, sheet.options.width, text);
  if (!view.violation) return;
  std::string unsafe;
  AddWrapped(absl::StrCat("unsafe: ",
                          PlainText(view.violation_text, sheet.options.ascii)),
             sheet.options.width, &unsafe);
  const bool color = sheet.options.color;
  absl::StrAppend(text, color ? ColorStart(kUnsafeColor) : "", unsafe,
                  color ? kReset : "");
}

// Returns a column at which a label of `length` columns touches no mark: after
// the last mark that has enough room behind it, or else before the first mark.
// Returns cells.size() if neither place has enough room.
size_t GapOf(const std::vector<TextCell>& cells, size_t length) {
  size_t found = cells.size();
  size_t begin = 0;
  for (size_t c = 0; c <= cells.size(); ++c) {
    const bool is_end = c == cells.size();
    if (!is_end && cells[c].color == 0) continue;
    // The cells [begin, c) are blank. The cell next to a mark stays blank.
    const size_t start = begin == 0 ? 0 : begin + 1;
    const size_t end = is_end ? c : c - std::min<size_t>(c, 1);
    const bool fits = end >= start && end - start >= length;
    if (fits && (begin > 0 || found == cells.size())) {
      found = begin == 0 ? end - length : start;
    }
    begin = c + 1;
  }
  return found;
}

// Adds a mark above each peak, and a label that lists the peaks.
void AddPeaks(const Sheet& sheet, std::string* text) {
  const TextWindow& window = sheet.window;
  std::vector<TextCell> cells(window.columns);
  size_t count = 0;
  for (const TaskId task : sheet.view.peak_tasks) {
    const bool is_shown =
        task >= window.first_task && task - window.first_task < window.tasks;
    if (!is_shown) continue;
    const size_t column =
        (window.ColumnOf(task) + window.LastColumnOf(task)) / 2;
    cells[column] = {sheet.options.ascii ? "v" : "\u25BC", kPeakColor};
    ++count;
  }
  if (count == 0) return;
  const TaskId task = sheet.view.peak_tasks[0];
  const std::string label =
      sheet.view.peak_tasks.size() == 1
          ? absl::StrCat("peak, task ", task)
          : absl::StrCat(Counted(sheet.view.peak_tasks.size(), "peak"),
                         ", the first at task ", task);
  const size_t at = GapOf(cells, label.size());
  if (at == window.columns) {
    AddRow(sheet, "peak", cells, text);
    return;
  }
  for (size_t k = 0; k < label.size(); ++k) {
    cells[at + k] = {std::string(1, label[k]), kPeakColor};
  }
  AddLine(absl::StrCat(std::string(sheet.margin + 1, ' '),
                       RowText(cells, sheet.options.color)),
          text);
}

// Returns the label of each row of the arena. With pools or objects, the row in
// which a pool or object begins has its name as label. Otherwise some rows have
// as label the number of bytes at their upper edge.
std::vector<std::string> RowLabels(const Sheet& sheet) {
  const TextWindow& window = sheet.window;
  std::vector<std::string> labels(window.rows);
  const PlanView& view = sheet.view;
  for (const Band& band : view.bands) {
    if (band.size == 0) continue;
    std::string& label = labels[window.RowOf(band.begin)];
    if (!label.empty()) continue;
    label = CutMiddle(PlainText(band.name, sheet.options.ascii), sheet.margin,
                      sheet.options.ascii);
  }
  if (!view.bands.empty()) return labels;
  for (size_t row = 0; row < window.rows; row += 3) {
    const absl::uint128 byte =
        absl::uint128(window.bytes) * (window.rows - row) / window.rows;
    labels[row] = ShortSize(static_cast<size_t>(static_cast<uint64_t>(byte)));
  }
  return labels;
}

// Adds the numbers of the first and last task below the picture.
void AddAxis(const Sheet& sheet, std::string* text) {
  const TextWindow& window = sheet.window;
  const std::string first = absl::StrCat(window.first_task);
  const std::string last = absl::StrCat(window.first_task + window.tasks - 1);
  std::string line =
      absl::StrCat(PadLeft("tasks", sheet.margin), sheet.Bar(), first);
  const bool has_both = first.size() + last.size() < window.columns;
  if (has_both && window.tasks > 1) {
    absl::StrAppend(&line, PadLeft(last, window.columns - first.size()));
  }
  AddLine(CutMiddle(line, sheet.options.width, sheet.options.ascii), text);
}

// Adds the lines that explain the letters. Each line explains as many letters
// as fit.
void AddLetters(const Sheet& sheet, std::string* text) {
  const PlanView& view = sheet.view;
  const bool ascii = sheet.options.ascii;
  std::string line;
  for (size_t i = 0; i < view.offsets.size(); ++i) {
    const std::string id =
        i < view.problem.names.size()
            ? CutMiddle(PlainText(view.problem.names[i], ascii), kMaxIdColumns,
                        ascii)
            : absl::StrCat(i);
    std::string entry =
        absl::StrCat(std::string(1, LetterOf(i)), "=", id, " ",
                     ShortSize(view.problem.records[i].tensor_size));
    entry = CutMiddle(entry, sheet.options.width, ascii);
    if (!line.empty() &&
        DisplayWidth(line) + 2 + DisplayWidth(entry) > sheet.options.width) {
      AddLine(line, text);
      line.clear();
    }
    absl::StrAppend(&line, line.empty() ? "" : "  ", entry);
  }
  if (!line.empty()) AddLine(line, text);
}

absl::Status CheckTextSize(const char* name, size_t size, size_t least,
                           size_t max) {
  if (size >= least && size <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": ", size, "; expected ", least, " to ", max));
}

// Sets the tasks of the window to those that the options request.
absl::Status SetTasks(const PlanView& view, const TextOptions& options,
                      TextWindow* window) {
  if (view.profile.empty()) {
    if (!options.from && !options.to) return absl::OkStatus();
    return absl::OutOfRangeError("tasks of a plan that has none");
  }
  const TaskId last = view.task_count - 1;
  const TaskId from = options.from.value_or(
      std::min(view.profile.front().task, options.to.value_or(last)));
  const TaskId to = options.to.value_or(last);
  if (from > to || to > last) {
    return absl::OutOfRangeError(absl::StrCat("tasks ", from, " to ", to,
                                              "; expected rising ones from ", 0,
                                              " to ", last));
  }
  window->first_task = from;
  window->tasks = to - from + 1;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> PlanText(const PlanView& view,
                                     const TextOptions& options) {
  Sheet sheet = {
      view, options, {}, options.width < 40 ? size_t{8} : size_t{10}};
  for (const absl::Status& status :
       {CheckTextSize("width", options.width, kTextLeastWidth, kTextMaxWidth),
        CheckTextSize("height", options.height, 1, kTextMaxHeight),
        SetTasks(view, options, &sheet.window)}) {
    if (!status.ok()) return status;
  }
  sheet.window.columns = options.width - sheet.margin - 1;
  sheet.window.rows = options.height;
  sheet.window.bytes = std::max<uint64_t>(view.total_size, 1);
  std::string text;
  AddHeadline(sheet, &text);
  if (view.offsets.empty()) return text;
  AddPeaks(sheet, &text);
  const bool has_letters = view.offsets.size() <= kMaxLetters;
  const TextGrid grid = has_letters
                            ? LetterGrid(view, sheet.window)
                            : ShadeGrid(view, sheet.window, options.ascii);
  const std::vector<std::string> labels = RowLabels(sheet);
  for (size_t row = 0; row < grid.size(); ++row) {
    AddRow(sheet, labels[row], grid[row], &text);
  }
  AddRow(sheet, "alive", LiveRow(view, sheet.window, options.ascii), &text);
  AddAxis(sheet, &text);
  if (has_letters) AddLetters(sheet, &text);
  return text;
}

}  // namespace stowage::views
