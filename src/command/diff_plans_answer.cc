// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/diff_plans.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/tensor_cells.h"
#include "src/command/text.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"
#include "stowage/trace.h"

namespace stowage::cli {
namespace {

using views::DiffRow;
using views::DiffSide;
using views::PlanDiff;

// Returns the HTML comment by which a script finds the answer. The name in it
// has no characters that could end the comment.
Value Marker(const PlanDiffArgs& args) {
  std::string name = args.marker;
  if (name.empty()) {
    name = args.new_path.substr(args.new_path.rfind('/') + 1);
    name = name.substr(0, name.find('.'));
  }
  std::string safe;
  for (const char c : name.substr(0, 100)) {
    const bool is_safe = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                         c == '_' || c == '.';
    safe += is_safe ? c : '_';
  }
  return {nullptr, "",
          absl::StrCat("<!-- stowage:", safe.empty() ? "diff" : safe, " -->")};
}

// Returns words that must not be missed.
Value Strong(const Value& words) {
  return {nullptr, words.text, absl::StrCat("**", words.markdown, "**")};
}

Value Heading(const PlanDiffReport& report) {
  const size_t before = report.diff.old_side.total;
  const size_t after = report.diff.new_side.total;
  const bool has_objects = report.new_view.kind == PlanKind::kObjects ||
                           report.old_view.kind == PlanKind::kObjects;
  const std::string percent = SignedPercent(before, after);
  return Phrase(has_objects ? "Shared objects" : "Arena",
                percent.empty() ? "" : " ", percent, ": ", Bytes(before), " → ",
                Size(after));
}

Value SideOf(const std::string& path, const views::PlanView& view) {
  const std::string& strategy = view.caption.strategy;
  const Value side = Phrase(Name(InputName(path)), ": ", Size(view.total_size),
                            strategy.empty() ? "" : " by ", strategy);
  if (!view.violation) return side;
  return Phrase(side, ", ", Strong("UNSAFE"), ": ",
                Name(view.violation_text, 400));
}

Json TaskJson(const absl::optional<TaskId>& task) {
  return task ? Json(*task) : Json();
}

Json SideJson(const std::string& path, const views::PlanView& view,
              const DiffSide& side) {
  Json entry = {{"input", path},
                {"records", view.trace.records.size()},
                {"total_size", side.total},
                {"lower_bound", side.lower_bound},
                {"breadth", side.breadth},
                {"peak_task", TaskJson(side.peak)},
                {"safe", !view.violation.has_value()}};
  if (!view.caption.strategy.empty()) {
    entry["strategy"] = view.caption.strategy;
  }
  if (view.violation) entry["violation"] = view.violation_text;
  return entry;
}

// Says where the peaks of OLD and NEW are.
Value PeakOf(const PlanDiff& diff) {
  Value text = Phrase("task ", *diff.old_side.peak);
  if (!diff.has_same_tasks || diff.has_peak_moved) {
    text = Phrase(text, " in OLD, task ", *diff.new_side.peak, " in NEW");
  }
  if (!diff.has_peak_moved) return text;
  return Phrase(
      text, ": the peak has moved; the old peak",
      diff.has_same_tasks
          ? ""
          : absl::StrCat(", task ", *diff.old_peak_in_new, " in NEW,"),
      " is now ", Bytes(diff.old_peak_now), " bytes");
}

// Returns the account, which adds up to the change of the total.
AnswerTable AccountTable(const PlanDiff& diff) {
  const DiffSide& before = diff.old_side;
  const DiffSide& after = diff.new_side;
  const auto beyond = [](size_t what, size_t base) {
    return what < base ? Phrase("-", Bytes(base - what)) : Bytes(what - base);
  };
  std::vector<std::vector<Value>> rows = {
      {"live at the peak", Bytes(before.breadth), Bytes(after.breadth),
       SignedBytes(diff.TensorsChange())},
      {"free, beyond the lower bound", beyond(before.total, before.lower_bound),
       beyond(after.total, after.lower_bound), SignedBytes(diff.GapsChange())},
      {"total", Bytes(before.total), Bytes(after.total),
       SignedBytes(diff.TotalChange())}};
  if (before.lower_bound != before.breadth ||
      after.lower_bound != after.breadth) {
    rows.insert(rows.begin() + 1, {"lower bound beyond that",
                                   beyond(before.lower_bound, before.breadth),
                                   beyond(after.lower_bound, after.breadth),
                                   SignedBytes(diff.BoundChange())});
  }
  AnswerTable table;
  table.columns = {"account", "OLD>", "NEW>", "change>"};
  table.count = rows.size();
  table.row = [rows](size_t k) { return rows[k]; };
  return table;
}

// Returns a table of the changed tensors without the first `begin`.
AnswerTable ChangesTable(const PlanDiffReport& report, size_t begin) {
  AnswerTable table;
  table.columns = {
      "tensor",       "reason=reason",           "=old",
      "=new",         "at OLD's peak>old_bytes", "at NEW's peak>new_bytes",
      "change>change"};
  const bool has_totals = report.replanned_total && begin == 0;
  if (has_totals) table.columns.emplace_back("reverted alone>reverted_total");
  table.count = report.diff.rows.size() - begin;
  table.rest = "and $0 more tensors";
  table.row = [&report, begin, has_totals](size_t k) {
    const DiffRow& row = report.diff.rows[begin + k];
    const Trace& old_trace = report.old_view.trace;
    const Trace& new_trace = report.new_view.trace;
    const auto tensor = [](const Trace& trace,
                           const absl::optional<size_t>& record) {
      return Data(record ? TensorJson(trace, *record) : Json());
    };
    std::vector<Value> cells = {row.new_record
                                    ? TensorCell(new_trace, *row.new_record)
                                    : TensorCell(old_trace, *row.old_record),
                                views::ReasonName(row.reason),
                                tensor(old_trace, row.old_record),
                                tensor(new_trace, row.new_record),
                                Bytes(row.old_bytes),
                                Bytes(row.new_bytes),
                                SignedBytes(row.change())};
    if (!has_totals) return cells;
    const bool is_reverted = k < report.reverted.size();
    cells.push_back(!is_reverted         ? Omitted()
                    : report.reverted[k] ? Bytes(*report.reverted[k])
                                         : Nothing());
    return cells;
  };
  return table;
}

// Adds the records without a match.
void AddUnmatched(const char* key, const char* label, const Trace& trace,
                  const std::vector<size_t>& records, Answer* answer) {
  answer->AddList(key, records.size(),
                  [&](size_t k) { return TensorJson(trace, records[k]); });
  if (records.empty()) return;
  const auto list = [&](size_t most) {
    return Listed(records.size(), most, [&](size_t k) {
      return QuotedName(TensorCell(trace, records[k]));
    });
  };
  answer->Say(label, Phrase(Count(records.size(), "tensor"), ": ",
                            Value(nullptr, list(10).text, list(50).markdown)));
}

// Adds the fields before the tables.
void AddSummary(const PlanDiffReport& report, Answer* answer) {
  const PlanDiff& diff = report.diff;
  const PlanDiffArgs& args = *report.args;
  const std::string percent =
      SignedPercent(diff.old_side.total, diff.new_side.total);
  answer->AddData("kind", std::string(PlanKindName(report.new_view.kind)));
  answer->Add("old", "old",
              SideJson(args.old_path, report.old_view, diff.old_side),
              SideOf(args.old_path, report.old_view));
  answer->Add("new", "new",
              SideJson(args.new_path, report.new_view, diff.new_side),
              SideOf(args.new_path, report.new_view));
  const Value total = SignedBytes(diff.TotalChange());
  answer->Add(
      "change", "change",
      {{"total", total.json},
       {"tensors", SignedBytes(diff.TensorsChange()).json},
       {"bound", SignedBytes(diff.BoundChange()).json},
       {"gaps", SignedBytes(diff.GapsChange()).json}},
      Phrase(total, " bytes",
             percent.empty() ? "" : absl::StrCat(" (", percent, ")"),
             report.has_failed
                 ? Phrase(", ", Strong(absl::StrCat("more than --fail-above ",
                                                    args.fail_above->text)))
                 : Value()));
  answer->AddData("peak",
                  {{"moved", diff.has_peak_moved},
                   {"old_task_in_new", TaskJson(diff.old_peak_in_new)},
                   {"old_peak_now",
                    diff.old_peak_in_new ? Json(diff.old_peak_now) : Json()}});
  if (diff.old_side.peak && diff.new_side.peak) {
    answer->Say("peak", PeakOf(diff));
  }
  answer->Add("matched", "matched", diff.matched,
              Count(diff.matched, "tensor"));
  if (args.fail_above) {
    answer->AddData("fail_above", args.fail_above->text);
    answer->AddData("failed", report.has_failed);
  }
  if (report.replanned_total) {
    answer->Add(
        "replanned", "reverted",
        {{"strategy", args.strategy}, {"total_size", *report.replanned_total}},
        Phrase("the total of NEW by ", args.strategy,
               " with one change undone; with none it is ",
               Size(*report.replanned_total)));
  }
}

}  // namespace

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

Answer PlanDiffAnswer(const PlanDiffReport& report) {
  const PlanDiff& diff = report.diff;
  Answer answer;
  answer.SayLine(Marker(*report.args), Readers::kMarkdown);
  answer.AddHeading(Heading(report), Readers::kMarkdown);
  AddSummary(report, &answer);
  AddUnmatched("gone", "gone", report.old_view.trace, diff.gone, &answer);
  AddUnmatched("appeared", "new in NEW", report.new_view.trace, diff.appeared,
               &answer);
  answer.AddTable(AccountTable(diff));
  AnswerTable changes = ChangesTable(report, 0);
  changes.most = report.args->top;
  answer.AddTable(std::move(changes), "tensors");
  if (diff.rows.size() > report.args->top) {
    answer.BeginDetails("More tensors");
    answer.AddTable(ChangesTable(report, report.args->top), "",
                    Readers::kMarkdown);
  }
  return answer;
}

}  // namespace stowage::cli
