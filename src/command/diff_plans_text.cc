// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/diff_plans.h"
#include "src/command/inputs.h"
#include "src/command/layout.h"
#include "src/command/markdown.h"
#include "src/command/report_format.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"

namespace stowage::cli {
namespace {

using views::DiffRow;
using views::PlanDiff;

std::string SideText(const std::string& path, const views::PlanView& view) {
  return absl::StrCat(
      OneLine(InputName(path)), ": ", FormatBytes(view.total_size),
      view.caption.strategy.empty()
          ? ""
          : absl::StrCat(" by ", view.caption.strategy),
      view.violation ? ", UNSAFE: " : "",
      view.violation ? Shortened(view.violation_text, 400) : "");
}

// Returns the number of tensors without a match, and a few of their names.
std::string UnmatchedText(const ProblemSpec& problem,
                          const std::vector<size_t>& records) {
  constexpr size_t kMost = 10;
  std::string text = Count(records.size(), "tensor");
  for (size_t k = 0; k < std::min(kMost, records.size()); ++k) {
    absl::StrAppend(&text, k == 0 ? ": " : ", ", "'",
                    TensorCell(problem, records[k], ReportFormat::kText), "'");
  }
  return absl::StrCat(text, records.size() > kMost ? ", ..." : "");
}

}  // namespace

std::string SignedBytes(absl::int128 bytes, ReportFormat format) {
  const bool is_negative = bytes < 0;
  const absl::uint128 size =
      is_negative ? -absl::uint128(bytes) : absl::uint128(bytes);
  std::string digits;
  if (absl::Uint128High64(size) == 0) {
    digits = BytesCell(absl::Uint128Low64(size), format);
  } else {
    std::ostringstream stream;
    stream << size;
    digits = stream.str();
  }
  return absl::StrCat(bytes == 0 ? "" : is_negative ? "-" : "+", digits);
}

std::string SignedPercent(size_t old_total, size_t new_total) {
  if (old_total == 0) return "";
  const bool is_less = new_total < old_total;
  const size_t change = is_less ? old_total - new_total : new_total - old_total;
  const std::string percent = Percent(change, old_total);
  return absl::StrCat(change == 0 ? ""
                      : is_less   ? "-"
                                  : "+",
                      change > 0 && percent == "0.0 %" ? "<0.1 %" : percent);
}

bool HasOtherBound(const PlanDiff& diff) {
  return diff.old_side.lower_bound != diff.old_side.breadth ||
         diff.new_side.lower_bound != diff.new_side.breadth;
}

std::string PeakSentence(const PlanDiffReport& report, ReportFormat format) {
  const PlanDiff& diff = report.diff;
  if (!diff.old_side.peak || !diff.new_side.peak) return "";
  std::string text = absl::StrCat("task ", *diff.old_side.peak);
  const bool is_same = diff.has_same_tasks && !diff.has_peak_moved;
  if (!is_same) {
    absl::StrAppend(&text, " in OLD, task ", *diff.new_side.peak, " in NEW");
  }
  if (diff.has_peak_moved) {
    absl::StrAppend(
        &text, ": the peak has moved; the old peak",
        diff.has_same_tasks
            ? ""
            : absl::StrCat(", task ", *diff.old_peak_in_new, " in NEW,"),
        " is now ", BytesCell(diff.old_peak_now, format), " bytes");
  }
  return text;
}

std::string DiffTable(const PlanDiffReport& report, size_t begin, size_t end,
                      ReportFormat format) {
  const bool has_totals = report.replanned_total && begin == 0;
  Table table;
  table.AddColumn("tensor", Table::Align::kLeft);
  table.AddColumn("reason", Table::Align::kLeft);
  for (const char* title : {"at OLD's peak", "at NEW's peak", "change"}) {
    table.AddColumn(title, Table::Align::kRight);
  }
  if (has_totals) table.AddColumn("reverted alone", Table::Align::kRight);
  for (size_t k = begin; k < end; ++k) {
    const DiffRow& row = report.diff.rows[k];
    std::vector<std::string> cells = {
        row.new_record
            ? TensorCell(report.new_view.problem, *row.new_record, format)
            : TensorCell(report.old_view.problem, *row.old_record, format),
        std::string(views::ReasonName(row.reason)),
        BytesCell(row.old_bytes, format), BytesCell(row.new_bytes, format),
        SignedBytes(row.change(), format)};
    if (has_totals) {
      const bool has_total =
          k < report.reverted.size() && report.reverted[k].has_value();
      cells.push_back(has_total ? BytesCell(*report.reverted[k], format) : "-");
    }
    table.AddRow(cells);
  }
  return format == ReportFormat::kMarkdown ? table.ToMarkdown()
                                           : table.ToText(ScreenLimits());
}

std::string PlanDiffText(const PlanDiffReport& report) {
  const PlanDiff& diff = report.diff;
  const PlanDiffArgs& args = *report.args;
  const ReportFormat format = ReportFormat::kText;
  const auto bytes = [](absl::int128 change) {
    return SignedBytes(change, ReportFormat::kText);
  };
  const std::string percent =
      SignedPercent(diff.old_side.total, diff.new_side.total);
  std::string text = absl::StrCat(
      Field("old", SideText(args.old_path, report.old_view)),
      Field("new", SideText(args.new_path, report.new_view)),
      Field(
          "change",
          absl::StrCat(bytes(diff.TotalChange()), " bytes",
                       percent.empty() ? "" : absl::StrCat(" (", percent, ")"),
                       report.has_failed ? ", more than --fail-above" : "")));
  const std::string peak = PeakSentence(report, format);
  if (!peak.empty()) text += Field("peak", peak);
  absl::StrAppend(
      &text,
      Field("account", absl::StrCat(bytes(diff.TensorsChange()),
                                    " bytes live at the peak")),
      !HasOtherBound(diff)
          ? ""
          : Field("", absl::StrCat(bytes(diff.BoundChange()),
                                   " of the lower bound beyond them")),
      Field("", absl::StrCat(bytes(diff.GapsChange()),
                             " free, beyond the lower bound")),
      Field("matched", Count(diff.matched, "tensor")));
  if (!diff.gone.empty()) {
    text += Field("gone", UnmatchedText(report.old_view.problem, diff.gone));
  }
  if (!diff.appeared.empty()) {
    text += Field("new in NEW",
                  UnmatchedText(report.new_view.problem, diff.appeared));
  }
  if (report.replanned_total) {
    text +=
        Field("reverted", absl::StrCat("NEW planned by ", args.strategy, ": ",
                                       FormatBytes(*report.replanned_total)));
  }
  const size_t rows = std::min<size_t>(diff.rows.size(), args.top);
  if (rows > 0) {
    absl::StrAppend(&text, "\n", DiffTable(report, 0, rows, format));
  }
  if (rows < diff.rows.size()) {
    absl::StrAppend(&text, "\nand ", diff.rows.size() - rows,
                    " more tensors\n");
  }
  return FitScreen(text);
}

}  // namespace stowage::cli
