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
#include "src/command/text.h"
#include "src/command/verb.h"
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
  ShapeArgs shapes;  // has no shapes
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

// Returns the arena of a device that gets the plan from the header.
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

Outcome RunHeader(const HeaderArgs& args) {
  const absl::Status outputs =
      CheckOutputFiles({{"-o", args.output}}, {args.model});
  if (!outputs.ok()) return Misuse("offline header", outputs.message());
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

absl::StatusOr<std::string> ParseCName(absl::string_view name) {
  const bool is_name =
      !name.empty() && !absl::ascii_isdigit(static_cast<uint8_t>(name[0])) &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
          absl::string_view::npos;
  if (is_name) return std::string(name);
  return absl::InvalidArgumentError(absl::StrCat(
      "'", name, "'; expected a C name of small letters, digits and _"));
}

}  // namespace

void AddOfflineHeader(CLI::App* offline, Action* action) {
  CLI::App* verb = offline->add_subcommand(
      "header", "The plan of a model as a C header: table, sizes and hash");
  auto args = std::make_shared<HeaderArgs>();
  AddModel(verb, &args->model);
  AddOfflineOutput(verb, "PLAN.h", "Write the header here", &args->output);
  AddParsed(verb, "--name", "NAME",
            "What names in the header begin with, and its include guard; the "
            "name of the model's file if not given",
            ParseCName, &args->name);
  AddParsed(verb, "--strategy", "NAME",
            "Plan anew; if not given, the model's plan, or a new one by "
            "optimal",
            ParseStrategy, &args->strategy);
  AddBits(verb, &args->word);
  AddCustomOverlap(verb, &args->check.allow_custom_overlap, &args->limits);
  AddStrict(verb, "Refuse", &args->shapes.is_strict);
  AddSearchOptions(verb, kHeaderTimeLimit, &args->search);
  for (const char* option :
       {"--time-limit", "--nodes", "--seed", "--threads"}) {
    LimitTo({InputKind::kModel}, verb->get_option(option), &args->limits,
            [args = args.get()](const SeenInput& input) -> std::string {
              if (args->strategy || !HasOfflinePlan(*input.model)) return "";
              return ", whose own plan is taken; expected --strategy, or a "
                     "model without a plan";
            });
  }
  verb->footer(
      "Example:\n"
      "  stowage offline header data/models/keyword_int8.tflite -o plan.h");
  verb->callback(
      [action, args] { *action = [args] { return RunHeader(*args); }; });
}

}  // namespace stowage::cli
