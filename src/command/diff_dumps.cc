// SPDX-License-Identifier: Apache-2.0
#include "src/command/diff_dumps.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "src/command/options.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/harness/compare_dumps.h"
#include "stowage/harness/dump.h"

namespace stowage::cli {
namespace {

using harness::TensorDifference;

// Returns a message that names the dump with the difference and says what is
// wrong with it and what was expected.
std::string MismatchMessage(const DumpDiffArgs& args,
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

}  // namespace

Outcome RunDumpDiff(const DumpDiffArgs& args) {
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

}  // namespace stowage::cli
