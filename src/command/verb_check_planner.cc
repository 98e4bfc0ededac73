// SPDX-License-Identifier: Apache-2.0
// The verb `stowage check-planner`: runs the checks of
// stowage/testing/check_planner.h on a program that makes plans.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/check_planner_options.h"
#include "src/command/check_planner_report.h"
#include "src/command/inputs.h"
#include "src/command/interruption.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "src/command/progress.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/io/problem_file.h"
#include "stowage/io/write_file.h"
#include "stowage/testing/check_planner.h"
#include "stowage/testing/specs.h"

namespace stowage::cli {
namespace {

using testing::PlannerCheck;
using testing::PlannerCheckReport;

absl::StatusOr<PlannerCheckReport> RunCheck(const CheckPlannerArgs& args,
                                            PlannerCheck* check) {
  if (args.checked.replayed.empty()) return check->CheckGeneratedTraces();
  const std::string& path = args.checked.replayed;
  const absl::StatusOr<ProblemFile> file =
      InputReader(InputOptions()).Read(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<PlannerCheckReport> report =
      check->CheckTrace(testing::Simplified(file->problem));
  if (report.ok() || !absl::IsInvalidArgument(report.status())) return report;
  return absl::InvalidArgumentError(
      absl::StrCat(InputName(path), ": ", report.status().message()));
}

void WriteOrFail(const std::string& path, absl::string_view content,
                 Outcome* outcome) {
  const absl::Status status = WriteFile(path, content);
  if (status.ok()) return;
  outcome->code = ExitCode::kBadInput;
  absl::StrAppend(&outcome->err, OneLine(status.message()), "\n");
}

// Returns the report and writes its files. The report always contains the
// failing trace, so the trace is not lost if its own file cannot be written.
Outcome Deliver(const CheckPlannerArgs& args,
                const PlannerCheckReport& report) {
  const bool is_json = args.format == Format::kJson;
  Outcome outcome;
  outcome.out = CheckAnswer(args.checked, report).Render(args.format);
  if (!args.junit.empty()) {
    WriteOrFail(args.junit, CheckJunit(args.checked, report), &outcome);
  }
  if (!report.failure) {
    // The first property is `ends`. Its count is the number of traces on which
    // the planner ran to completion.
    const bool is_known = report.properties.front().traces > 0;
    if (report.end == PlannerCheckReport::End::kTimeLimit && !is_known) {
      outcome.code = ExitCode::kGaveUp;
    }
    return outcome;
  }
  if (outcome.code == ExitCode::kDone) outcome.code = ExitCode::kRefuted;
  const std::string file = FailingTraceFile(*report.failure);
  const std::string replay = ReplayText(args.checked, report);
  if (args.checked.failing == "-") {
    return {outcome.code, file,
            absl::StrCat(outcome.out, replay.empty() ? "" : "\n", replay,
                         outcome.err)};
  }
  if (!is_json) {
    absl::StrAppend(&outcome.out, "\n", file, replay.empty() ? "" : "\n",
                    replay);
  }
  if (!args.checked.failing.empty()) {
    WriteOrFail(args.checked.failing, file, &outcome);
  }
  return outcome;
}

// Returns the first error of the arguments that can be detected before anything
// is run.
absl::Status CheckArgs(const CheckPlannerArgs& args) {
  if (absl::Status s = CheckOneDocument(args.checked.failing, args.format);
      !s.ok()) {
    return s;
  }
  std::vector<std::string> inputs;
  if (!args.checked.replayed.empty()) inputs = {args.checked.replayed};
  return CheckOutputFiles(
      {{"standard output", "-"},
       {"-o", args.checked.failing == "-" ? "" : args.checked.failing},
       {"--junit", args.junit}},
      inputs);
}

Outcome RunCheckPlanner(const CheckPlannerArgs& args) {
  if (absl::Status s = CheckArgs(args); !s.ok()) {
    return Misuse("check-planner", s.message());
  }
  // From here on, an interrupt must not terminate the command, because the
  // check stops soon after an interrupt, and its results so far are then the
  // answer.
  BeginDelivery();
  testing::PlannerCheckOptions options = args.checked.options;
  if (!args.checked.replayed.empty()) options.traces = 1;
  Progress progress(options.traces, std::chrono::seconds(10));
  options.cancelled = &InterruptionRequested();
  options.on_trace = [&](size_t trace) {
    progress.Begin(trace < options.traces ? absl::StrCat("trace ", trace)
                                          : "shrinking");
  };
  const auto check = PlannerCheck::Create(args.checked.command, options);
  if (!check.ok()) {
    return Misuse("check-planner",
                  absl::StrCat("--command: ", check.status().message()));
  }
  const AbortGuard guard({nullptr, [&] { (*check)->Abort(); }});
  const absl::StatusOr<PlannerCheckReport> report =
      RunCheck(args, check->get());
  if (!report.ok()) return BadInput(report.status());
  return Deliver(args, *report);
}

}  // namespace

void AddCheckPlanner(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "check-planner",
      "Test another planner, which is a program, on generated traces");
  auto args = std::make_shared<CheckPlannerArgs>();
  AddCheckPlannerOptions(verb, args.get());
  verb->footer(
      "A planner that does not support what was asked ends with exit code 77.\n"
      "\n"
      "Example:\n"
      "  stowage check-planner --traces 5 --command \\\n"
      "    'stowage plan {in} --strategy greedy_by_size -o {out}'");
  verb->callback(
      [action, args] { *action = [args] { return RunCheckPlanner(*args); }; });
}

}  // namespace stowage::cli
