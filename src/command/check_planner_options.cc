// SPDX-License-Identifier: Apache-2.0
#include "src/command/check_planner_options.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/command/check_planner_report.h"
#include "src/command/options.h"
#include "stowage/feature.h"
#include "stowage/testing/check_planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/random_problems.h"

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

absl::StatusOr<FeatureSet> ParseClaims(absl::string_view names) {
  FeatureSet claims;
  for (const absl::string_view name : absl::StrSplit(names, ',')) {
    const FeatureSet before = claims;
    for (const Feature feature : kAllFeatures) {
      if (FeatureName(feature) == name &&
          testing::kConstraintFeatures.Has(feature)) {
        claims.Add(feature);
      }
    }
    if (claims != before) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("'", name, "'; expected some of ",
                     absl::StrJoin(testing::kConstraintFeatures.Names(), ", "),
                     ", each once"));
  }
  return claims;
}

absl::StatusOr<uint64_t> ParseJobs(absl::string_view text) {
  constexpr uint64_t kMax = 1024;
  absl::StatusOr<uint64_t> number = ParsePositive(text);
  if (number.ok() && *number > kMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "'; expected at most ", kMax));
  }
  return number;
}

absl::StatusOr<absl::Duration> ParsePositiveTime(absl::string_view text) {
  absl::StatusOr<absl::Duration> time = ParseTime(text);
  if (time.ok() && *time == absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "'; expected more than 0"));
  }
  return time;
}

// Adds the options for generated traces, none of which can be combined with
// --replay.
void AddTraceOptions(CLI::App* verb, CLI::Option* replay,
                     testing::PlannerCheckOptions* options) {
  AddParsed(verb, "--traces", "N", "Traces to generate (default 100)",
            ParsePositive, &options->traces)
      ->excludes(replay);
  AddParsed(verb, "--seed", "N", "Seed of the generated traces (default 1)",
            ParseNumber, &options->seed)
      ->excludes(replay);
  AddParsed(verb, "--family", "A,B,...",
            "Generate only traces of these families (default: all in turn)",
            ParseFamilies, &options->families)
      ->excludes(replay);
  AddParsed(verb, "--max-alignment", "SIZE",
            "Largest alignment in traces, a power of two; with 1, traces have "
            "no alignments (default 128KiB)",
            ParseAlignment, &options->max_alignment)
      ->excludes(replay);
}

void AddReports(CLI::App* verb, CheckPlannerArgs* args) {
  AddOutput(verb, "FAILING.csv",
            "Write the smallest failing trace here, if there is one; - for "
            "standard output",
            &args->checked.failing);
  AddValue(verb, "--junit", "FILE", "Write the report as JUnit XML, too",
           [args](const std::string& path) {
             args->junit = path;
             if (!path.empty() && path != "-") return absl::OkStatus();
             return absl::InvalidArgumentError(
                 absl::StrCat("'", path, "'; expected the name of a file"));
           });
  AddFormat(verb, &args->format);
}

}  // namespace

void AddCheckPlannerOptions(CLI::App* verb, CheckPlannerArgs* args) {
  CheckedCommand* const checked = &args->checked;
  testing::PlannerCheckOptions* const options = &checked->options;
  AddText(verb, "--command", "COMMAND",
          "The planner with its arguments: {in} is the trace to read, {out} "
          "the plan file to write. The command is split into words as a shell "
          "does it, but no shell is run",
          &checked->command)
      ->required();
  verb->add_flag("--serve", options->serve,
                 "Start the planner once, without {in} and {out}. It prints "
                 "the line \"ready\". Then, for each run, it reads a line from "
                 "standard input with the names of both files, separated by a "
                 "tab, and answers with a line that has the exit code");
  AddKind(verb, &options->kind);
  AddParsed(verb, "--claims", "A,B,...",
            "What the planner supports besides alignments: fixed_offsets, "
            "places, groups, apart, pools, partial_order (default: none). If "
            "any is given, the planner is run on problem files, too",
            ParseClaims, &options->claims);
  CLI::Option* const replay = AddValue(
      verb, "--replay", "TRACE", "Try only this trace, which -o has written",
      [checked](const std::string& path) {
        if (path.empty()) {
          return absl::InvalidArgumentError(
              "''; expected the name of a file, or -");
        }
        checked->replayed = path;
        return absl::OkStatus();
      });
  AddTraceOptions(verb, replay, options);
  verb->add_flag("--keep-going", options->keep_going,
                 "Check every property on every trace, instead of stopping at "
                 "the first failure");
  AddParsed(verb, "--jobs", "N", "Runs of the planner in parallel (default 1)",
            ParseJobs, &options->jobs);
  AddParsed(verb, "--timeout", "TIME",
            "Time limit of one run of the planner (default 10s)",
            ParsePositiveTime, &options->run_time_limit);
  AddParsed(verb, "--time-limit", "TIME",
            "Time limit of the whole check, which then reports what it has "
            "found (default none)",
            ParsePositiveTime, &options->time_limit);
  AddReports(verb, args);
}

}  // namespace stowage::cli
