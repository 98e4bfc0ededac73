// SPDX-License-Identifier: Apache-2.0
// The verb `stowage plan`: makes one plan for one trace.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/all_tensors.h"
#include "src/command/cost_curve_report.h"
#include "src/command/dynamic_inputs.h"
#include "src/command/dynamic_plan.h"
#include "src/command/inputs.h"
#include "src/command/interruption.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "src/command/picture_files.h"
#include "src/command/plan_report.h"
#include "src/command/pools.h"
#include "src/command/program_options.h"
#include "src/command/program_plan.h"
#include "src/command/progress.h"
#include "src/command/progress_lines.h"
#include "src/command/shape_options.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/constraints.h"
#include "stowage/cost_curve.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/programs/program_file.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"
#include "stowage/tflite/lifetimes.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kPlanTimeLimit = absl::Seconds(10);
constexpr char kDefaultStrategy[] = "optimal";
// Options that have no effect on models that are planned as programs.
constexpr const char* kIdleInPlan[] = {"--sharing", "--shadow", "--parameter",
                                       "--where"};

// Returns the first error of the arguments that can be detected before anything
// is read.
absl::Status CheckArgs(const CLI::App& verb, const PlanArgs& args) {
  absl::Status programs =
      CheckProgramOptions(verb, args.trace, args.inputs, kIdleInPlan);
  if (programs.ok()) programs = CheckStandardInput(args.inputs);
  if (programs.ok()) programs = CheckParameters(args.trace.open);
  if (!programs.ok()) return programs;
  if (absl::Status s = CheckCostAims(verb, args); !s.ok()) return s;
  if (absl::Status s = CheckOneDocument(args.output, args.format); !s.ok()) {
    return s;
  }
  if (args.decide && (!args.capacity || !IsSearch(args.strategy))) {
    return absl::InvalidArgumentError(
        "--decide: nothing to decide; expected --capacity and a strategy that "
        "searches");
  }
  if (absl::Status s = CheckAlignment(args.alignment, {args.kind}); !s.ok()) {
    return s;
  }
  if (!args.names && args.output.empty()) {
    return absl::InvalidArgumentError(
        "--no-names: has no effect without a plan file; expected -o PLAN.csv");
  }
  if (!args.trace.at.empty()) {
    absl::Status idle = CheckNotGiven(
        verb, {"--aim", "--buckets"},
        "with --at, which plans for one value; expected one of the two");
    if (!idle.ok()) return idle;
  }
  if (absl::Status s = CheckAllTensors(args); !s.ok()) return s;
  if (absl::Status s = CheckSharing(args.trace); !s.ok()) return s;
  if (absl::Status s = CheckShadows(args.trace); !s.ok()) return s;
  if (absl::Status s = CheckPools(args.pools, args.capacity); !s.ok()) return s;
  if (absl::Status s = CheckSearchArgs(args.search, {args.strategy}); !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckPictureFiles(args.pictures); !s.ok()) return s;
  std::vector<OutputFile> outputs = {
      {"-o", args.output.empty() ? "-" : args.output},
      {"--certificate", args.certificate}};
  for (OutputFile& picture : OutputsOf(args.pictures)) {
    outputs.push_back(std::move(picture));
  }
  return CheckOutputFiles(outputs, args.inputs);
}

// Returns whether the planner chooses the groups of a model.
bool ChoosesGroups(const PlanArgs& args, const ProblemSpec& problem) {
  return args.trace.model.sharing == Sharing::kGroups &&
         !problem.labels.lifetimes.empty() &&
         !problem.constraints.places.empty();
}

// Returns InvalidArgument for the first option that has no effect on a program.
absl::Status CheckFitsProgram(const PlanArgs& args,
                              const ProblemSpec& problem) {
  if (problem.labels.program == nullptr) return absl::OkStatus();
  if (args.kind != PlanKind::kOffsets) {
    return absl::InvalidArgumentError(
        "--kind objects: programs have plans of offsets; expected offsets");
  }
  if (args.names) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--no-names: has no effect on a program, whose functions name their "
      "tensors; expected a trace, a problem or a model");
}

// The solution of the problem in a file, and the problem with the choices of
// this solution applied (DecidedProblem).
struct SolvedFile {
  Problem problem;
  Solution solution;
};

absl::StatusOr<SolvedFile> SolveFile(const PlanArgs& args,
                                     const ProblemFile& file,
                                     const SolveOptions& options) {
  ProblemSpec spec = SpecFor(file.problem, args.kind, args.alignment);
  if (args.capacity) spec.capacity = args.capacity;
  spec.groups_are_optional = ChoosesGroups(args, file.problem);
  absl::optional<Problem> problem;
  const auto solve = [&](const ProblemSpec& asked) -> absl::StatusOr<Solution> {
    const absl::StatusOr<Problem> created = Problem::Create(asked);
    if (!created.ok()) return created.status();
    problem = *created;
    return args.cost_limit ? SolveWithCostLimit(*problem, args.strategy,
                                                *args.cost_limit, options)
                           : Solve(*problem, args.strategy, options);
  };
  absl::StatusOr<Solution> solution = SolveWithScratch(&spec, solve);
  if (!solution.ok()) return solution.status();
  absl::StatusOr<Problem> decided = DecidedProblem(*problem, *solution);
  if (!decided.ok()) return decided.status();
  return SolvedFile{*std::move(decided), *std::move(solution)};
}

// Shows the progress of a search, and stops the search once the command has to
// stop.
class ShownSearch final : public InterruptionObserver {
 public:
  using Show = std::function<void(const SearchProgress&)>;
  explicit ShownSearch(Show show) : show_(std::move(show)) {}
  bool OnProgress(const SearchProgress& progress) override {
    show_(progress);
    return true;
  }

 private:
  const Show show_;
};

// Calls SolveFile and shows the progress of the search. If `bar` is not null,
// the bar shows the gap of the search. Otherwise, prints the progress as the
// lines of --progress, and sets *lost to the error if a line cannot be written.
absl::StatusOr<SolvedFile> SolveAloud(const PlanArgs& args,
                                      const ProblemFile& file,
                                      SolveOptions options, Progress* bar,
                                      absl::Status* lost) {
  if (bar != nullptr) {
    ShownSearch shown([bar](const auto& progress) {
      // The bar shows totals. If plans have costs, totals may rise while costs
      // fall, so the bar is not used.
      if (!progress.cost) bar->Show(progress);
    });
    options.observer = &shown;
    return SolveFile(args, file, options);
  }
  ProgressLines lines(STDERR_FILENO);
  ShownSearch shown([&](const auto& progress) { lines.Print(progress); });
  options.observer = &shown;
  absl::StatusOr<SolvedFile> found = SolveFile(args, file, options);
  if (found.ok()) {
    lines.PrintAnswer(found->solution,
                      !file.problem.constraints.prefer_apart.empty());
  }
  *lost = lines.status();
  return found;
}

// Adds the error `lost` to an outcome. The error means that the progress or the
// certificate was not written completely; the answer is delivered nevertheless.
Outcome WithLost(Outcome outcome, const absl::Status& lost) {
  if (lost.ok()) return outcome;
  absl::StrAppend(&outcome.err, lost.message(), "\n");
  if (outcome.code == ExitCode::kDone) outcome.code = ExitCode::kBadInput;
  return outcome;
}

// Applies the choices of a solution to the problem in the file.
void TakeDecisions(const PlanArgs& args, const SolvedFile& found,
                   ProblemSpec* problem) {
  if (ChoosesGroups(args, *problem)) {
    ProblemSpec decided = found.problem.ToSpec();
    problem->constraints.places = std::move(decided.constraints.places);
    problem->labels.groups = std::move(decided.labels.groups);
  }
  // Uses the solved problem, since it also has the records of scratch memory.
  if (problem->labels.program != nullptr) *problem = found.problem.ToSpec();
}

// Writes the certificate and the plan. The plan is delivered even if the
// certificate cannot be written, since finding the plan may have taken a long
// time.
Outcome DeliverSolved(const PlanArgs& args, const SolvedFile& found,
                      ProblemFile file, const absl::Status& lost) {
  const absl::StatusOr<std::string> written =
      WriteCertificateFile(args, found.problem, found.solution);
  TakeDecisions(args, found, &file.problem);
  Outcome outcome = WithLost(
      WithLost(DeliverPlan(args, file, found.problem, found.solution), lost),
      written.status());
  if (written.ok()) absl::StrAppend(&outcome.err, *written);
  return outcome;
}

Outcome RunPlan(const CLI::App& verb, const PlanArgs& args) {
  if (absl::Status s = CheckArgs(verb, args); !s.ok()) {
    return Misuse("plan", s.message());
  }
  // Shows either lines for programs or a bar for users, since both are written
  // to standard error.
  absl::optional<Progress> progress;
  if (!args.progress) progress.emplace(2);
  const auto begin = [&](const std::string& step) {
    if (progress) progress->Begin(step);
  };
  begin(absl::StrCat("reading ", args.input));
  InputReader inputs(args.trace);
  DynamicInput dynamic;
  inputs.KeepDynamic(&dynamic);
  absl::StatusOr<ProblemFile> file = inputs.ReadProblems(args.inputs);
  absl::Status usable = inputs.CheckOptions();
  if (usable.ok() && !file.ok()) return NotRead(file.status(), dynamic);
  if (usable.ok() && dynamic.is_read()) {
    begin(absl::StrCat("planning ", args.input));
    return PlanAllValues(verb, args, dynamic);
  }
  if (usable.ok()) usable = ApplyPools(args.pools, args.input, &file->problem);
  if (usable.ok()) usable = CheckHasPreferences(args, file->problem);
  if (usable.ok()) usable = CheckFitsProgram(args, file->problem);
  if (!usable.ok()) return Misuse("plan", usable.message());
  SolveOptions options = SolveOptionsOf(args.search, kPlanTimeLimit);
  options.decide = args.decide;
  // From here on, an interrupt must not terminate the command, because the
  // search stops soon after an interrupt, and its best plan is then the answer.
  if (IsSearch(args.strategy)) BeginDelivery();
  begin(absl::StrCat(args.strategy, " on ", args.input));
  if (args.points) return DeliverCurve(args, *file, options);
  const bool has_choices = file->problem.free_order ||
                           ChoosesGroups(args, file->problem) ||
                           file->problem.labels.program != nullptr ||
                           !file->problem.constraints.same_or_apart.empty();
  if (!args.certificate.empty() && has_choices) {
    return Misuse("plan", kNoCertificates);
  }
  if (!args.strategy_note.empty() && !args.trace.at.empty() &&
      !file->plan.offsets.empty()) {
    return DeliverStack(verb, args, *file);
  }
  absl::Status lost;
  const absl::StatusOr<SolvedFile> found =
      SolveAloud(args, *file, options, progress ? &*progress : nullptr, &lost);
  BeginDelivery();
  if (found.ok()) {
    begin(absl::StrCat("certificate of ", args.input));
    return DeliverSolved(args, *found, *std::move(file), lost);
  }
  const absl::Status& error = found.status();
  const ExitCode code = ExitCodeOf(error);
  return Failure(code, code == ExitCode::kMisuse
                           ? absl::StrCat("stowage plan: ", error.message())
                           : DescribeError(args.input, file->problem, error));
}

// Sets the default strategy. Under the rules of a device, this is the planner
// of the device. Otherwise, it is the strategy that makes the smallest plans if
// it has enough time.
void SetDefaultStrategy(PlanArgs* args) {
  if (args->trace.lifetimes == LifetimeRules::kMicro) {
    args->strategy = kMicroStrategy;
    return;
  }
  args->strategy = kDefaultStrategy;
  args->strategy_note =
      absl::StrCat(", the default: a search of at most ",
                   args->search.nodes
                       ? Count(*args->search.nodes, "node")
                       : absl::FormatDuration(
                             args->search.time_limit.value_or(kPlanTimeLimit)));
}

void AddFiles(CLI::App* verb, PlanArgs* args) {
  AddOutput(verb, "PLAN.csv",
            "Write the plan file here: the trace with a column offset or "
            "object, or, if CSV cannot hold it, the problem (JSON) with the "
            "place of each record; - for standard output",
            &args->output);
  AddParsed(
      verb, "--certificate", "FILE",
      "Write a certificate of the answer here, which stowage verify checks",
      ParseOutputFile, &args->certificate);
  AddPictureFiles(verb, &args->pictures);
}

void AddOptions(CLI::App* verb, PlanArgs* args) {
  AddInput(
      verb, "INPUT", &args->inputs,
      absl::StrCat(kAnyInput, "; several models or programs with --together"));
  AddParsed(verb, "--strategy", "NAME",
            "Strategy that makes the plan, see stowage list (default: optimal; "
            "under --lifetimes micro, micro_first_fit, the device's planner)",
            ParseStrategy, &args->strategy);
  AddKind(verb, &args->kind);
  AddAlignment(verb, &args->alignment);
  AddParsed(verb, "--capacity", "SIZE",
            "Limit on the bytes of the plan; exit code 4 if it is proved that "
            "no plan fits, 5 if a search ends without a plan or a proof, 1 if "
            "only the plan of this strategy is too large",
            ParseSize, &args->capacity);
  AddPools(verb, &args->pools);
  AddCostAims(verb, args);
  verb->add_flag("--decide", args->decide,
                 "Stop a search at the first plan within --capacity");
  verb->add_flag(
      "--progress", args->progress,
      "Print each better plan or bound that a search finds, and then the "
      "answer, on standard error, one JSON object on each line");
  AddSearchOptions(verb, kPlanTimeLimit, &args->search);
  AddRelax(verb, &args->search);
  AddFiles(verb, args);
  AddTraceOptions(verb, &args->trace, /*takes_parameters=*/true);
  LimitTo(
      {InputKind::kModel},
      AddSharing(verb,
                 "Under --lifetimes cpu, which this option implies: "
                 "outputs of operators take over the memory of inputs wherever "
                 "they may (fixed, the default), where that does not make the "
                 "plan larger, also for inputs of concatenations and outputs "
                 "of splits (groups), or nowhere (none)",
                 &args->trace.model.sharing),
      &args->trace,
      [args](const SeenInput&) { return WhyNoSharing(args->trace); });
  AddShadows(verb, &args->trace);
  AddCopies(verb, &args->trace);
  AddProgramOptions(verb, &args->trace);
  LimitTo({InputKind::kModel},
          verb->add_flag(
              "--all-tensors", args->all_tensors,
              "Under --lifetimes cpu, which this option implies: write "
              "a row of the plan file for every tensor, also for those that "
              "share the memory of others, for stowage verify --sharing any"),
          &args->trace);
  AddDynamicPlanOptions(verb, args);
  verb->add_flag_callback(
      "--no-names", [args] { args->names = false; },
      "Leave these out of the plan file: the name, type and shape of each "
      "tensor, and the operators that write and read it");
  AddFormat(verb, &args->format, {"text", "json", "csv"});
}

}  // namespace

void AddPlan(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand("plan", "Make one plan of one trace");
  auto args = std::make_shared<PlanArgs>();
  AddOptions(verb, args.get());
  verb->footer(
      "Example:\n"
      "  stowage plan data/traces/mobilenet_v1.csv");
  verb->callback([action, args, verb] {
    if ((verb->count("--sharing") > 0 || verb->count("--shadow") > 0 ||
         verb->count("--all-tensors") > 0 || args->trace.program.IsGiven()) &&
        verb->count("--lifetimes") == 0) {
      args->trace.lifetimes = LifetimeRules::kCpu;
    }
    NestByDefault(*verb, kIdleInPlan, &args->trace);
    args->input = absl::StrJoin(args->inputs, ", ");
    args->trace.model.sharing_alignment = std::max(
        args->trace.model.sharing_alignment, args->alignment.value_or(1));
    if (args->strategy.empty()) SetDefaultStrategy(args.get());
    *action = [args, verb] { return RunPlan(*verb, *args); };
  });
}

}  // namespace stowage::cli
