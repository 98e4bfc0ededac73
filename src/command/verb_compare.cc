// SPDX-License-Identifier: Apache-2.0
// The verb `stowage compare`: runs every strategy on every input.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/compare.h"
#include "src/command/compare_inputs.h"
#include "src/command/inputs.h"
#include "src/command/interruption.h"
#include "src/command/options.h"
#include "src/command/pools.h"
#include "src/command/progress.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/problem.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

// The time limit is shorter than that of `stowage plan`, since a comparison
// runs many searches.
constexpr absl::Duration kCompareTimeLimit = absl::Milliseconds(100);

struct CompareArgs {
  std::vector<std::string> inputs;
  std::vector<std::string> strategies;  // all strategies run if it is empty
  std::vector<PlanKind> kinds = {PlanKind::kOffsets};
  absl::optional<size_t> alignment;
  absl::optional<size_t> capacity;
  PoolArgs pools;
  SearchArgs search;
  Format format = Format::kText;
  bool wide = false;
  InputOptions trace;
};

std::string FormatComparison(const CompareArgs& args,
                             const Comparison& comparison) {
  if (args.format == Format::kHtml) return CompareHtml(comparison);
  if (args.format != Format::kText) {
    return CompareAnswer(comparison).Render(args.format);
  }
  return CompareText(comparison, ScreenLimits(), args.wide);
}

// Returns the strategies to run. A strategy that cannot make plans of this kind
// is left out, because its column would be empty. If the user has named the
// strategy, however, it is kept, and its rows state why there are no plans.
std::vector<std::string> StrategiesFor(const CompareArgs& args, PlanKind kind) {
  if (!args.strategies.empty()) return args.strategies;
  std::vector<std::string> names;
  const Feature feature =
      kind == PlanKind::kOffsets ? Feature::kOffsets : Feature::kObjects;
  for (const Strategy* strategy : AllStrategies()) {
    const StrategyInfo& info = strategy->info();
    if (info.features.Has(feature)) names.push_back(info.name);
  }
  return names;
}

// Returns the first error of the arguments that can be detected before anything
// is read.
absl::Status CheckArgs(const CompareArgs& args,
                       const std::vector<std::string>& strategies) {
  if (absl::Status s = CheckStandardInput(args.inputs); !s.ok()) return s;
  if (args.wide && args.format != Format::kText) {
    return absl::InvalidArgumentError(
        "--wide: the format is not text; expected one of them");
  }
  if (absl::Status s = CheckAlignment(args.alignment, args.kinds); !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckPools(args.pools, args.capacity); !s.ok()) return s;
  return CheckSearchArgs(args.search, strategies);
}

// Applies the options that change the problem of an input.
absl::Status ApplyOptions(const CompareArgs& args, NamedFile* input) {
  ProblemSpec* const problem = &input->file.problem;
  if (args.capacity) problem->capacity = args.capacity;
  return ApplyPools(args.pools, input->path, problem);
}

bool HasUnsafePlan(const Comparison& comparison) {
  for (const ComparedInput& input : comparison.inputs) {
    for (const ComparedPlan& plan : input.plans) {
      if (plan.outcome == ComparedPlan::Outcome::kUnsafe) return true;
    }
  }
  return false;
}

// Returns the outcome, with a line on standard error for each input that could
// not be compared. A recorded plan that is unsafe is in the table, and the exit
// code says that there is one.
Outcome OutcomeOf(const CompareArgs& args, const Comparison& comparison) {
  Outcome outcome;
  if (HasUnsafePlan(comparison)) outcome.code = ExitCode::kRefuted;
  for (const FailedInput& failed : comparison.failed) {
    outcome.code = ExitCode::kBadInput;
    absl::StrAppend(&outcome.err, OneLine(failed.reason), "\n");
  }
  if (!comparison.inputs.empty()) {
    outcome.out = FormatComparison(args, comparison);
  }
  return outcome;
}

// For each kind of plan, sets `has_recorded` if any input has a recorded plan
// of this kind, so that recorded plans get a row of their own. Returns the
// number of rows of each input, which is the same for all inputs.
size_t AddRecorded(const std::vector<NamedFile>& files,
                   std::vector<KindToCompare>* kinds) {
  size_t rows = 0;
  for (KindToCompare& kind : *kinds) {
    kind.has_recorded =
        std::any_of(files.begin(), files.end(), [&kind](const NamedFile& file) {
          return HasRecordedPlan(file, kind.kind);
        });
    rows += kind.rows();
  }
  return rows;
}

Outcome RunCompare(const CompareArgs& args) {
  std::vector<KindToCompare> kinds;
  std::vector<std::string> strategies;
  for (const PlanKind kind : args.kinds) {
    kinds.push_back({kind, StrategiesFor(args, kind)});
    strategies.insert(strategies.end(), kinds.back().strategies.begin(),
                      kinds.back().strategies.end());
  }
  if (absl::Status s = CheckArgs(args, strategies); !s.ok()) {
    return Misuse("compare", s.message());
  }
  Comparison comparison = {
      {},
      args.kinds,
      SolveOptionsOf(args.search, kCompareTimeLimit),
      std::any_of(strategies.begin(), strategies.end(), IsSearch),
      args.capacity};
  InputReader reader(args.trace);
  std::vector<NamedFile> files =
      ReadAll(args.inputs, &reader, &comparison.failed);
  absl::Status usable = reader.CheckOptions();
  for (NamedFile& file : files) {
    if (usable.ok()) usable = ApplyOptions(args, &file);
  }
  if (!usable.ok()) return Misuse("compare", usable.message());
  const size_t rows_of_each = AddRecorded(files, &kinds);
  Progress progress(files.size() * rows_of_each);
  ComparedRows rows;
  const auto found = [&] {
    Comparison so_far = comparison;
    so_far.inputs = rows.WithRows(rows_of_each);
    return so_far;
  };
  const AbortGuard guard(
      {[&] { return FormatComparison(args, found()); }, nullptr});
  for (const NamedFile& file : files) {
    const absl::Status compared = CompareInput(
        file, args.alignment, kinds, comparison.solve, &progress, &rows);
    // An unsafe plan is an error of the strategy rather than of the input, so
    // the whole command fails.
    if (ExitCodeOf(compared) == ExitCode::kRefuted) {
      return Failure(ExitCode::kRefuted, compared.message());
    }
    if (!compared.ok()) {
      comparison.failed.push_back({file.path, std::string(compared.message())});
    }
    if (InterruptionRequested()) break;
  }
  BeginDelivery();
  return OutcomeOf(args, found());
}

}  // namespace

void AddCompare(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "compare", "Compare every strategy on every input, in a table");
  auto args = std::make_shared<CompareArgs>();
  AddInput(verb, "INPUT", &args->inputs,
           "Traces (CSV), problems or programs (JSON), .tflite models, "
           "recordings, or folders of traces and models; - for standard input");
  AddParsed(verb, "--strategies", "A,B,...",
            "Compare only these strategies (default: all that support the "
            "kind); the text lists the best first",
            ParseStrategies, &args->strategies);
  AddKinds(verb, &args->kinds);
  AddAlignment(verb, &args->alignment);
  AddParsed(verb, "--capacity", "SIZE",
            "Say which strategies have a plan of at most this many bytes",
            ParseSize, &args->capacity);
  AddPools(verb, &args->pools);
  AddSearchOptions(verb, kCompareTimeLimit, &args->search);
  AddRelax(verb, &args->search);
  AddTraceOptions(verb, &args->trace);
  verb->add_flag("--wide", args->wide,
                 "Text: print tables with every number, even if they are wider "
                 "than the terminal");
  AddFormat(verb, &args->format, {"text", "json", "csv", "markdown", "html"});
  verb->footer("Example:\n  stowage compare data/traces");
  verb->callback(
      [action, args] { *action = [args] { return RunCompare(*args); }; });
}

}  // namespace stowage::cli
