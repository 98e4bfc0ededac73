// SPDX-License-Identifier: Apache-2.0
#include "src/command/diff_plans.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/options.h"
#include "src/command/progress.h"
#include "src/command/replan.h"
#include "src/command/verb.h"
#include "stowage/compare.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kDiffTimeLimit = absl::Seconds(1);

PlanKind KindOf(const FilePlan& plan) {
  return plan.offsets.empty() ? PlanKind::kObjects : PlanKind::kOffsets;
}

absl::Status Named(const std::string& path, const ProblemSpec& problem,
                   const absl::Status& status) {
  return absl::Status(status.code(), DescribeError(path, problem, status));
}

// Returns the view of a file. Plans the problem if the file has no plan.
absl::StatusOr<views::PlanView> ViewInput(const NamedFile& input,
                                          const Replanner& replanner) {
  const auto& [path, file] = input;
  views::PlanCaption caption = {path, ""};
  absl::StatusOr<views::PlanView> view = absl::UnknownError("");
  if (!file.plan.empty()) {
    view = views::ViewPlan(file, caption);
  } else {
    const absl::StatusOr<Solution> solution = replanner.Plan(file.problem);
    if (!solution.ok()) return Named(path, file.problem, solution.status());
    caption.strategy = replanner.strategy;
    caption.lower_bound = solution->lower_bound;
    caption.bound_reason = NameOf(solution->bound_proof);
    view = views::ViewPlan({file.problem, FilePlanOf(*solution)}, caption);
  }
  if (!view.ok()) return Named(path, file.problem, view.status());
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
      return Named(input->path, input->file.problem, problem.status());
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

// For each of the first rows, computes the total of NEW with only the change of
// this row reverted. Computes no totals if the strategy refuses NEW.
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

// Applies --fail-above and --quiet-below, and reports plans that are not safe.
Outcome JudgeDiff(const PlanDiffArgs& args, PlanDiffReport* report) {
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
  // The report of a failed check is always printed, because it says why the
  // check failed. A change of 0 bytes counts as below every limit, even if OLD
  // takes no bytes.
  const bool is_quiet =
      args.quiet_below && !is_unsafe && !report->has_failed &&
      CompareToLimit(*args.quiet_below, change == 0 ? 1 : before, change) < 0;
  if (!is_quiet) outcome.out = PlanDiffAnswer(*report).Render(args.format);
  return outcome;
}

Outcome FailureOf(const absl::Status& status) {
  const ExitCode code = ExitCodeOf(status);
  if (code == ExitCode::kMisuse) return Misuse("diff", status.message());
  const bool is_infeasible = absl::IsFailedPrecondition(status);
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
    if (!file.ok()) {
      return Failure(ExitCode::kBadInput, file.status().message());
    }
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
  return JudgeDiff(args, &report);
}

}  // namespace stowage::cli
