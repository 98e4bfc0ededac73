// SPDX-License-Identifier: Apache-2.0
#include "src/command/diff_plans.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/options.h"
#include "src/command/progress.h"
#include "src/command/replanner.h"
#include "src/command/tensor_cells.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/compare.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/verify.h"

namespace stowage::cli {
namespace {

using views::DiffRow;
using views::DiffSide;
using views::PlanDiff;

struct PlanDiffReport {
  const PlanDiffArgs* args = nullptr;
  views::PlanView old_view;
  views::PlanView new_view;
  views::PlanDiff diff;
  // An entry for each of the first rows of the difference: the total of the
  // strategy's plan for NEW if only the change of this row is reverted, or
  // nullopt if this change cannot be reverted.
  std::vector<absl::optional<size_t>> reverted;
  // The total of the strategy's plan for NEW if no change is reverted.
  absl::optional<size_t> replanned_total;
  // True if the plan grew by more than --fail-above allows.
  bool has_failed = false;
};

constexpr absl::Duration kDiffTimeLimit = absl::Seconds(1);

PlanKind KindOf(const FilePlan& plan) {
  return plan.offsets.empty() ? PlanKind::kObjects : PlanKind::kOffsets;
}

// Returns the view of the plan in a file. If the file has no plan, makes one.
absl::StatusOr<views::PlanView> ViewInput(const NamedFile& input,
                                          const Replanner& replanner) {
  const std::string& path = input.path;
  const ProblemFile& file = input.file;
  views::PlanCaption caption = {path, ""};
  absl::StatusOr<views::PlanView> view = absl::UnknownError("");
  if (!file.plan.empty()) {
    view = views::ViewPlan(file, caption);
  } else {
    const absl::StatusOr<Solution> solution = replanner.Plan(file.problem);
    if (!solution.ok()) {
      return AboutInput(path, file.problem, solution.status());
    }
    caption.strategy = replanner.strategy;
    caption.lower_bound = solution->lower_bound;
    caption.bound_reason = NameOf(solution->bound_proof);
    view = views::ViewPlan({file.problem, FilePlanOf(*solution)}, caption);
  }
  if (!view.ok()) return AboutInput(path, file.problem, view.status());
  return view;
}

// Returns greedy_by_size if it supports both problems, and otherwise a strategy
// that supports both. Errors: those of Problem::Create.
absl::StatusOr<std::string> DefaultStrategy(
    const std::vector<const NamedFile*>& inputs, PlanKind kind) {
  std::vector<std::vector<std::string>> supporters;
  for (const NamedFile* input : inputs) {
    const absl::StatusOr<Problem> problem =
        Problem::Create(SpecFor(input->file.problem, kind));
    if (!problem.ok()) {
      return AboutInput(input->path, input->file.problem, problem.status());
    }
    supporters.push_back(SupportersOf(*problem));
  }
  for (const char* name : {"greedy_by_size", "skyline", "optimal"}) {
    const bool supports_all =
        std::all_of(supporters.begin(), supporters.end(), [&](const auto& all) {
          return std::find(all.begin(), all.end(), name) != all.end();
        });
    if (supports_all) return std::string(name);
  }
  return std::string("greedy_by_size");
}

// For each of the first rows, computes the total of the plan for NEW if only
// the change of this row is reverted. Computes no totals if the strategy cannot
// plan NEW.
void RevertRows(const PlanDiffArgs& args, const Replanner& replanner,
                PlanDiffReport* report) {
  const size_t rows = std::min<size_t>(args.top, report->diff.rows.size());
  if (rows == 0) return;
  const auto total_of =
      [&](const ProblemSpec& problem) -> absl::optional<size_t> {
    const absl::StatusOr<size_t> total = replanner.Total(problem);
    if (!total.ok()) return absl::nullopt;
    return *total;
  };
  const bool was_planned = !report->new_view.caption.strategy.empty();
  report->replanned_total =
      was_planned ? absl::optional<size_t>(report->new_view.total_size)
                  : total_of(report->new_view.problem);
  if (!report->replanned_total) return;
  for (size_t k = 0; k < rows; ++k) {
    const absl::optional<ProblemSpec> reverted = views::RevertChange(
        report->old_view, report->new_view, report->diff, report->diff.rows[k]);
    report->reverted.push_back(reverted ? total_of(*reverted) : absl::nullopt);
  }
}

// Formats the change from OLD to NEW as a percentage of OLD: "+9.9 %", "-0.3 %"
// or "+<0.1 %". Returns an empty string if OLD has 0 bytes.
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

// Returns an HTML comment with which a script can find the answer. The name in
// the comment contains no characters that could end the comment.
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

// Returns the words in bold in Markdown, so that readers do not miss them.
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
  Value side = Phrase(Name(InputName(path)), ": ", Size(view.total_size),
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
                {"records", view.problem.records.size()},
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

// Returns a text that states where the peaks of OLD and NEW are.
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

// Returns a table of the parts of the total. Their changes add up to the change
// of the total.
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
  return TableOf({"account", "OLD>", "NEW>", "change>"}, std::move(rows));
}

// Returns a table of the changed tensors that leaves out the first `begin` of
// them.
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
    const ProblemSpec& old_problem = report.old_view.problem;
    const ProblemSpec& new_problem = report.new_view.problem;
    const auto tensor = [](const ProblemSpec& problem,
                           const absl::optional<size_t>& record) {
      return Data(record ? TensorJson(problem, *record) : Json());
    };
    std::vector<Value> cells = {row.new_record
                                    ? TensorCell(new_problem, *row.new_record)
                                    : TensorCell(old_problem, *row.old_record),
                                views::ReasonName(row.reason),
                                tensor(old_problem, row.old_record),
                                tensor(new_problem, row.new_record),
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

// Adds those records of one plan that have no match in the other plan.
void AddUnmatched(const char* key, const char* label,
                  const ProblemSpec& problem,
                  const std::vector<size_t>& records, Answer* answer) {
  answer->AddList(key, records.size(),
                  [&](size_t k) { return TensorJson(problem, records[k]); });
  if (records.empty()) return;
  const auto list = [&](size_t max) {
    return Listed(records.size(), max, [&](size_t k) {
      return QuotedName(TensorCell(problem, records[k]));
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

// Returns the answer, which refers to `report`. The report must outlive the
// answer.
Answer PlanDiffAnswer(const PlanDiffReport& report) {
  const PlanDiff& diff = report.diff;
  Answer answer;
  const bool is_markdown = report.args->format == Format::kMarkdown;
  if (is_markdown) {
    answer.SayLine(Marker(*report.args));
    answer.AddHeading(Heading(report));
  }
  AddSummary(report, &answer);
  AddUnmatched("gone", "gone", report.old_view.problem, diff.gone, &answer);
  AddUnmatched("appeared", "new in NEW", report.new_view.problem, diff.appeared,
               &answer);
  answer.AddTable(AccountTable(diff));
  AnswerTable changes = ChangesTable(report, 0);
  changes.max = report.args->top;
  answer.AddTable(std::move(changes), "tensors");
  if (is_markdown && diff.rows.size() > report.args->top) {
    answer.BeginDetails("More tensors");
    answer.AddTable(ChangesTable(report, report.args->top));
  }
  return answer;
}

// Applies --fail-above and --quiet-below, and reports plans that are not safe.
Outcome DecideOutcome(const PlanDiffArgs& args, PlanDiffReport* report) {
  const size_t before = report->diff.old_side.total;
  const size_t after = report->diff.new_side.total;
  const size_t change = before < after ? after - before : before - after;
  Outcome outcome;
  for (const views::PlanView* view : {&report->old_view, &report->new_view}) {
    if (!view->violation) continue;
    outcome.code = ExitCode::kRefuted;
    absl::StrAppend(&outcome.err, OneLine(InputName(view->caption.title)),
                    ": unsafe: ", OneLine(view->violation_text),
                    "; expected a safe plan\n");
  }
  report->has_failed = args.fail_above && after > before &&
                       CompareToLimit(*args.fail_above, before, change) > 0;
  if (report->has_failed) {
    outcome.code = ExitCode::kRefuted;
    const std::string percent = SignedPercent(before, after);
    absl::StrAppend(&outcome.err, OneLine(InputName(args.new_path)), ": ",
                    after, " bytes, ", change, " more than before",
                    percent.empty() ? "" : absl::StrCat(" (", percent, ")"),
                    "; expected at most ", args.fail_above->text, " more\n");
  }
  const bool is_unsafe =
      report->old_view.violation || report->new_view.violation;
  // The report of a failed check is always printed, because it explains why the
  // check failed. A change of 0 bytes is below every limit above 0, even if the
  // size of OLD is 0.
  const bool is_quiet =
      args.quiet_below && !is_unsafe && !report->has_failed &&
      CompareToLimit(*args.quiet_below, change == 0 ? 1 : before, change) < 0;
  if (!is_quiet) outcome.out = PlanDiffAnswer(*report).Render(args.format);
  return outcome;
}

Outcome FailureOf(const absl::Status& status) {
  const ExitCode code = ExitCodeOf(status);
  if (code == ExitCode::kMisuse) return Misuse("diff", status.message());
  const bool is_infeasible =
      absl::IsFailedPrecondition(status) && !ViolationOf(status);
  return Failure(is_infeasible ? ExitCode::kInfeasible : code,
                 status.message());
}

}  // namespace

Outcome RunPlanDiff(const PlanDiffArgs& asked) {
  PlanDiffArgs args = asked;
  Progress progress(4);
  NamedFile inputs[] = {{args.old_path, {}}, {args.new_path, {}}};
  Replanner replanner;
  replanner.kind = args.kind;
  InputReader reader(args.trace);
  for (NamedFile& input : inputs) {
    progress.Begin(absl::StrCat("reading ", input.path));
    absl::StatusOr<ProblemFile> file = reader.Read(input.path);
    if (!file.ok()) return BadInput(file.status());
    input.file = *std::move(file);
    const FilePlan& plan = input.file.plan;
    if (!plan.empty()) replanner.kind = KindOf(plan);
  }
  if (absl::Status s = reader.CheckOptions(); !s.ok()) {
    return Misuse("diff", s.message());
  }
  for (const NamedFile& input : inputs) {
    if (!args.has_kind || input.file.plan.empty()) continue;
    return Misuse("diff", absl::StrCat("--kind: has no effect beside ",
                                       InputName(input.path),
                                       ", which is a plan; expected inputs "
                                       "without one"));
  }
  if (args.strategy.empty()) {
    absl::StatusOr<std::string> strategy =
        DefaultStrategy({&inputs[0], &inputs[1]}, replanner.kind);
    if (!strategy.ok()) return FailureOf(strategy.status());
    args.strategy = *std::move(strategy);
  }
  if (absl::Status s = CheckSearchArgs(args.search, {args.strategy}); !s.ok()) {
    return Misuse("diff", s.message());
  }
  replanner.strategy = args.strategy;
  replanner.options = SolveOptionsOf(args.search, kDiffTimeLimit);
  progress.Begin("planning");
  absl::StatusOr<views::PlanView> old_view = ViewInput(inputs[0], replanner);
  if (!old_view.ok()) return FailureOf(old_view.status());
  absl::StatusOr<views::PlanView> new_view = ViewInput(inputs[1], replanner);
  if (!new_view.ok()) return FailureOf(new_view.status());
  absl::StatusOr<views::PlanDiff> diff =
      views::DiffPlans(*old_view, *new_view, args.match);
  if (!diff.ok()) return FailureOf(diff.status());
  PlanDiffReport report;
  report.args = &args;
  report.old_view = *std::move(old_view);
  report.new_view = *std::move(new_view);
  report.diff = *std::move(diff);
  progress.Begin("reverting changes one by one");
  RevertRows(args, replanner, &report);
  return DecideOutcome(args, &report);
}

}  // namespace stowage::cli
