// SPDX-License-Identifier: Apache-2.0
#include "src/cli/check_planner_options.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/cli/check_planner_report.h"
#include "src/cli/options.h"
#include "stowage/testing/check_planner.h"
#include "stowage/testing/families.h"

namespace stowage::cli {
namespace {

absl::StatusOr<std::vector<testing::Family>> ParseFamilies(
    absl::string_view names) {
  std::vector<testing::Family> families;
  for (const absl::string_view name : absl::StrSplit(names, ',')) {
    const absl::StatusOr<testing::Family> family = testing::FindFamily(name);
    if (!family.ok()) return family.status();
    families.push_back(*family);
  }
  return families;
}

absl::StatusOr<uint64_t> ParsePositive(absl::string_view text) {
  absl::StatusOr<uint64_t> number = ParseNumber(text);
  if (number.ok() && *number == 0) {
    return absl::InvalidArgumentError("expected 1 or more, not '0'");
  }
  return number;
}

absl::StatusOr<uint64_t> ParseJobs(absl::string_view text) {
  constexpr uint64_t kMost = 1024;
  absl::StatusOr<uint64_t> number = ParsePositive(text);
  if (number.ok() && *number > kMost) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected at most ", kMost, ", not '", text, "'"));
  }
  return number;
}

absl::StatusOr<absl::Duration> ParsePositiveTime(absl::string_view text) {
  absl::StatusOr<absl::Duration> time = ParseTime(text);
  if (time.ok() && *time == absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected more than 0, not '", text, "'"));
  }
  return time;
}

// Those of generated traces, which --replay has no use for.
void AddTraceOptions(CLI::App* verb, CLI::Option* replay,
                     testing::PlannerCheckOptions* options) {
  AddParsed(verb, "--traces", "N", "Traces to try (default 100)", ParsePositive,
            &options->traces)
      ->excludes(replay);
  AddParsed(verb, "--seed", "N",
            "What the traces are generated from (default 1)", ParseNumber,
            &options->seed)
      ->excludes(replay);
  AddParsed(verb, "--family", "A,B,...",
            "Only traces of these families (default: all alternate)",
            ParseFamilies, &options->families)
      ->excludes(replay);
  AddParsed(verb, "--max-alignment", "SIZE",
            "Alignments that traces may ask for: a power of two, 1 for none "
            "(default 128KiB)",
            ParseAlignment, &options->max_alignment)
      ->excludes(replay);
}

}  // namespace

void AddPlannerCheckOptions(CLI::App* verb, CheckedCommand* checked) {
  testing::PlannerCheckOptions* const options = &checked->options;
  AddValue(verb, "--command", "COMMAND",
           "The program with its arguments: {in} is the trace that it reads, "
           "{out} the plan file that it writes. Quotes as in a shell, but no "
           "shell reads it",
           [checked](const std::string& command) {
             checked->command = command;
             return absl::OkStatus();
           })
      ->required();
  AddKind(verb, &options->kind);
  CLI::Option* const replay = AddValue(
      verb, "--replay", "TRACE", "Try this trace alone, as found before",
      [checked](const std::string& path) {
        if (path.empty()) {
          return absl::InvalidArgumentError("expected a file, or -");
        }
        checked->replayed = path;
        return absl::OkStatus();
      });
  AddTraceOptions(verb, replay, options);
  verb->add_flag("--keep-going", options->keep_going,
                 "Check every property on every trace, whatever fails, and not "
                 "up to the first failure");
  AddParsed(verb, "--jobs", "N", "Runs of the program side by side (default 1)",
            ParseJobs, &options->jobs);
  AddParsed(verb, "--timeout", "TIME",
            "A run that takes longer has failed (default 10s)",
            ParsePositiveTime, &options->run_time_limit);
  AddParsed(verb, "--time-limit", "TIME",
            "End the check after this time, with what it has found (default: "
            "none)",
            ParsePositiveTime, &options->time_limit);
}

}  // namespace stowage::cli
