// SPDX-License-Identifier: Apache-2.0
// stowage plan: one plan of one trace.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/cli/inputs.h"
#include "src/cli/interruption.h"
#include "src/cli/options.h"
#include "src/cli/output_files.h"
#include "src/cli/picture_files.h"
#include "src/cli/plan_report.h"
#include "src/cli/pools.h"
#include "src/cli/progress.h"
#include "src/cli/progress_lines.h"
#include "src/cli/verb.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/trace.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kPlanTimeLimit = absl::Seconds(10);

// What can be refused before anything is read.
absl::Status CheckArgs(const PlanArgs& args) {
  if (absl::Status s = CheckOneDocument(args.output, args.format); !s.ok()) {
    return s;
  }
  if (args.decide && (!args.capacity || !IsSearch(args.strategy))) {
    return absl::InvalidArgumentError(
        "--decide: nothing to decide; expected --capacity and a strategy that "
        "searches");
  }
  if (absl::Status s = CheckPools(args.pools, args.capacity); !s.ok()) return s;
  if (absl::Status s = CheckSearchArgs(args.search, {args.strategy}); !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckPictureFiles(args.pictures); !s.ok()) return s;
  // A plan file is the trace and its plan, but for columns that were ignored.
  const bool keeps_trace = !args.trace.csv.ignore_unknown_columns;
  std::vector<OutputFile> outputs = {
      {"-o", args.output.empty() ? "-" : args.output, keeps_trace},
      {"--certificate", args.certificate}};
  for (OutputFile& picture : OutputsOf(args.pictures)) {
    outputs.push_back(std::move(picture));
  }
  return CheckOutputFiles(outputs, {args.input});
}

absl::StatusOr<Problem> ProblemOf(const PlanArgs& args, const Trace& trace) {
  ProblemSpec spec = ProblemSpecOf(trace, args.kind, args.alignment);
  if (args.capacity) spec.capacity = args.capacity;
  return Problem::Create(std::move(spec));
}

// Solve, with the gap for people or, where there is no `bar`, the lines of
// --progress. `lost` is what has kept these from being written.
absl::StatusOr<Solution> SolveAloud(const PlanArgs& args,
                                    const Problem& problem,
                                    SolveOptions options, Progress* bar,
                                    absl::Status* lost) {
  if (bar != nullptr) {
    options.progress = [bar](const SearchProgress& found) { bar->Show(found); };
    return Solve(problem, args.strategy, options);
  }
  ProgressLines lines(STDERR_FILENO);
  options.progress = [&](const SearchProgress& progress) {
    lines.Print(progress);
  };
  absl::StatusOr<Solution> solution = Solve(problem, args.strategy, options);
  if (solution.ok()) lines.PrintAnswer(*solution);
  *lost = lines.status();
  return solution;
}

// Of an answer that is delivered, but whose progress or certificate was lost.
Outcome WithLost(Outcome outcome, const absl::Status& lost) {
  if (lost.ok()) return outcome;
  absl::StrAppend(&outcome.err, lost.message(), "\n");
  if (outcome.code == ExitCode::kDone) outcome.code = ExitCode::kBadInput;
  return outcome;
}

Outcome RunPlan(const PlanArgs& args) {
  if (absl::Status s = CheckArgs(args); !s.ok()) {
    return Misuse("plan", s.message());
  }
  // Lines for programs and a bar for people exclude each other.
  absl::optional<Progress> progress;
  if (!args.progress) progress.emplace(2);
  const auto begin = [&](const std::string& step) {
    if (progress) progress->Begin(step);
  };
  begin(absl::StrCat("reading ", args.input));
  absl::StatusOr<Trace> trace = ReadInput(args.input, args.trace);
  if (!trace.ok()) {
    return Failure(ExitCode::kBadInput, trace.status().message());
  }
  if (absl::Status s = ApplyPools(args.pools, args.input, &*trace); !s.ok()) {
    return Misuse("plan", s.message());
  }
  SolveOptions options = SolveOptionsOf(args.search, kPlanTimeLimit);
  options.decide = args.decide;
  // A search stops soon after an interrupt, and its best plan is the answer.
  if (IsSearch(args.strategy)) BeginDelivery();
  begin(absl::StrCat(args.strategy, " on ", args.input));
  if (!args.certificate.empty() && !trace->constraints.empty()) {
    return Misuse("plan", kNoCertificates);
  }
  const absl::StatusOr<Problem> problem = ProblemOf(args, *trace);
  absl::Status lost;
  const absl::StatusOr<Solution> solution =
      problem.ok() ? SolveAloud(args, *problem, options,
                                progress ? &*progress : nullptr, &lost)
                   : problem.status();
  BeginDelivery();
  if (solution.ok()) {
    begin(absl::StrCat("certificate of ", args.input));
    const absl::StatusOr<std::string> written =
        WriteCertificateFile(args, *problem, *solution);
    // The plan may have taken long: it is the answer even so.
    Outcome outcome =
        WithLost(WithLost(DeliverPlan(args, *trace, *problem, *solution), lost),
                 written.status());
    if (written.ok()) absl::StrAppend(&outcome.err, *written);
    return outcome;
  }
  const ExitCode code = ExitCodeOf(solution.status());
  return Failure(
      code, code == ExitCode::kMisuse
                ? absl::StrCat("stowage plan: ", solution.status().message())
                : DescribeError(args.input, *trace, solution.status()));
}

void AddFiles(CLI::App* verb, PlanArgs* args) {
  AddOutput(verb, "PLAN.csv",
            "Write the plan file here: the trace with a column offset or "
            "object, or the problem with its places where CSV cannot hold it; "
            "- for standard output",
            &args->output);
  AddValue(verb, "--certificate", "FILE",
           "Write a certificate of the answer here, for stowage verify",
           [args](const std::string& path) {
             if (path.empty() || path == "-" || IsStandardOutput(path)) {
               return absl::InvalidArgumentError(
                   absl::StrCat("'", path, "'; expected the name of a file"));
             }
             args->certificate = path;
             return absl::OkStatus();
           });
  AddPictureFiles(verb, &args->pictures);
}

void AddOptions(CLI::App* verb, PlanArgs* args) {
  verb->add_option("INPUT", args->input,
                   "A trace (CSV), a problem (JSON) or a .tflite model; - for "
                   "standard input")
      ->required()
      ->type_name("");
  AddValue(verb, "--strategy", "NAME",
           "See stowage list; required but under --lifetimes micro, whose "
           "default is the device's planner, micro_first_fit",
           [args](const std::string& name) {
             args->strategy = name;
             return FindStrategy(name).status();
           });
  AddKind(verb, &args->kind);
  AddAlignment(verb, &args->alignment);
  AddParsed(verb, "--capacity", "SIZE",
            "Limit on the bytes of the plan: exit 4 if none that small exists, "
            "5 if a search ends without a proof, 1 if only this plan is larger",
            ParseSize, &args->capacity);
  AddPools(verb, &args->pools);
  verb->add_flag("--decide", args->decide,
                 "Stop a search at the first plan within the capacity");
  verb->add_flag("--progress", args->progress,
                 "Print each better plan or bound of a search on standard "
                 "error, and then the answer: a JSON object on each line");
  AddSearchOptions(verb, kPlanTimeLimit, &args->search);
  AddRelax(verb, &args->search);
  AddFiles(verb, args);
  AddTraceOptions(verb, &args->trace);
  verb->add_flag_callback(
      "--no-names", [args] { args->names = false; },
      "Leave out of the plan file what is known of each tensor: name, type, "
      "shape, and which operators write and read it");
  AddFormat(verb, &args->format);
}

}  // namespace

void AddPlan(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand("plan", "One plan of one trace");
  auto args = std::make_shared<PlanArgs>();
  AddOptions(verb, args.get());
  verb->footer(
      "Example:\n"
      "  stowage plan data/traces/mobilenet_v1.csv --strategy greedy_by_size");
  verb->callback([action, args] {
    if (args->strategy.empty()) {
      if (args->trace.lifetimes != LifetimeRules::kMicro) {
        throw CLI::RequiredError("--strategy");
      }
      args->strategy = kMicroStrategy;
    }
    *action = [args] { return RunPlan(*args); };
  });
}

}  // namespace stowage::cli
