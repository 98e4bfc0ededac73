// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/base/text.h"
#include "src/command/diff_plans.h"
#include "src/command/layout.h"
#include "src/command/markdown.h"
#include "src/command/report_format.h"
#include "src/command/text.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/problem.h"

namespace stowage::cli {
namespace {

using views::DiffSide;
using views::PlanDiff;

constexpr size_t kMostCharacters = 65535;
constexpr size_t kRowsAtOnce = 50;

// Returns the name that is written into an HTML comment. The name has no
// characters that could end the comment.
std::string MarkerName(const PlanDiffArgs& args) {
  std::string name = args.marker;
  if (name.empty()) {
    const size_t slash = args.new_path.rfind('/');
    name = slash == std::string::npos ? args.new_path
                                      : args.new_path.substr(slash + 1);
    name = name.substr(0, name.find('.'));
  }
  std::string safe;
  for (const char c : name.substr(0, 100)) {
    const bool is_safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '.';
    safe += is_safe ? c : '_';
  }
  return safe.empty() ? "diff" : safe;
}

std::string Heading(const PlanDiffReport& report) {
  const size_t before = report.diff.old_side.total;
  const size_t after = report.diff.new_side.total;
  const bool has_objects = report.new_view.kind == PlanKind::kObjects ||
                           report.old_view.kind == PlanKind::kObjects;
  const std::string percent = SignedPercent(before, after);
  return absl::StrCat("### ", has_objects ? "Shared objects" : "Arena",
                      percent.empty() ? "" : absl::StrCat(" ", percent), ": ",
                      Grouped(before), " → ", Grouped(after), " bytes\n\n");
}

std::string AccountTable(const PlanDiff& diff) {
  Table table;
  table.AddColumn("account", Table::Align::kLeft);
  for (const char* title : {"OLD", "NEW", "change"}) {
    table.AddColumn(title, Table::Align::kRight);
  }
  const auto bytes = [](absl::int128 change) {
    return SignedBytes(change, ReportFormat::kMarkdown);
  };
  const auto beyond = [](size_t what, size_t base) {
    return what < base ? absl::StrCat("-", Grouped(base - what))
                       : Grouped(what - base);
  };
  const DiffSide& before = diff.old_side;
  const DiffSide& after = diff.new_side;
  table.AddRow({"live at the peak", Grouped(before.breadth),
                Grouped(after.breadth), bytes(diff.TensorsChange())});
  if (HasOtherBound(diff)) {
    table.AddRow(
        {"lower bound beyond that", beyond(before.lower_bound, before.breadth),
         beyond(after.lower_bound, after.breadth), bytes(diff.BoundChange())});
  }
  table.AddRow(
      {"free, beyond the lower bound", beyond(before.total, before.lower_bound),
       beyond(after.total, after.lower_bound), bytes(diff.GapsChange())});
  table.AddRow({"total", Grouped(before.total), Grouped(after.total),
                bytes(diff.TotalChange())});
  return absl::StrCat(table.ToMarkdown(), "\n");
}

std::string UnmatchedList(absl::string_view title, const ProblemSpec& problem,
                          const std::vector<size_t>& records) {
  if (records.empty()) return "";
  constexpr size_t kMost = 50;
  std::string text = absl::StrCat("\n", title, ": ");
  for (size_t k = 0; k < std::min(kMost, records.size()); ++k) {
    absl::StrAppend(&text, k == 0 ? "" : ", ",
                    TensorCell(problem, records[k], ReportFormat::kMarkdown));
  }
  if (records.size() > kMost) {
    absl::StrAppend(&text, " and ", records.size() - kMost, " more");
  }
  return absl::StrCat(text, "\n");
}

// Returns as many of the rows from `begin` on as fit into `room` characters, as
// GitHub counts them, and the number of rows that do not fit.
std::string DetailsOf(const PlanDiffReport& report, size_t begin, size_t room) {
  const PlanDiff& diff = report.diff;
  std::string text;
  size_t next = begin;
  while (next < diff.rows.size()) {
    const size_t end = std::min(diff.rows.size(), next + kRowsAtOnce);
    std::string table = DiffTable(report, next, end, ReportFormat::kMarkdown);
    if (next > begin) {
      // Remove the two lines of the header, because the text already has them.
      table.erase(0, table.find('\n', table.find('\n') + 1) + 1);
    }
    if (text.size() + table.size() > room) break;
    text += table;
    next = end;
  }
  if (next < diff.rows.size()) {
    absl::StrAppend(&text, "\nand ", diff.rows.size() - next,
                    " more tensors\n");
  }
  return text;
}

}  // namespace

std::string PlanDiffMarkdown(const PlanDiffReport& report) {
  const PlanDiff& diff = report.diff;
  const PlanDiffArgs& args = *report.args;
  std::string text = absl::StrCat("<!-- stowage:", MarkerName(args), " -->\n",
                                  Heading(report), CodeSpan(args.old_path),
                                  " → ", CodeSpan(args.new_path), "\n\n");
  for (const views::PlanView* view : {&report.old_view, &report.new_view}) {
    if (!view->violation) continue;
    absl::StrAppend(&text, "**Unsafe**: ", CodeSpan(view->caption.title), ": ",
                    CodeSpan(view->violation_text, 400), "\n\n");
  }
  if (report.has_failed) {
    absl::StrAppend(&text, "**More than the limit of ", args.fail_above->text,
                    ".**\n\n");
  }
  text += AccountTable(diff);
  const std::string peak = PeakSentence(report, ReportFormat::kMarkdown);
  if (!peak.empty()) absl::StrAppend(&text, "Peak: ", peak, ".\n\n");
  const size_t rows = std::min<size_t>(diff.rows.size(),
                                       std::min<size_t>(args.top, kRowsAtOnce));
  if (rows > 0) text += DiffTable(report, 0, rows, ReportFormat::kMarkdown);
  if (report.replanned_total) {
    absl::StrAppend(&text, "\nReverted alone: the total of NEW by ",
                    CodeSpan(args.strategy), ", which is ",
                    Grouped(*report.replanned_total),
                    " bytes, with one change undone.\n");
  }
  const std::string unmatched = absl::StrCat(
      UnmatchedList("Gone", report.old_view.problem, diff.gone),
      UnmatchedList("New", report.new_view.problem, diff.appeared));
  if (rows == diff.rows.size() && unmatched.empty()) return text;
  const std::string start = "\n<details><summary>More tensors</summary>\n\n";
  const std::string end = "\n</details>\n";
  constexpr size_t kReserve = 200;
  const size_t used =
      text.size() + start.size() + unmatched.size() + end.size() + kReserve;
  if (used > kMostCharacters) return text;
  return absl::StrCat(text, start,
                      DetailsOf(report, rows, kMostCharacters - used),
                      unmatched, end);
}

}  // namespace stowage::cli
