// SPDX-License-Identifier: Apache-2.0
// The verb `stowage offline header`: writes a plan as a C header, for programs
// that do not read metadata.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/interruption.h"
#include "src/command/notes.h"
#include "src/command/offline_options.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/output_files.h"
#include "src/command/plan_header.h"
#include "src/command/shape_options.h"
#include "src/command/stack_header.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/error_payload.h"
#include "stowage/io/read_file.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kHeaderTimeLimit = absl::Seconds(10);

struct HeaderArgs {
  std::string model;
  std::string output;
  absl::optional<std::string> name;
  absl::optional<std::string> strategy;
  MicroWord word = MicroWord::k32;
  OfflineCheckOptions check;
  SearchArgs search;
  std::vector<OptionLimit> limits;
  ShapeArgs shapes;  // only is_strict is set
  bool stack = false;
};

// Returns the plan that the model contains. Makes a new plan if a strategy is
// given or the model contains no plan.
absl::StatusOr<absl::optional<OfflinePlan>> PlanOf(const HeaderArgs& args,
                                                   const Model& model) {
  if (!args.strategy) {
    absl::StatusOr<absl::optional<OfflinePlan>> plan =
        ReadOfflinePlan(model.bytes(), model.name());
    if (plan.ok() && plan->has_value()) {
      AddNote(args.model, OfflinePlanNote(**plan));
    }
    if (!plan.ok() || plan->has_value()) return plan;
  }
  const std::string strategy = args.strategy.value_or("optimal");
  if (IsSearch(strategy)) BeginDelivery();
  absl::StatusOr<OfflinePlanning> planning = PlanOffline(
      model, strategy, SolveOptionsOf(args.search, kHeaderTimeLimit));
  if (!planning.ok()) return planning.status();
  AddNote(args.model, DescribeKept(planning->kept_tensors));
  return absl::optional<OfflinePlan>(std::move(planning->plan));
}

// Returns the arena of a device that uses the plan from the header.
absl::StatusOr<MicroArena> ArenaOf(const HeaderArgs& args, const Model& model,
                                   const OfflinePlan& plan,
                                   const OfflineVerdict& verdict) {
  MicroArenaOptions options;
  options.word = args.word;
  options.head_bytes = verdict.head_bytes.value_or(0);
  options.workspace_per_buffer = 0;
  options.makes_planner = false;
  options.offsets = plan.offsets;
  return PredictMicroArena(model, options);
}

Answer AnswerOf(const HeaderArgs& args, const Model& model,
                const OfflineVerdict& verdict, const MicroArena& arena) {
  const std::vector<std::string>& unknown = arena.unknown_operators;
  Answer answer;
  answer.SayLine(
      Phrase(model.name(), ": ", Count(verdict.buffers.size(), "buffer")));
  answer.Say("head", Size(arena.head_bytes));
  answer.Say("arena",
             Phrase(unknown.empty() ? "" : "at least ", Size(arena.peak_bytes),
                    ", ", BitsOf(args.word), " bits"));
  SayNotCounted(unknown, &answer);
  SayOverlaps(model, verdict, &answer);
  return answer;
}

Outcome RunModelHeader(const HeaderArgs& args) {
  const absl::Status search =
      CheckSearchArgs(args.search, {args.strategy.value_or("optimal")});
  if (!search.ok()) return Misuse("offline header", search.message());
  const auto model = ReadDeviceModel(args.model, args.shapes, false);
  if (!model.ok()) return BadInput(model.status());
  const absl::Status effects = CheckEffects(
      args.limits, {{args.model, InputKind::kModel, model->get()}});
  if (!effects.ok()) return Misuse("offline header", effects.message());
  const absl::StatusOr<absl::optional<OfflinePlan>> plan =
      PlanOf(args, **model);
  BeginDelivery();
  if (!plan.ok()) return Failure(plan.status());
  const absl::StatusOr<OfflineVerdict> verdict =
      CheckOfflinePlan(**model, *plan, args.check);
  if (!verdict.ok()) return BadInput(verdict.status());
  if (!verdict->violations.empty()) {
    return Failure(ExitCode::kBadInput,
                   UnsoundPlanError(**model, *verdict).message());
  }
  const absl::StatusOr<MicroArena> arena =
      ArenaOf(args, **model, **plan, *verdict);
  if (!arena.ok()) return Failure(arena.status());
  return DeliverFile(args.output,
                     PlanHeader(args.name ? *args.name : HeaderName(args.model),
                                **model, *verdict, *arena, args.word),
                     AnswerOf(args, **model, *verdict, *arena));
}

// Returns the plan that results from the order in a file. The plan has the
// number of bytes that suffice for this order at all values of the parameters.
absl::StatusOr<DynamicPlan> OrderOf(const HeaderArgs& args,
                                    const DynamicProblem& problem,
                                    const DynamicFile& file) {
  if (file.order.empty() && problem.size() > 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        OneLine(args.model),
        ": it has no order; expected records with the field stack, as stowage "
        "plan writes them"));
  }
  return EvaluateOrder(problem, file.order);
}

// Writes the header for a problem with parameters. Requires that the problem
// file contains the order of the records.
Outcome RunStackHeader(const HeaderArgs& args, const CLI::App& verb) {
  const absl::Status idle = CheckNotGiven(
      verb,
      {"--strategy", "--bits", "--allow-custom-overlap", "--strict",
       "--time-limit", "--nodes", "--seed", "--threads"},
      "with --stack, which takes the order of a problem file; "
      "expected it for a model");
  if (!idle.ok()) return Misuse("offline header", idle.message());
  const absl::StatusOr<std::string> text = ReadFile(args.model);
  if (!text.ok()) return BadInput(text.status());
  if (!IsDynamic(*text)) {
    return Failure(ExitCode::kBadInput,
                   absl::StrCat(OneLine(args.model),
                                ": not a problem with parameters; expected one "
                                "with --stack"));
  }
  DynamicFile file;
  const absl::StatusOr<DynamicProblem> problem =
      ReadDynamicProblem(*text, args.model, &file);
  if (!problem.ok()) return Failure(problem.status());
  const absl::StatusOr<DynamicPlan> plan = OrderOf(args, *problem, file);
  if (!plan.ok()) return BadInput(plan.status());
  absl::StatusOr<std::string> header =
      StackHeader(args.name ? *args.name : HeaderName(args.model), args.model,
                  *problem, *plan);
  if (!header.ok()) return BadInput(AtPlace(args.model, header.status()));
  Answer answer;
  answer.SayLine(Phrase(args.model, ": ", Count(problem->size(), "record"),
                        ", ", Count(plan->stack.edges(), "edge")));
  answer.Say("reserve", Size(plan->reserve));
  return DeliverFile(args.output, *std::move(header), answer);
}

absl::StatusOr<std::string> ParseCName(absl::string_view name) {
  const bool is_name =
      !name.empty() && !absl::ascii_isdigit(static_cast<uint8_t>(name[0])) &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
          absl::string_view::npos;
  if (is_name) return std::string(name);
  return absl::InvalidArgumentError(absl::StrCat(
      "'", name, "'; expected a C name of small letters, digits and _"));
}

Outcome RunHeader(const HeaderArgs& args, const CLI::App& verb) {
  const absl::Status outputs =
      CheckOutputFiles({{"-o", args.output}}, {args.model});
  if (!outputs.ok()) return Misuse("offline header", outputs.message());
  return args.stack ? RunStackHeader(args, verb) : RunModelHeader(args);
}

}  // namespace

void AddOfflineHeader(CLI::App* offline, Action* action) {
  CLI::App* verb =
      offline->add_subcommand("header",
                              "Write the plan of a model, or an order for "
                              "sizes with parameters, as a C header");
  auto args = std::make_shared<HeaderArgs>();
  AddInput(verb, "MODEL", &args->model,
           "A .tflite model, or with --stack a problem file; - for standard "
           "input");
  AddOfflineOutput(verb, "PLAN.h", "Write the header here", &args->output);
  AddParsed(verb, "--name", "NAME",
            "Prefix of the names in the header and of its include guard "
            "(default: the name of the model's file)",
            ParseCName, &args->name);
  verb->add_flag("--stack", args->stack,
                 "Write the order of a problem with parameters, and a function "
                 "that computes the sizes, for use with stowage/micro/stack.h");
  AddParsed(verb, "--strategy", "NAME",
            "Make a new plan with this strategy (default: use the model's "
            "plan, or make one with optimal if there is none)",
            ParseStrategy, &args->strategy);
  AddBits(verb, &args->word);
  AddCustomOverlap(verb, &args->check.allow_custom_overlap, &args->limits);
  AddStrict(verb, &args->shapes.is_strict);
  AddSearchOptions(verb, kHeaderTimeLimit, &args->search);
  for (const char* option :
       {"--time-limit", "--nodes", "--seed", "--threads"}) {
    LimitTo({InputKind::kModel}, verb->get_option(option), &args->limits,
            [args = args.get()](const SeenInput& input) -> std::string {
              if (args->strategy || !HasOfflinePlan(*input.model)) return "";
              return ", whose own plan is used; expected --strategy, or a "
                     "model without a plan";
            });
  }
  verb->footer(
      "Example:\n"
      "  stowage offline header data/models/keyword_int8.tflite -o plan.h");
  verb->callback([action, args, verb] {
    *action = [args, verb] { return RunHeader(*args, *verb); };
  });
}

}  // namespace stowage::cli
