// SPDX-License-Identifier: Apache-2.0
// The verb `stowage explain`: explains the size of a plan, or of its lower
// bound.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "src/command/answer.h"
#include "src/command/explain_report.h"
#include "src/command/inputs.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/plan_file_view.h"
#include "src/command/progress.h"
#include "src/command/replanner.h"
#include "src/command/verb.h"
#include "stowage/constraints.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/free_pairs.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kReplanTimeLimit = absl::Seconds(1);
// The maximum number of tensors that are left out, one at a time, to determine
// how small the plan would be without each of them.
constexpr size_t kReplanned = 20;
// The maximum number of pairs that pay for sharing bytes in the report. The
// report shows, for each of these pairs, how many more bytes a plan needs if
// the pair pays nothing. The number is small, since each pair needs several
// searches.
constexpr size_t kFreed = 5;

struct ExplainArgs {
  std::string input;
  uint64_t top = 20;
  // The strategy that makes new plans. Empty if no new plans are requested.
  std::string strategy;
  SearchArgs search;
  Format format = Format::kText;
  InputOptions trace;
};

// Returns a view of the records only, for a trace without a plan.
absl::StatusOr<views::PlanView> ViewRecords(ProblemSpec spec) {
  views::PlanView view;
  const absl::StatusOr<Problem> problem = Problem::Create(spec);
  if (!problem.ok()) return problem.status();
  view.lower_bound = LowerBoundOf(*problem).bytes;
  view.bound_reason = Describe(LowerBoundOf(*problem).proof);
  view.problem = std::move(spec);
  return view;
}

// For each of the pairs that pay most for sharing bytes, determines how many
// more bytes a plan needs if the pair pays nothing. Does nothing if there are
// several pools, since the answer would then not be a single number of bytes.
absl::Status FreeLargestPairs(const ExplainArgs& args, ExplainReport* report) {
  if (report->view.problem.constraints.pools.size() > 1) {
    return absl::OkStatus();
  }
  const std::vector<ApartPreference>& paid = report->view.paid;
  absl::StatusOr<std::vector<views::FreedPair>> freed = views::FreePairs(
      report->view, absl::MakeConstSpan(paid).subspan(0, kFreed), args.strategy,
      SolveOptionsOf(args.search, kReplanTimeLimit));
  if (!freed.ok()) return freed.status();
  report->freed = *std::move(freed);
  return absl::OkStatus();
}

absl::Status Replan(const ExplainArgs& args, ExplainReport* report) {
  const ProblemSpec& problem = report->view.problem;
  const Replanner replanner = {args.strategy, report->view.kind,
                               SolveOptionsOf(args.search, kReplanTimeLimit)};
  ReplannedTotals replanned;
  replanned.strategy = args.strategy;
  const absl::StatusOr<size_t> total = replanner.Total(problem);
  if (!total.ok()) return total.status();
  replanned.total = *total;
  replanned.records = views::ReplanCandidates(report->why, kReplanned);
  absl::StatusOr<std::vector<size_t>> totals = views::ReplanWithout(
      problem, replanned.records,
      [&](const ProblemSpec& less) { return replanner.Total(less); });
  if (!totals.ok()) return totals.status();
  replanned.totals = *std::move(totals);
  report->replanned = std::move(replanned);
  return FreeLargestPairs(args, report);
}

// Returns the first error of the arguments that can be detected before anything
// is read.
absl::Status CheckArgs(const CLI::App& verb, const ExplainArgs& args) {
  if (!args.strategy.empty()) {
    return CheckSearchArgs(args.search, {args.strategy});
  }
  return CheckNotGiven(
      verb, {"--time-limit", "--nodes", "--seed", "--threads", "--relax"},
      "where nothing is planned; expected --replan STRATEGY");
}

Outcome RunExplain(const CLI::App& verb, const ExplainArgs& args) {
  if (absl::Status s = CheckArgs(verb, args); !s.ok()) {
    return Misuse("explain", s.message());
  }
  Progress progress(3);
  progress.Begin(absl::StrCat("reading ", args.input));
  InputReader inputs(args.trace);
  absl::StatusOr<ProblemFile> file = inputs.Read(args.input);
  if (absl::Status s = inputs.CheckOptions(); !s.ok()) {
    return Misuse("explain", s.message());
  }
  if (!file.ok()) return BadInput(file.status());
  progress.Begin(absl::StrCat("explaining ", args.input));
  ExplainReport report;
  report.input = InputName(args.input);
  report.top = args.top;
  report.has_plan = !file->plan.empty();
  absl::StatusOr<views::PlanView> view =
      report.has_plan ? views::ViewPlan(*file, {args.input, ""})
                      : ViewRecords(file->problem);
  if (!view.ok()) {
    return Failure(ExitCode::kBadInput,
                   DescribeError(args.input, file->problem, view.status()));
  }
  report.view = *std::move(view);
  if (report.has_plan) {
    report.why = views::ExplainPlan(report.view);
  } else {
    report.why.breadth = views::ExplainBreadth(file->problem.records);
  }
  report.why_bound_differs =
      views::WhyBoundDiffers(file->problem, report.view.kind);
  if (!args.strategy.empty()) {
    progress.Begin(absl::StrCat(args.strategy, " on ", args.input));
    if (absl::Status s = Replan(args, &report); !s.ok()) {
      const ExitCode code = ExitCodeOf(s);
      return Failure(code, code == ExitCode::kMisuse
                               ? absl::StrCat("stowage explain: ", s.message())
                               : DescribeError(args.input, file->problem, s));
    }
  }
  return {report.view.violation ? ExitCode::kRefuted : ExitCode::kDone,
          ExplainAnswer(report).Render(args.format),
          UnsafeLine(args.input, report.view)};
}

}  // namespace

void AddExplain(CLI::App* app, Action* action) {
  CLI::App* verb =
      app->add_subcommand("explain",
                          "Explain why a plan is as large as it is, and how "
                          "much smaller the peak would be without each tensor");
  auto args = std::make_shared<ExplainArgs>();
  AddInput(
      verb, "INPUT", &args->input,
      absl::StrCat(kAnyInput, "; if it has a plan, this plan is explained"));
  AddParsed(verb, "--top", "N",
            "Maximum number of rows of each table (default 20)", ParseNumber,
            &args->top);
  AddParsed(
      verb, "--replan", "STRATEGY",
      "Plan again with this strategy, once without each of the 20 best "
      "candidates, and once without the cost of each of the 5 pairs that pay "
      "the most",
      ParseStrategy, &args->strategy);
  AddSearchOptions(verb, kReplanTimeLimit, &args->search);
  AddRelax(verb, &args->search);
  AddTraceOptions(verb, &args->trace);
  AddFormat(verb, &args->format, {"text", "json", "markdown"});
  verb->footer(
      "Example:\n"
      "  stowage plan data/traces/unet_plus_plus.csv --strategy greedy_by_size "
      "-o plan.csv\n"
      "  stowage explain plan.csv");
  verb->callback([action, args, verb] {
    *action = [args, verb] { return RunExplain(*verb, *args); };
  });
}

}  // namespace stowage::cli
