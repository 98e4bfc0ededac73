// stowage compare: every strategy on every input.
#include "src/cli/compare.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/cli/inputs.h"
#include "src/cli/interruption.h"
#include "src/cli/json.h"
#include "src/cli/options.h"
#include "src/cli/progress.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"
#include "stowage/planner.h"
#include "stowage/profile.h"
#include "stowage/strategy.h"
#include "stowage/trace.h"

namespace stowage::cli {
namespace {

struct CompareArgs {
  std::vector<std::string> inputs;
  std::vector<std::string> strategies;  // empty: all of them
  std::vector<PlanKind> kinds = {PlanKind::kOffsets};
  absl::optional<size_t> alignment;
  Format format = Format::kText;
  InputOptions trace;
};

struct NamedTrace {
  std::string name;
  Trace trace;
};

// What is asked of every input.
struct Contender {
  std::string strategy;
  PlanKind kind = PlanKind::kOffsets;
};

// By kind, then strategy. One that cannot plan a kind would be an empty column:
// it is there only if it was named, to hear why.
std::vector<Contender> Contenders(const CompareArgs& args) {
  std::vector<Contender> contenders;
  for (const PlanKind kind : args.kinds) {
    for (const std::string& name : args.strategies) {
      contenders.push_back({name, kind});
    }
    if (!args.strategies.empty()) continue;
    for (const Strategy* strategy : AllStrategies()) {
      const StrategyInfo& info = strategy->info();
      const bool able = info.features.Has(
          kind == PlanKind::kOffsets ? Feature::kOffsets : Feature::kObjects);
      if (able) contenders.push_back({info.name, kind});
    }
  }
  return contenders;
}

// The paths of all files, and an error in place of what has none.
std::vector<absl::StatusOr<std::string>> ExpandAll(
    absl::Span<const std::string> inputs) {
  std::vector<absl::StatusOr<std::string>> paths;
  for (const std::string& input : inputs) {
    const absl::StatusOr<std::vector<std::string>> files = ExpandInput(input);
    if (files.ok()) {
      paths.insert(paths.end(), files->begin(), files->end());
    } else {
      paths.emplace_back(files.status());
    }
  }
  return paths;
}

// Reads all that can be read, and has a line in `errors` for all that cannot.
std::vector<NamedTrace> ReadAll(const CompareArgs& args, std::string* errors) {
  const std::vector<absl::StatusOr<std::string>> paths = ExpandAll(args.inputs);
  std::vector<NamedTrace> traces;
  Progress progress(paths.size());
  for (const absl::StatusOr<std::string>& path : paths) {
    progress.Begin(absl::StrCat("reading ", path.value_or("")));
    absl::StatusOr<Trace> trace =
        path.ok() ? ReadInput(*path, args.trace) : path.status();
    if (trace.ok()) {
      traces.push_back({*path, *std::move(trace)});
    } else {
      absl::StrAppend(errors, OneLine(trace.status().message()), "\n");
    }
  }
  return traces;
}

// To refuse or to give up is an answer of the strategy, a row of the table; any
// other error ends the comparison.
absl::StatusOr<ComparedPlan> CompareOne(const CompareArgs& args,
                                        const Trace& trace,
                                        const Contender& contender) {
  ProblemSpec spec;
  spec.kind = contender.kind;
  spec.records = trace.records;
  if (args.alignment) {
    spec.alignment = *args.alignment;
  } else {
    spec.alignments = trace.alignments;
  }
  if (!trace.fixed_offsets().empty()) spec.fixed_offsets = trace.fixed;
  SolveOptions options;
  options.cancelled = &InterruptionRequested();
  ComparedPlan compared;
  compared.strategy = contender.strategy;
  compared.kind = contender.kind;
  const absl::StatusOr<Problem> problem = Problem::Create(std::move(spec));
  if (!problem.ok()) return problem.status();
  const absl::StatusOr<Solution> plan =
      Solve(*problem, contender.strategy, options);
  compared.gave_up = absl::IsResourceExhausted(plan.status());
  if (compared.gave_up || absl::IsUnimplemented(plan.status())) {
    compared.reason = std::string(plan.status().message());
    return compared;
  }
  if (!plan.ok()) return plan.status();
  compared.total_size = plan->total_size;
  compared.status = plan->status;
  compared.time = plan->time;
  return compared;
}

// The rows there are, which another thread may ask for meanwhile.
class Rows {
 public:
  void Begin(ComparedInput input) {
    const std::lock_guard<std::mutex> lock(mutex_);
    inputs_.push_back(std::move(input));
  }
  void Add(ComparedPlan plan) {
    const std::lock_guard<std::mutex> lock(mutex_);
    inputs_.back().plans.push_back(std::move(plan));
  }
  // Of inputs with all their plans; of the first as many as there are.
  std::vector<ComparedInput> WithPlans(size_t plans) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<ComparedInput> inputs = inputs_;
    if (inputs.size() > 1 && inputs.back().plans.size() < plans) {
      inputs.pop_back();
    }
    return inputs;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<ComparedInput> inputs_;
};

bool IsCutShort(const Contender& contender) {
  const absl::StatusOr<const Strategy*> strategy =
      FindStrategy(contender.strategy);
  return InterruptionRequested() && strategy.ok() &&
         (*strategy)->info().is_search;
}

// Adds a row to the rows, without those that an interruption leaves no time
// for.
absl::Status CompareInput(const CompareArgs& args,
                          absl::Span<const Contender> contenders,
                          const NamedTrace& input, Progress* progress,
                          Rows* rows) {
  const Trace& trace = input.trace;
  ComparedInput compared;
  compared.name = input.name;
  compared.records = trace.records.size();
  compared.naive_size = NaiveSize(trace.records);
  compared.offsets_bound = OffsetsLowerBound(trace.records);
  compared.objects_bound = ObjectsLowerBound(trace.records);
  rows->Begin(std::move(compared));
  for (const Contender& contender : contenders) {
    progress->Begin(absl::StrCat(contender.strategy, " on ", input.name));
    absl::StatusOr<ComparedPlan> plan = CompareOne(args, trace, contender);
    if (!plan.ok()) {
      return absl::Status(plan.status().code(),
                          DescribeError(input.name, trace, plan.status()));
    }
    // Compared with others it would be at a disadvantage.
    if (!IsCutShort(contender)) rows->Add(*std::move(plan));
    if (InterruptionRequested()) break;
  }
  return absl::OkStatus();
}

Json JsonOf(const ComparedPlan& plan) {
  Json json = {{"strategy", plan.strategy},
               {"kind", std::string(PlanKindName(plan.kind))},
               {"total_size", nullptr},
               {"status", std::string(plan.StatusName())},
               {"plan_micros", Micros(plan.time)}};
  if (plan.total_size) {
    json["total_size"] = *plan.total_size;
  } else {
    json["reason"] = plan.reason;
  }
  return json;
}

std::string JsonOf(absl::Span<const ComparedInput> inputs) {
  Json rows = Json::array();
  for (const ComparedInput& input : inputs) {
    Json plans = Json::array();
    for (const ComparedPlan& plan : input.plans) plans.push_back(JsonOf(plan));
    rows.push_back(
        {{"input", input.name},
         {"records", input.records},
         {"naive_size", input.naive_size},
         {"lower_bound",
          {{"offsets", input.offsets_bound}, {"objects", input.objects_bound}}},
         {"plans", std::move(plans)}});
  }
  return Dump({{"rows", std::move(rows)}});
}

Outcome RunCompare(const CompareArgs& args) {
  if (absl::Status s = CheckStandardInput(args.inputs); !s.ok()) {
    return Failure(ExitCode::kMisuse,
                   absl::StrCat("stowage compare: ", s.message()));
  }
  std::string errors;
  const std::vector<NamedTrace> traces = ReadAll(args, &errors);
  if (!errors.empty()) return {ExitCode::kBadInput, "", errors};
  const std::vector<Contender> contenders = Contenders(args);
  Progress progress(traces.size() * contenders.size());
  Rows rows;
  const auto answer = [&] {
    const auto inputs = rows.WithPlans(contenders.size());
    return args.format == Format::kJson ? JsonOf(inputs)
                                        : CompareText(inputs, args.kinds);
  };
  const AbortGuard guard({answer, nullptr});
  for (const NamedTrace& trace : traces) {
    const absl::Status compared =
        CompareInput(args, contenders, trace, &progress, &rows);
    if (!compared.ok()) {
      return Failure(ExitCodeOf(compared), compared.message());
    }
    if (InterruptionRequested()) break;
  }
  BeginDelivery();
  return {ExitCode::kDone, answer(), ""};
}

}  // namespace

void AddCompare(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "compare", "Every strategy on every input, as a table");
  auto args = std::make_shared<CompareArgs>();
  verb->add_option("INPUT", args->inputs,
                   "Traces (CSV), .tflite models, or folders of them; - for "
                   "standard input")
      ->required()
      ->type_name("");
  AddParsed(verb, "--strategies", "A,B,...",
            "Only these, in this order (default: all that can)",
            ParseStrategies, &args->strategies);
  AddKinds(verb, &args->kinds);
  AddAlignment(verb, &args->alignment);
  AddTraceOptions(verb, &args->trace);
  AddFormat(verb, &args->format);
  verb->footer("Example:\n  stowage compare data/traces");
  verb->callback(
      [action, args] { *action = [args] { return RunCompare(*args); }; });
}

}  // namespace stowage::cli
