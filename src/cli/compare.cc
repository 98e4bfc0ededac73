// SPDX-License-Identifier: Apache-2.0
// stowage compare: every strategy on every input.
#include "src/cli/compare.h"

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
#include "src/cli/compare_inputs.h"
#include "src/cli/inputs.h"
#include "src/cli/interruption.h"
#include "src/cli/options.h"
#include "src/cli/pools.h"
#include "src/cli/progress.h"
#include "src/cli/screen.h"
#include "src/cli/verb.h"
#include "stowage/problem.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

// Less than that of plan, for there are many.
constexpr absl::Duration kCompareTimeLimit = absl::Milliseconds(100);

enum class CompareFormat { kText, kJson, kCsv, kMarkdown, kHtml };

struct CompareArgs {
  std::vector<std::string> inputs;
  std::vector<std::string> strategies;  // empty: all of them
  std::vector<PlanKind> kinds = {PlanKind::kOffsets};
  absl::optional<size_t> alignment;
  PoolArgs pools;
  SearchArgs search;
  CompareFormat format = CompareFormat::kText;
  bool wide = false;
  InputOptions trace;
};

void AddCompareFormat(CLI::App* verb, CompareFormat* format) {
  AddValue(
      verb, "--format", "text|json|csv|markdown|html",
      "text fits the terminal, html is a page with a table that can be "
      "sorted; one document on standard output, nothing else there",
      [format](const std::string& value) {
        if (value == "text") {
          *format = CompareFormat::kText;
        } else if (value == "json") {
          *format = CompareFormat::kJson;
        } else if (value == "csv") {
          *format = CompareFormat::kCsv;
        } else if (value == "markdown") {
          *format = CompareFormat::kMarkdown;
        } else if (value == "html") {
          *format = CompareFormat::kHtml;
        } else {
          return absl::InvalidArgumentError(absl::StrCat(
              "'", value, "'; expected text, json, csv, markdown or html"));
        }
        return absl::OkStatus();
      });
}

std::string FormatComparison(const CompareArgs& args,
                             const Comparison& comparison) {
  switch (args.format) {
    case CompareFormat::kJson:
      return CompareJson(comparison);
    case CompareFormat::kCsv:
      return CompareCsv(comparison);
    case CompareFormat::kMarkdown:
      return CompareMarkdown(comparison);
    case CompareFormat::kHtml:
      return CompareHtml(comparison);
    case CompareFormat::kText:
      break;
  }
  if (args.wide) return CompareWide(comparison);
  return CompareText(comparison, ScreenLimits());
}

// A strategy that cannot plan a kind would be an empty column: it is there only
// if it was named, to hear why.
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

Outcome RunCompare(const CompareArgs& args) {
  std::vector<KindToCompare> kinds;
  size_t rows_of_each = 0;
  std::vector<std::string> strategies;
  for (const PlanKind kind : args.kinds) {
    kinds.push_back({kind, StrategiesFor(args, kind)});
    rows_of_each += kinds.back().strategies.size();
    strategies.insert(strategies.end(), kinds.back().strategies.begin(),
                      kinds.back().strategies.end());
  }
  absl::Status status = CheckStandardInput(args.inputs);
  if (status.ok() && args.wide && args.format != CompareFormat::kText) {
    status = absl::InvalidArgumentError(
        "--wide: the format is not text; expected one of them");
  }
  if (status.ok()) status = CheckPools(args.pools);
  if (status.ok()) status = CheckSearchArgs(args.search, strategies);
  if (!status.ok()) {
    return Misuse("compare", status.message());
  }
  std::string errors;
  std::vector<NamedTrace> traces = ReadAll(args.inputs, args.trace, &errors);
  if (!errors.empty()) return {ExitCode::kBadInput, "", errors};
  for (NamedTrace& trace : traces) {
    status = ApplyPools(args.pools, trace.path, &trace.trace);
    if (!status.ok()) return Misuse("compare", status.message());
  }
  Progress progress(traces.size() * rows_of_each);
  Comparison comparison = {
      {},
      args.kinds,
      SolveOptionsOf(args.search, kCompareTimeLimit),
      std::any_of(strategies.begin(), strategies.end(), IsSearch)};
  ComparedRows rows;
  const auto answer = [&] {
    Comparison found = comparison;
    found.inputs = rows.WithRows(rows_of_each);
    return FormatComparison(args, found);
  };
  const AbortGuard guard({answer, nullptr});
  for (const NamedTrace& trace : traces) {
    const absl::Status compared = CompareInput(
        trace, args.alignment, kinds, comparison.solve, &progress, &rows);
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
  verb->add_option(
          "INPUT", args->inputs,
          "Traces (CSV), problems (JSON), .tflite models, or folders of "
          "traces and models; - for standard input")
      ->required()
      ->type_name("");
  AddParsed(verb, "--strategies", "A,B,...",
            "Only these, in this order (default: all that support the kind)",
            ParseStrategies, &args->strategies);
  AddKinds(verb, &args->kinds);
  AddAlignment(verb, &args->alignment);
  AddPools(verb, &args->pools);
  AddSearchOptions(verb, kCompareTimeLimit, &args->search);
  AddRelax(verb, &args->search);
  AddTraceOptions(verb, &args->trace);
  verb->add_flag("--wide", args->wide,
                 "Text: tables with every number, as wide as they are");
  AddCompareFormat(verb, &args->format);
  verb->footer("Example:\n  stowage compare data/traces");
  verb->callback(
      [action, args] { *action = [args] { return RunCompare(*args); }; });
}

}  // namespace stowage::cli
