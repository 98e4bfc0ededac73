// SPDX-License-Identifier: Apache-2.0
// The verb `stowage arena`: predicts the size of the arena that a model needs
// on a device.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/command/answer.h"
#include "src/command/arena_needs.h"
#include "src/command/inputs.h"
#include "src/command/interruption.h"
#include "src/command/json.h"
#include "src/command/notes.h"
#include "src/command/offline_options.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/progress.h"
#include "src/command/shape_options.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/harness/micro_memory.h"
#include "stowage/solution.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage::cli {
namespace {

constexpr absl::Duration kArenaTimeLimit = absl::Seconds(1);

// The strategy that searches for a better plan than that of the device.
constexpr char kBestStrategy[] = "optimal";

struct ArenaArgs {
  std::string model;
  MicroWord word = MicroWord::k32;
  absl::optional<size_t> resource_variables;
  absl::optional<size_t> capacity;
  IoLifetime io_lifetime = IoLifetime::kUse;
  ShapeArgs shapes;
  SearchArgs search;
  Format format = Format::kText;
  std::vector<OptionLimit> limits;
};

// The arena that results from one plan and from one planner on the device.
struct ArenaRow {
  const char* plan;     // text shows this name
  const char* planner;  // text shows this name
  const char* key;      // JSON shows this key
  size_t workspace_per_buffer;
  MicroArena arena;
};

struct ArenaReport {
  absl::optional<OfflinePlan> plan;  // the model contains this plan
  // The plan that the planner of the device makes.
  Solution device;
  // The size of the head on the device.
  size_t device_head = 0;
  // The number of overlaps in `plan` that custom operators may intend.
  size_t undecided = 0;
  // The number of tensors whose offsets are fixed by the plan in the model.
  size_t kept_tensors = 0;
  // The smaller of two plans: `device`, and the plan that the search has found.
  Solution best;
  std::vector<ArenaRow> rows;
  std::vector<MicroBuffer> buffers;  // these buffers are in the head
  std::vector<MicroOperator> operators;
  absl::optional<ArenaOverflow> overflow;  // it concerns the first row
};

absl::Status PlanHead(const ArenaArgs& args, const Model& model,
                      ArenaReport* report) {
  const absl::StatusOr<std::vector<OfflineBuffer>> buffers = HeadBuffers(
      model, {/*honour_offline_plan=*/false, args.word, args.io_lifetime});
  if (!buffers.ok()) return buffers.status();
  for (const OfflineBuffer& buffer : *buffers) {
    report->buffers.push_back(buffer.buffer);
  }
  absl::StatusOr<Solution> device = SolveHead(model, *buffers, kMicroStrategy);
  if (!device.ok()) return device.status();
  // From here on, an interrupt must not terminate the command, because the
  // search stops soon after an interrupt, and its best plan is then the answer.
  BeginDelivery();
  absl::StatusOr<Solution> best =
      SolveHead(model, *buffers, kBestStrategy,
                SolveOptionsOf(args.search, kArenaTimeLimit));
  if (!best.ok()) return best.status();
  report->device = *std::move(device);
  const size_t bound = std::max(best->lower_bound, report->device.lower_bound);
  const bool is_better =
      best->has_plan() && best->total_size <= report->device.total_size;
  report->best = is_better ? *std::move(best) : report->device;
  report->best.lower_bound = bound;
  return absl::OkStatus();
}

// If the model contains a plan, sets the size of the head to its size under
// this plan, because a device uses the plan in the model.
absl::Status HonourPlan(const ArenaArgs& args, const Model& model,
                        ArenaReport* report) {
  report->device_head = report->device.total_size;
  absl::StatusOr<absl::optional<OfflinePlan>> plan =
      ReadOfflinePlan(model.bytes(), model.name());
  if (!plan.ok()) return plan.status();
  if (!plan->has_value()) return absl::OkStatus();
  OfflineCheckOptions options;
  options.word = args.word;
  options.io_lifetime = args.io_lifetime;
  const absl::StatusOr<OfflineVerdict> verdict =
      CheckOfflinePlan(model, *plan, options);
  if (!verdict.ok()) return verdict.status();
  if (!verdict->head_bytes) return UnsoundPlanError(model, *verdict);
  report->device_head = *verdict->head_bytes;
  report->undecided = verdict->undecided.size();
  report->plan = *std::move(plan);
  return absl::OkStatus();
}

// Reports an overflow if the arena of the first row exceeds the capacity. The
// first row is the arena of the unchanged device; the other rows are
// alternatives.
void CompareWithCapacity(const ArenaArgs& args, ArenaReport* report) {
  const MicroArena& arena = report->rows.front().arena;
  if (!args.capacity || arena.peak_bytes <= *args.capacity) return;
  std::vector<ArenaChoice> choices;
  for (const ArenaRow& row : report->rows) {
    choices.push_back(
        {absl::StrCat(row.plan, " plan with the planner of ", row.planner),
         row.key, row.arena.peak_bytes});
  }
  report->overflow =
      FindOverflow(arena, *args.capacity, report->buffers, choices);
}

absl::StatusOr<ArenaReport> Predict(const ArenaArgs& args, const Model& model) {
  ArenaReport report;
  const absl::StatusOr<std::vector<int32_t>> kept = KeptOffsets(model);
  if (!kept.ok()) return kept.status();
  report.kept_tensors = CountKept(*kept);
  if (absl::Status s = PlanHead(args, model, &report); !s.ok()) return s;
  if (absl::Status s = HonourPlan(args, model, &report); !s.ok()) return s;
  const size_t device = report.device_head;
  const size_t best = report.best.total_size;
  struct Case {
    const char* plan;
    const char* planner;
    const char* key;
    size_t head;
    bool is_upstream;
    bool head_is_device;
  };
  for (const Case& c :
       {Case{"device", "TensorFlow Lite Micro", "tflm", device, true, true},
        Case{"device", "Stowage", "stowage", device, false, true},
        Case{"best", "TensorFlow Lite Micro", "tflm_best", best, true, false},
        Case{"best", "Stowage", "stowage_best", best, false, false}}) {
    MicroArenaOptions options;
    options.word = args.word;
    options.head_bytes = c.head;
    options.resource_variables = args.resource_variables;
    options.makes_planner = c.is_upstream;
    options.offsets = *kept;
    if (report.plan && c.head_is_device) options.offsets = report.plan->offsets;
    options.workspace_per_buffer =
        c.is_upstream ? kMicroGreedyWorkspace : harness::kMicroWorkspace;
    absl::StatusOr<MicroArena> arena = PredictMicroArena(model, options);
    if (!arena.ok()) return arena.status();
    report.rows.push_back({c.plan, c.planner, c.key,
                           options.workspace_per_buffer, *std::move(arena)});
  }
  report.operators = MicroOperatorsOf(model);
  CompareWithCapacity(args, &report);
  return report;
}

absl::string_view DecidedBy(const MicroArena& arena) {
  if (arena.running.arena_bytes() == arena.peak_bytes) return "running";
  if (arena.planning.arena_bytes() == arena.peak_bytes) return "planning";
  return "preparing";
}

AnswerTable TailTable(const MicroArena& arena) {
  std::vector<std::vector<Value>> rows;
  for (size_t i = 0; i < arena.tail.size(); ++i) {
    const MicroUsage& usage = arena.tail[i];
    if (usage.count == 0) continue;
    rows.push_back({MicroCategoryName(static_cast<MicroCategory>(i)),
                    usage.used_bytes, usage.requested_bytes, usage.count});
  }
  return TableOf({"tail", "bytes>", "requested>", "count>"}, std::move(rows));
}

AnswerTable ArenaTable(const ArenaReport& report) {
  std::vector<std::vector<Value>> rows;
  for (const ArenaRow& row : report.rows) {
    rows.push_back(
        {row.plan, row.planner, row.arena.buffers * row.workspace_per_buffer,
         row.arena.preparing.arena_bytes(), row.arena.planning.arena_bytes(),
         row.arena.running.arena_bytes(), row.arena.peak_bytes});
  }
  AnswerTable table = TableOf({"plan", "planner", "workspace>", "preparing>",
                               "planning>", "running>", "arena>"},
                              std::move(rows));
  table.key_columns = 2;
  return table;
}

Value BestText(const Solution& best) {
  return Phrase(Size(best.total_size),
                best.total_size == best.lower_bound
                    ? ", proved the smallest"
                    : Phrase("; no plan is below ", Size(best.lower_bound)));
}

Json PhaseJson(const MicroPhase& phase) {
  return {{"front_bytes", phase.front_bytes},
          {"tail_bytes", phase.tail_bytes},
          {"arena_bytes", phase.arena_bytes()}};
}

Json TailJson(const MicroArena& arena) {
  Json tail = Json::object();
  for (size_t i = 0; i < arena.tail.size(); ++i) {
    const MicroUsage& usage = arena.tail[i];
    tail[std::string(MicroCategoryName(static_cast<MicroCategory>(i)))] = {
        {"used_bytes", usage.used_bytes},
        {"requested_bytes", usage.requested_bytes},
        {"count", usage.count}};
  }
  return tail;
}

Json ArenasJson(const ArenaReport& report) {
  Json arenas = Json::object();
  for (const ArenaRow& row : report.rows) {
    arenas[row.key] = {
        {"head_bytes", row.arena.head_bytes},
        {"tail_bytes", row.arena.tail_bytes},
        {"workspace_bytes", row.arena.buffers * row.workspace_per_buffer},
        {"preparing", PhaseJson(row.arena.preparing)},
        {"planning", PhaseJson(row.arena.planning)},
        {"running", PhaseJson(row.arena.running)},
        {"arena_bytes", row.arena.peak_bytes},
        {"decided_by", std::string(DecidedBy(row.arena))}};
  }
  return arenas;
}

Answer AnswerOf(const ArenaArgs& args, const Model& model,
                const ArenaReport& report) {
  const MicroArena& arena = report.rows.front().arena;
  const std::vector<std::string>& unknown = arena.unknown_operators;
  Answer answer;
  answer.Add("input", "input", args.model, InputName(args.model));
  answer.AddData("bits", BitsOf(args.word));
  answer.Add("predicted_for", "predicted", kMicroCommit,
             Phrase("TensorFlow Lite Micro ", kMicroCommit,
                    ", reference kernels, ", BitsOf(args.word), " bits"));
  if (args.io_lifetime == IoLifetime::kKeep) {
    answer.Say("held",
               "inputs and outputs, for the whole run, as a plan of offline "
               "write with --io-lifetime keep does");
  }
  answer.Add(
      "arena_bytes", "arena", arena.peak_bytes,
      Phrase(Size(arena.peak_bytes), ", decided while ", DecidedBy(arena)));
  answer.AddData("plan_in_model", report.plan.has_value());
  answer.AddData("undecided_overlaps", report.undecided);
  answer.AddData("kept_tensors", report.kept_tensors);
  answer.Add("head_bytes", "head", arena.head_bytes,
             Phrase(Size(arena.head_bytes),
                    report.plan ? ", with the plan in the model" : ""));
  if (report.undecided > 0) {
    answer.Say("undecided",
               Phrase(Count(report.undecided, "overlap"),
                      " of that plan that only custom operators could notice"));
  }
  answer.Add("tail_bytes", "tail", Size(arena.tail_bytes));
  answer.AddData("tail", TailJson(arena));
  answer.Add("buffers", "buffers", arena.buffers);
  answer.Add("best", "best head",
             {{"head_bytes", report.best.total_size},
              {"lower_bound", report.best.lower_bound}},
             BestText(report.best));
  SayNotCounted(unknown, &answer);
  answer.AddData("arenas", ArenasJson(report));
  answer.AddTable(TailTable(arena));
  answer.AddTable(ArenaTable(report));
  answer.AddTable(OperatorsTable(report.operators), "operators");
  answer.AddData("unknown_operators", unknown);
  if (args.capacity) {
    answer.AddData("capacity", *args.capacity);
    answer.AddData("fits", !report.overflow);
  }
  if (report.overflow) {
    answer.AddData("overflow", OverflowJson(model, *report.overflow));
  }
  return answer;
}

Outcome RunArena(const ArenaArgs& args) {
  Progress progress(2);
  progress.Begin(absl::StrCat("reading ", args.model));
  const auto model = ReadDeviceModel(args.model, args.shapes, true);
  if (!model.ok()) return BadInput(model.status());
  const absl::Status effects = CheckEffects(
      args.limits, {{args.model, InputKind::kModel, model->get()}});
  if (!effects.ok()) return Misuse("arena", effects.message());
  progress.Begin(absl::StrCat("planning ", args.model));
  const absl::StatusOr<ArenaReport> report = Predict(args, **model);
  BeginDelivery();
  if (!report.ok()) return Failure(report.status());
  AddNote(args.model, DescribeKept(report->kept_tensors));
  if (report->plan) AddNote(args.model, OfflinePlanNote(*report->plan));
  Outcome outcome;
  outcome.out = AnswerOf(args, **model, *report).Render(args.format);
  if (report->overflow) {
    outcome.code = ExitCode::kInfeasible;
    outcome.err =
        absl::StrCat(OneLine(OverflowText(**model, *report->overflow)), "\n");
  }
  return outcome;
}

// Returns the reason why --resource-variables has no effect, or an empty string
// if it has an effect.
std::string WhyNoResources(const SeenInput& input) {
  for (const SubgraphSpec& graph : input.model->subgraphs()) {
    for (const OperatorSpec& op : graph.operators) {
      if (!op.is_custom && op.name == "VAR_HANDLE") return "";
    }
  }
  return ", which has no resource variables; expected a model with some";
}

}  // namespace

void AddArena(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "arena", "Predict how large the arena of a model must be on a device");
  auto args = std::make_shared<ArenaArgs>();
  AddModel(verb, &args->model);
  AddBits(verb, &args->word);
  LimitTo({InputKind::kModel},
          AddParsed(verb, "--resource-variables", "N",
                    "Number of entries of the device's table of resource "
                    "variables (default: as many as the model has)",
                    ParseNumber, &args->resource_variables),
          &args->limits, WhyNoResources);
  AddParsed(verb, "--capacity", "SIZE",
            "Maximum bytes of the arena; exit code 4 if it takes more",
            ParseSize, &args->capacity);
  AddHeldEnds(verb, &args->io_lifetime);
  AddShape(verb, &args->shapes.shapes);
  AddStrict(verb, &args->shapes.is_strict);
  AddSearchOptions(verb, kArenaTimeLimit, &args->search);
  AddFormat(verb, &args->format);
  verb->footer("Example:\n  stowage arena data/models/keyword_int8.tflite");
  verb->callback(
      [action, args] { *action = [args] { return RunArena(*args); }; });
}

}  // namespace stowage::cli
