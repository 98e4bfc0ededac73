// SPDX-License-Identifier: Apache-2.0
// The verb `stowage run`: runs a model with a plan, and checks that the plan is
// safe.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/command/delegate_options.h"
#include "src/command/inputs.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "src/command/progress.h"
#include "src/command/run_events.h"
#include "src/command/run_options.h"
#include "src/command/run_report.h"
#include "src/command/run_turns.h"
#include "src/command/shape_options.h"
#include "src/command/verb.h"
#include "stowage/base/text.h"
#include "stowage/error_payload.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/recorder.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage::cli {
namespace {

// Returns InvalidArgument if --dump would replace an input file.
absl::Status CheckDump(const RunArgs& args) {
  if (args.options.dump.empty()) return absl::OkStatus();
  std::vector<std::string> inputs = {args.model};
  for (const auto& [name, path] : args.input_paths) inputs.push_back(path);
  return CheckDumpFolder(args.options.dump, inputs);
}

// Returns InvalidArgument if --sharing groups is given together with --kind
// objects or with several streams, since groups cannot be chosen in these
// cases.
absl::Status CheckSharing(const RunArgs& args) {
  const harness::InterpreterOptions& plan = args.options.plan;
  if (plan.sharing == Sharing::kGroups && plan.kind != PlanKind::kOffsets) {
    return absl::InvalidArgumentError(
        "--sharing groups: with --kind objects; expected --kind offsets");
  }
  InputOptions options;
  options.model.sharing = plan.sharing;
  options.model.streams = plan.streams > 1 ? plan.streams : 0;
  return CheckSharing(options);
}

// Returns Unimplemented if a limit is given but nothing searches. If groups are
// chosen, a time limit is accepted with every strategy, since choosing groups
// is a search.
absl::Status CheckLimits(const RunArgs& args) {
  const harness::InterpreterOptions& plan = args.options.plan;
  const bool chooses_groups =
      plan.sharing == Sharing::kGroups && !args.search.nodes;
  if (chooses_groups) return absl::OkStatus();
  if (!plan.strategy.empty()) {
    return CheckSearchArgs(args.search, {plan.strategy});
  }
  return args.is_micro ? CheckSearchArgs(args.search, {kMicroStrategy})
                       : absl::OkStatus();
}

// Returns InvalidArgument if --perfetto would replace an input file.
absl::Status CheckEvents(const RunArgs& args) {
  std::vector<std::string> inputs = {args.model};
  for (const auto& [name, path] : args.input_paths) inputs.push_back(path);
  return CheckOutputFiles({{"--perfetto", args.events.path}}, inputs);
}

harness::ShadowMode ShadowModeOf(const RunArgs& args) {
  if (args.shadow.empty()) return harness::ShadowMode::kNone;
  return args.shadow == "all" ? harness::ShadowMode::kAll
                              : harness::ShadowMode::kMissing;
}

// Adds a note about the open extents of a subgraph.
absl::Status NoteShapes(const RunArgs& args, const Model& model,
                        size_t subgraph) {
  ModelTraceOptions options;
  options.subgraph = subgraph;
  const absl::StatusOr<ModelTrace> trace =
      args.is_micro && args.shapes.shapes.empty()
          ? MicroTraceOf(model)
          : harness::CpuTraceOf(model, harness::BuiltinOperators(), options, {},
                                {ShadowModeOf(args), args.shapes.shapes});
  // If no trace can be made, the run fails for the same reason and reports the
  // error.
  return trace.ok()
             ? NoteOpenShapes(args.model, trace->open, args.shapes.is_strict)
             : absl::OkStatus();
}

// Adds the given shapes, and the shapes that shadows need, to the options.
absl::Status AddKnownShapes(const RunArgs& args, const Model& model,
                            const harness::GivenTensors& given,
                            harness::RunOptions* options) {
  std::vector<size_t> subgraphs = {options->subgraph};
  for (const harness::Follower& follower : options->followers) {
    subgraphs.push_back(follower.subgraph);
  }
  for (const size_t subgraph : subgraphs) {
    absl::StatusOr<harness::GivenTensors> known =
        subgraph == options->subgraph ? given : harness::GivenTensors();
    if (!args.shadow.empty()) {
      known = harness::ShapesForShadows(model, harness::BuiltinOperators(),
                                        subgraph, *known);
    }
    if (!known.ok()) return known.status();
    for (const auto& [tensor, shape] : *known) {
      options->plan.shapes[{subgraph, tensor}] = shape;
    }
  }
  return absl::OkStatus();
}

// Reads the model and sets its shapes. For a run on the host, sets only the
// given shapes, since the operators compute the other shapes. For the arena of
// a device, which is planned before the run, also sets the computed shapes.
absl::StatusOr<std::unique_ptr<const Model>> ReadRunModel(
    RunArgs* asked, harness::RunOptions* options, OtherModels* others) {
  auto model = Model::Read(asked->model);
  if (!model.ok()) return model;
  const absl::Status entered = EnterTurns(**model, asked, others);
  if (!entered.ok()) return entered;
  options->subgraph = asked->options.subgraph;
  options->followers = asked->options.followers;
  options->hand_overs = asked->options.hand_overs;
  options->plan.carried = asked->options.plan.carried;
  const RunArgs& args = *asked;
  const absl::StatusOr<harness::GivenTensors> given =
      harness::ResolveShapes(**model, options->subgraph, args.shapes.shapes);
  if (!given.ok()) return given.status();
  absl::Status open = NoteShapes(args, **model, options->subgraph);
  for (const harness::Follower& follower : options->followers) {
    open.Update(
        NoteShapes(args, ModelOf(follower, **model), follower.subgraph));
  }
  if (!open.ok()) return open;
  if (args.is_micro) {
    return WithGivenShapes(*std::move(model), 0, args.shapes.shapes);
  }
  absl::Status known = AddKnownShapes(args, **model, *given, options);
  if (!known.ok()) return known;
  KnownShapes shapes;
  for (const auto& [tensor, shape] : *given) {
    shapes[{options->subgraph, tensor}] = {shape};
  }
  return (*model)->WithShapes(shapes);
}

absl::StatusOr<harness::RunOptions> ReadOptions(
    const RunArgs& args, harness::RunOptions options, const Model& model,
    std::vector<harness::DelegateRequest> delegates) {
  options.plan.time_limit = args.search.time_limit;
  options.plan.node_budget = args.search.nodes;
  const absl::Status claimed = ClaimNodes(
      args.delegates, model, options.subgraph, absl::MakeSpan(delegates));
  if (!claimed.ok()) return claimed;
  options.plan.delegates = std::move(delegates);
  options.plan.shadow = ShadowModeOf(args);
  const absl::Status inputs = ReadInputs(args, model, &options);
  if (!inputs.ok()) return inputs;
  return options;
}

// The number of invocations for the check of a model with state, unless the run
// itself has several invocations.
constexpr size_t kCheckedInvocations = 3;

absl::StatusOr<harness::CheckReport> CheckRun(
    const RunArgs& args, const Model& model,
    const harness::RunOptions& options) {
  harness::CheckOptions check = harness::CheckOptionsOf(options);
  check.compares_all = args.check == "all";
  // A fault in the state is detected only when a later invocation reads the
  // state.
  if (check.invocations == 1 &&
      (HasVariables(model) || !options.plan.carried.empty())) {
    check.invocations = kCheckedInvocations;
  }
  absl::StatusOr<harness::CheckReport> report =
      harness::CheckPlan(model, harness::BuiltinOperators(), check);
  if (!absl::IsInvalidArgument(report.status())) return report;
  // The message of the check does not name the missing inputs. So the model is
  // run without the check: this run fails as well, and its message names the
  // inputs.
  harness::RunOptions run = options;
  run.dump.clear();
  const absl::Status status = harness::RunModel(model, run).status();
  if (status.ok()) return report;
  return status;
}

// Returns InvalidArgument if an option has no effect, or if options contradict
// each other.
absl::Status CheckArgs(const RunArgs& args) {
  if (absl::Status s =
          CheckEffects(args.limits, {{args.model, InputKind::kModel}});
      !s.ok()) {
    return s;
  }
  for (absl::Status (*check)(const RunArgs&) :
       {&CheckTurns, &CheckDump, &CheckArena, &CheckEvents, &CheckSharing,
        &CheckLimits}) {
    if (absl::Status s = check(args); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// Adds the report of --check. The outcome is kDone if the check passed and the
// model can be run.
Outcome CheckFirst(const RunArgs& args, const Model& model,
                   const harness::RunOptions& options, RunReport* report) {
  absl::StatusOr<harness::CheckReport> check = CheckRun(args, model, options);
  if (!check.ok()) return FailedRun(check.status());
  report->check = *std::move(check);
  if (report->check->is_safe()) return {ExitCode::kDone, "", ""};
  return {ExitCode::kRefuted, RunAnswer(*report).Render(args.format),
          UnsafeMessage(*report)};
}

Outcome RunRun(RunArgs args) {
  const absl::Status allowed = CheckArgs(args);
  if (!allowed.ok()) return Misuse("run", allowed.message());
  if (HasParameters(args.shapes.open)) return RunAtValues(args);
  absl::StatusOr<std::vector<harness::DelegateRequest>> delegates =
      RequestDelegates(args.delegates);
  if (!delegates.ok()) return FailedRequest("run", delegates.status());
  Progress progress(args.check.empty() ? 2 : 3);
  progress.Begin(absl::StrCat("reading ", args.model));
  harness::RunOptions given = args.options;
  OtherModels others;
  const auto model = ReadRunModel(&args, &given, &others);
  if (!model.ok()) return BadInput(model.status());
  // Checks the effects again, since the effect of some options depends on the
  // content of the model.
  const absl::Status effective = CheckEffects(
      args.limits, {{args.model, InputKind::kModel, model->get()}});
  if (!effective.ok()) return Misuse("run", effective.message());
  absl::StatusOr<harness::RunOptions> options =
      ReadOptions(args, std::move(given), **model, *std::move(delegates));
  if (absl::IsAlreadyExists(options.status())) {
    return Misuse("run", absl::StrCat("--input: ", options.status().message()));
  }
  if (!options.ok()) return BadInput(options.status());
  if (args.bisects) {
    progress.Begin(absl::StrCat("comparing ", args.model));
    return BisectRun(args, **model, *options);
  }
  if (args.is_micro) {
    progress.Begin(absl::StrCat("running ", args.model));
    return RunInArena(args, **model, *std::move(options));
  }
  RunReport report;
  report.args = &args;
  if (!args.check.empty()) {
    progress.Begin(absl::StrCat("checking ", args.model));
    Outcome checked = CheckFirst(args, **model, *options, &report);
    if (checked.code != ExitCode::kDone) return checked;
  }
  progress.Begin(absl::StrCat("running ", args.model));
  harness::Profiler profiler;
  PlanRecorder recorder(args.options.subgraph);
  // The profiler is the last observer, so that it does not measure the other
  // observers.
  if (!args.events.path.empty()) options->plan.observers.push_back(&recorder);
  if (args.profile) options->plan.observers.push_back(&profiler);
  const absl::StatusOr<harness::RunResult> result =
      harness::RunModel(**model, *options);
  if (!result.ok()) return FailedRun(result.status());
  report.result = &*result;
  report.profiler = args.profile ? &profiler : nullptr;
  Outcome outcome = {ExitCode::kDone, RunAnswer(report).Render(args.format),
                     ""};
  if (absl::Status s = WriteRunEvents(args, recorder, profiler); !s.ok()) {
    outcome.code = ExitCode::kBadInput;
    outcome.err = absl::StrCat(OneLine(s.message()), "\n");
  }
  return outcome;
}

}  // namespace

Outcome FailedRun(const absl::Status& status) {
  ExitCode code =
      absl::IsDataLoss(status) ? ExitCode::kRefuted : ExitCodeOf(status);
  if (!DelegateOf(status).empty() && code != ExitCode::kGaveUp) {
    code = ExitCode::kBadInput;
  }
  return Failure(code, status.message());
}

void AddRun(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand("run", "Run a model under a plan");
  auto args = std::make_shared<RunArgs>();
  AddRunOptions(verb, args.get());
  verb->footer(
      "Example:\n"
      "  stowage run data/models/residual_int8.tflite --check --poison");
  verb->callback([action, args] {
    args->model = args->models.front();
    *action = [args] { return RunRun(*args); };
  });
}

}  // namespace stowage::cli
