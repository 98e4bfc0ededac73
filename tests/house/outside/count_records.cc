// SPDX-License-Identifier: Apache-2.0
// Defines `stowage count-records`, a verb that is not part of the project.
// Build it with -DSTOWAGE_EXTRA_VERBS=<this file>.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "src/command/verb.h"
#include "stowage/io/problem_file.h"

namespace stowage::cli {
namespace {

Outcome CountRecords(const std::string& input) {
  const auto file = ReadProblemFile(input);
  if (!file.ok()) {
    return Failure(ExitCode::kBadInput, file.status().message());
  }
  return {ExitCode::kDone, absl::StrCat(file->problem.records.size(), "\n"),
          ""};
}

}  // namespace

void AddCountRecords(CLI::App* app, Action* action) {
  CLI::App* verb =
      app->add_subcommand("count-records", "How many records a trace has");
  auto input = std::make_shared<std::string>();
  verb->add_option("INPUT", *input, "A trace (CSV)")->required()->type_name("");
  verb->footer("Example:\n  stowage count-records data/traces/unet.csv");
  verb->callback(
      [action, input] { *action = [input] { return CountRecords(*input); }; });
}

}  // namespace stowage::cli
