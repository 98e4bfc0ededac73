// SPDX-License-Identifier: Apache-2.0
// The verb `stowage report`: shows plans as one HTML page.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/event_file.h"
#include "src/command/inputs.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "src/command/plan_file_view.h"
#include "src/command/progress.h"
#include "src/command/verb.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/write_file.h"
#include "stowage/views/page.h"
#include "stowage/write_text.h"

namespace stowage::cli {
namespace {

struct ReportArgs {
  std::vector<std::string> inputs;
  std::string output;
  std::string title;
  EventFile events;
  InputOptions trace;
};

absl::Status CheckReportArgs(const ReportArgs& args) {
  if (args.output.empty() && args.events.path.empty()) {
    return absl::InvalidArgumentError(
        "-o: no file for the page; expected its name, or - for standard "
        "output, or --perfetto");
  }
  if (args.output.empty() && !args.title.empty()) {
    return absl::InvalidArgumentError(
        "--title: has no effect without a page; expected -o PAGE.html");
  }
  if (absl::Status s = CheckStandardInput(args.inputs); !s.ok()) return s;
  return CheckOutputFiles(
      {{"-o", args.output}, {"--perfetto", args.events.path}}, args.inputs);
}

// Writes the page to the file, or sets `out` to the page if the file is
// standard output.
absl::Status WritePageTo(const ReportArgs& args,
                         const std::vector<views::PlanView>& plans,
                         std::string* out) {
  if (args.output.empty()) return absl::OkStatus();
  if (args.output == "-") {
    absl::StatusOr<std::string> page = views::FormatPage(plans, {args.title});
    if (!page.ok()) return page.status();
    *out = *std::move(page);
    return absl::OkStatus();
  }
  return WriteFileInPieces(args.output, [&](const WriteText& write) {
    return views::WritePage(plans, {args.title}, write);
  });
}

Outcome WriteReport(const ReportArgs& args) {
  if (absl::Status s = CheckReportArgs(args); !s.ok()) {
    return Misuse("report", s.message());
  }
  Progress progress(args.inputs.size() + 1);
  InputReader inputs(args.trace);
  std::vector<views::PlanView> plans;
  Outcome outcome;
  for (const std::string& path : args.inputs) {
    progress.Begin(absl::StrCat("reading ", path));
    absl::StatusOr<views::PlanView> view = ReadPlanView(path, &inputs);
    if (!view.ok()) {
      outcome = Failure(ExitCode::kBadInput, view.status().message());
      break;
    }
    if (view->violation) outcome.code = ExitCode::kRefuted;
    outcome.err += UnsafeLine(path, *view);
    plans.push_back(*std::move(view));
  }
  if (absl::Status s = inputs.CheckOptions(); !s.ok()) {
    return Misuse("report", s.message());
  }
  if (outcome.code == ExitCode::kBadInput) return outcome;
  progress.Begin("writing");
  absl::Status written = WriteEventFile(args.events, plans);
  if (written.ok()) written = WritePageTo(args, plans, &outcome.out);
  if (!written.ok()) return BadInput(written);
  return outcome;
}

}  // namespace

void AddReport(CLI::App* app, Action* action) {
  CLI::App* verb =
      app->add_subcommand("report", "Write plans as one HTML page");
  auto args = std::make_shared<ReportArgs>();
  AddInput(
      verb, "PLAN", &args->inputs,
      "Plan files (CSV), or problems, programs (JSON) or recordings with a "
      "plan; - for standard input");
  AddOutput(verb, "PAGE.html",
            "Write the page here: one HTML file that needs no other file; - "
            "for standard output",
            &args->output);
  AddText(verb, "--title", "TEXT",
          "Title of the page (default: the names of the files)", &args->title);
  AddEventFile(verb, &args->events);
  AddTraceOptions(verb, &args->trace);
  verb->footer(
      "Example:\n"
      "  stowage plan data/traces/mobilenet_v1.csv --strategy greedy_by_size "
      "-o plan.csv\n"
      "  stowage report plan.csv -o page.html");
  verb->callback(
      [action, args] { *action = [args] { return WriteReport(*args); }; });
}

}  // namespace stowage::cli
