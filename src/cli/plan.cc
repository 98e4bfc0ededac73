// stowage plan: one plan of one trace.
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
#include "absl/types/optional.h"
#include "src/cli/certificate.h"
#include "src/cli/inputs.h"
#include "src/cli/interruption.h"
#include "src/cli/options.h"
#include "src/cli/output_files.h"
#include "src/cli/plan_report.h"
#include "src/cli/progress.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"
#include "stowage/planner.h"
#include "stowage/strategy.h"
#include "stowage/trace.h"

namespace stowage::cli {
namespace {

struct PlanArgs {
  std::string input;
  std::string strategy;
  PlanKind kind = PlanKind::kOffsets;
  absl::optional<size_t> alignment;
  absl::optional<size_t> capacity;
  absl::optional<absl::Duration> deadline;
  absl::optional<uint64_t> nodes;
  uint64_t seed = 1;
  uint64_t threads = 0;
  std::string output;
  std::string certificate;
  Format format = Format::kText;
  InputOptions trace;
};

// What a search takes from the command line unless told otherwise.
constexpr absl::Duration kDeadline = absl::Seconds(10);
constexpr uint64_t kMaxThreads = 1024;

// The trace's columns and the plan's. The alignments are those of the plan, so
// that the file agrees with itself.
absl::StatusOr<std::string> PlanFile(const PlanArgs& args, Trace trace,
                                     const Solution& plan) {
  const bool offsets = args.kind == PlanKind::kOffsets;
  trace.offsets = offsets ? plan.offsets()->offsets : std::vector<size_t>();
  trace.objects = offsets ? std::vector<size_t>() : plan.objects()->object_ids;
  if (args.alignment && !trace.alignments.empty()) {
    trace.alignments.assign(trace.records.size(), *args.alignment);
  }
  return FormatTraceCsv(trace);
}

// A plan that was found and is as small as asked for.
Outcome Deliver(const PlanArgs& args, const Trace& trace, const Solution& plan,
                const std::string& summary) {
  if (args.output.empty()) return {ExitCode::kDone, summary, ""};
  absl::StatusOr<std::string> file = PlanFile(args, trace, plan);
  if (!file.ok()) {
    return Failure(ExitCode::kBadInput,
                   DescribeError(args.input, trace, file.status()));
  }
  if (args.output == "-") return {ExitCode::kDone, *std::move(file), summary};
  if (absl::Status s = WriteFile(args.output, *file); !s.ok()) {
    return Failure(ExitCode::kBadInput, s.message());
  }
  return {ExitCode::kDone, summary, ""};
}

// A plan that there is not, or that is too large: told, but not written.
Outcome Refuse(const PlanArgs& args, ExitCode code, const std::string& why,
               const std::string& summary) {
  const std::string message =
      absl::StrCat(OneLine(InputName(args.input)), ": ", why, "\n");
  if (args.output == "-") return {code, "", absl::StrCat(summary, message)};
  return {code, summary, message};
}

Outcome Answer(const PlanArgs& args, const Trace& trace, const Problem& problem,
               const Solution& plan) {
  const std::string summary = Tell(
      {args.input, args.strategy, &trace.ids, &problem, &plan}, args.format);
  if (plan.status == SolutionStatus::kInfeasible) {
    return Refuse(args, ExitCode::kInfeasible,
                  absl::StrCat("infeasible: ", plan.reason), summary);
  }
  if (plan.status == SolutionStatus::kTimeLimit) {
    return Refuse(args, ExitCode::kGaveUp,
                  absl::StrCat("time limit: ", plan.reason), summary);
  }
  if (args.capacity && plan.total_size > *args.capacity) {
    return Refuse(args, ExitCode::kRefuted,
                  absl::StrCat("the plan needs ", plan.total_size,
                               " bytes, more than the capacity of ",
                               *args.capacity, "; a smaller one may exist"),
                  summary);
  }
  return Deliver(args, trace, plan, summary);
}

bool IsSearch(const std::string& name) {
  const absl::StatusOr<const Strategy*> strategy = FindStrategy(name);
  return strategy.ok() && (*strategy)->info().is_search;
}

// A strategy that does not search cannot be interrupted.
absl::Status CheckLimits(const PlanArgs& args) {
  if (IsSearch(args.strategy)) return absl::OkStatus();
  for (const auto& [given, name] :
       {std::pair(args.deadline.has_value(), "--deadline"),
        std::pair(args.nodes.has_value(), "--nodes")}) {
    if (!given) continue;
    return absl::UnimplementedError(absl::StrCat("strategy '", args.strategy,
                                                 "' does not support ", name,
                                                 ": it cannot be interrupted"));
  }
  return absl::OkStatus();
}

Outcome RunPlan(const PlanArgs& args) {
  if (args.output == "-" && args.format == Format::kJson) {
    return Failure(ExitCode::kMisuse,
                   "stowage plan: '-o -' writes the plan file to standard "
                   "output, where --format json wants to be alone");
  }
  absl::Status status = CheckLimits(args);
  if (status.ok()) {
    status = CheckOutputFiles({{"-o", args.output, /*keeps_trace=*/true},
                               {"--certificate", args.certificate}},
                              {args.input});
  }
  if (!status.ok()) {
    return Failure(ExitCode::kMisuse,
                   absl::StrCat("stowage plan: ", status.message()));
  }
  Progress progress(2);
  progress.Begin(absl::StrCat("reading ", args.input));
  const absl::StatusOr<Trace> trace = ReadInput(args.input, args.trace);
  if (!trace.ok()) {
    return Failure(ExitCode::kBadInput, trace.status().message());
  }
  ProblemSpec spec;
  spec.kind = args.kind;
  spec.records = trace->records;
  spec.capacity = args.capacity;
  if (args.alignment) {
    spec.alignment = *args.alignment;
  } else {
    spec.alignments = trace->alignments;
  }
  if (!trace->fixed_offsets().empty()) spec.fixed_offsets = trace->fixed;
  SolveOptions options;
  options.time_limit = args.deadline.value_or(kDeadline);
  options.node_budget = args.nodes;
  options.seed = args.seed;
  options.threads = args.threads;
  options.cancelled = &InterruptionRequested();
  // A search stops soon when it is told to, and its best plan is the answer.
  if (IsSearch(args.strategy)) BeginDelivery();
  progress.Begin(absl::StrCat(args.strategy, " on ", args.input));
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  const absl::StatusOr<Solution> plan =
      problem.ok() ? Solve(*problem, args.strategy, options) : problem.status();
  BeginDelivery();
  if (plan.ok() && !args.certificate.empty()) {
    const absl::Status written = WriteFile(
        args.certificate,
        CertificateOf(*trace, *problem, args.strategy, options, *plan));
    if (!written.ok()) return Failure(ExitCode::kBadInput, written.message());
  }
  if (plan.ok()) return Answer(args, *trace, *problem, *plan);
  const ExitCode code = ExitCodeOf(plan.status());
  return Failure(code,
                 code == ExitCode::kMisuse
                     ? absl::StrCat("stowage plan: ", plan.status().message())
                     : DescribeError(args.input, *trace, plan.status()));
}

// --seed and --threads are promises about what the plan depends on, so they are
// taken for every strategy; one that draws no lots keeps them for any value.
void AddLimits(CLI::App* verb, PlanArgs* args) {
  AddParsed(verb, "--deadline", "TIME",
            "Stop after this time, for strategies that can be interrupted "
            "(default 10s)",
            ParseTime, &args->deadline);
  AddParsed(verb, "--nodes", "N",
            "Stop after searching so many nodes instead: the same plan on "
            "every machine",
            ParseNumber, &args->nodes);
  AddParsed(verb, "--seed", "N",
            "Seed of strategies that draw lots (default 1)", ParseNumber,
            &args->seed);
  AddValue(verb, "--threads", "N",
           "Threads of strategies that use several (default: all cores)",
           [args](const std::string& text) {
             const absl::StatusOr<uint64_t> threads = ParseNumber(text);
             if (!threads.ok()) return threads.status();
             if (*threads == 0 || *threads > kMaxThreads) {
               return absl::InvalidArgumentError(
                   absl::StrCat("'", text, "'; expected 1 to ", kMaxThreads));
             }
             args->threads = *threads;
             return absl::OkStatus();
           });
}

void AddOptions(CLI::App* verb, PlanArgs* args) {
  verb->add_option("INPUT", args->input,
                   "A trace (CSV) or a .tflite model; - for standard input")
      ->required()
      ->type_name("");
  AddValue(verb, "--strategy", "NAME", "See stowage list",
           [args](const std::string& name) {
             args->strategy = name;
             return FindStrategy(name).status();
           })
      ->required();
  AddKind(verb, &args->kind);
  AddAlignment(verb, &args->alignment);
  AddParsed(verb, "--capacity", "SIZE",
            "Bytes that the plan may use: exit 4 if that is proved impossible, "
            "1 if this plan is larger",
            ParseSize, &args->capacity);
  AddLimits(verb, args);
  AddOutput(verb, "PLAN.csv",
            "Write the plan file here: the trace with a column offset or "
            "object; - for standard output",
            &args->output);
  AddValue(verb, "--certificate", "FILE",
           "Write what proves the answer here, for stowage verify",
           [args](const std::string& path) {
             if (path.empty() || path == "-" || IsStandardOutput(path)) {
               return absl::InvalidArgumentError(
                   absl::StrCat("'", path, "'; expected the name of a file"));
             }
             args->certificate = path;
             return absl::OkStatus();
           });
  AddTraceOptions(verb, &args->trace);
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
  verb->callback(
      [action, args] { *action = [args] { return RunPlan(*args); }; });
}

}  // namespace stowage::cli
