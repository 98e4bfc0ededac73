// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "src/command/interruption.h"
#include "src/command/options.h"
#include "stowage/registry.h"
#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

constexpr uint64_t kMaxThreads = 1024;

absl::StatusOr<size_t> ParseThreads(absl::string_view text) {
  const absl::StatusOr<uint64_t> threads = ParseNumber(text);
  if (!threads.ok()) return threads.status();
  if (*threads == 0 || *threads > kMaxThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "'; expected 1 to ", kMaxThreads));
  }
  return *threads;
}

}  // namespace

void AddSearchLimits(CLI::App* verb, const std::string& default_limit,
                     SearchArgs* args) {
  AddParsed(verb, "--time-limit", "TIME",
            absl::StrCat("Stop a search after this time (default ",
                         default_limit, ")"),
            ParseTime, &args->time_limit);
  AddParsed(verb, "--nodes", "N",
            "Stop a search after this many nodes instead, which makes the plan "
            "the same on every machine",
            ParseNumber, &args->nodes)
      ->excludes("--time-limit");
}

// Every strategy accepts --seed and --threads. If a strategy does not search,
// these options do not change its plan.
void AddSearchOptions(CLI::App* verb, absl::Duration default_limit,
                      SearchArgs* args) {
  AddSearchLimits(verb, absl::FormatDuration(default_limit), args);
  AddParsed(verb, "--seed", "N", "Seed of searches (default 1)", ParseNumber,
            &args->seed);
  AddParsed(verb, "--threads", "N",
            "Number of threads of searches (default: one on each core)",
            ParseThreads, &args->threads);
}

void AddRelax(CLI::App* verb, SearchArgs* args) {
  AddChoice(verb, "--relax", {{"hull", true}},
            "For a strategy without streams or groups: plan streams as one "
            "sequence, and a group as one record of its extent. The plan is "
            "safe but may be larger than necessary, and is never optimal",
            &args->relax);
}

SolveOptions SolveOptionsOf(const SearchArgs& args,
                            absl::Duration default_limit) {
  SolveOptions options;
  options.node_budget = args.nodes;
  options.time_limit_ns =
      args.nodes
          ? kNoTimeLimit
          : absl::ToInt64Nanoseconds(args.time_limit.value_or(default_limit));
  options.seed = args.seed;
  options.threads = args.threads;
  options.relax_to_boxes = args.relax;
  static InterruptionObserver observer;
  options.observer = &observer;
  return options;
}

bool IsSearch(absl::string_view strategy) {
  const absl::StatusOr<const Strategy*> found = FindStrategy(strategy);
  return found.ok() && (*found)->info().is_search;
}

absl::Status CheckSearchArgs(const SearchArgs& args,
                             absl::Span<const std::string> strategies) {
  if (std::any_of(strategies.begin(), strategies.end(), IsSearch)) {
    return absl::OkStatus();
  }
  for (const auto& [is_given, option] :
       {std::pair(args.time_limit.has_value(), "--time-limit"),
        std::pair(args.nodes.has_value(), "--nodes")}) {
    if (!is_given) continue;
    return absl::UnimplementedError(
        absl::StrCat(option, ": strategy '", strategies.front(),
                     "' ends by itself; expected one that searches"));
  }
  return absl::OkStatus();
}

}  // namespace stowage::cli
