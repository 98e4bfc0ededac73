// SPDX-License-Identifier: Apache-2.0
// stowage diff: compares two dumps of runs, tensor by tensor.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/cli/diff_report.h"
#include "src/cli/options.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"
#include "stowage/harness/compare_dumps.h"
#include "stowage/harness/dump.h"

namespace stowage::cli {
namespace {

using harness::TensorDifference;

// The dump that is not as the other, what is wrong with it, and what was
// expected.
std::string MismatchMessage(const DiffArgs& args,
                            const TensorDifference& difference) {
  using Verdict = TensorDifference::Verdict;
  std::string expected = absl::StrCat("no difference above ", args.tolerance);
  bool is_of_first = false;
  switch (difference.verdict) {
    case Verdict::kOnlyFirst:
    case Verdict::kOnlySecond:
      expected = "the inputs and outputs of both";
      is_of_first = difference.verdict == Verdict::kOnlySecond;
      break;
    case Verdict::kUnknown:
      expected = "the bytes in both";
      break;
    default:
      if (difference.reason.empty()) break;
      expected = "what the first dump has";
      break;
  }
  return absl::StrCat(OneLine(is_of_first ? args.first : args.second), ": ",
                      OneLine(harness::Describe(difference)), "; expected ",
                      expected, "\n");
}

Outcome RunDiff(const DiffArgs& args) {
  const auto first = harness::ReadDump(args.first);
  if (!first.ok()) {
    return Failure(ExitCode::kBadInput, first.status().message());
  }
  const auto second = harness::ReadDump(args.second);
  if (!second.ok()) {
    return Failure(ExitCode::kBadInput, second.status().message());
  }
  const std::vector<TensorDifference> differences =
      harness::CompareDumps(*first, *second, args.tolerance);
  const auto mismatch =
      std::find_if(differences.begin(), differences.end(),
                   [](const auto& d) { return d.is_mismatch(); });
  Outcome outcome;
  outcome.out = args.format == Format::kJson ? DiffJson(args, differences)
                                             : DiffText(differences);
  if (mismatch == differences.end()) return outcome;
  outcome.code = ExitCode::kRefuted;
  outcome.err = MismatchMessage(args, *mismatch);
  return outcome;
}

}  // namespace

void AddDiff(CLI::App* app, Action* action) {
  CLI::App* verb =
      app->add_subcommand("diff", "Compare two dumps of stowage run");
  auto args = std::make_shared<DiffArgs>();
  verb->add_option("FIRST", args->first, "A dump of stowage run: a folder")
      ->required()
      ->type_name("");
  verb->add_option("SECOND", args->second,
                   "Another, or a folder of recorded outputs")
      ->required()
      ->type_name("");
  AddParsed(verb, "--tolerance", "N",
            "The largest difference of two elements that passes: in steps for "
            "integers, absolute for floating point (default 0)",
            ParseTolerance, &args->tolerance);
  AddFormat(verb, &args->format);
  verb->footer(
      "Example:\n"
      "  stowage run data/models/residual_int8.tflite --dump planned\n"
      "  stowage run data/models/residual_int8.tflite --dump apart --strategy "
      "naive\n"
      "  stowage diff planned apart");
  verb->callback(
      [action, args] { *action = [args] { return RunDiff(*args); }; });
}

}  // namespace stowage::cli
