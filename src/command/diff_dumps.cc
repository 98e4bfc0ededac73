// SPDX-License-Identifier: Apache-2.0
#include "src/command/diff_dumps.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "src/command/answer.h"
#include "src/command/json.h"
#include "src/command/options.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/harness/compare_dumps.h"
#include "stowage/harness/dump.h"

namespace stowage::cli {
namespace {

using harness::TensorDifference;

// Returns the largest difference, or the reason why the tensors differ.
Value Largest(const TensorDifference& difference) {
  if (!difference.reason.empty()) return difference.reason;
  if (difference.verdict == TensorDifference::Verdict::kEqual) return "0";
  if (difference.verdict == TensorDifference::Verdict::kUnknown) return "-";
  return absl::StrFormat("%.6g", difference.largest);
}

Json DifferenceJson(const TensorDifference& d) {
  Json entry = {{"role", d.role},
                {"invocation", d.invocation},
                {"tensor", d.tensor},
                {"name", d.name},
                {"dtype", d.dtype},
                {"verdict", std::string(harness::VerdictName(d.verdict))}};
  if (!d.reason.empty()) entry["reason"] = d.reason;
  if (d.elements > 0) {
    entry["largest"] = d.largest;
    entry["element"] = d.element;
    entry["different_elements"] = d.different_elements;
    entry["elements"] = d.elements;
  }
  return entry;
}

// Returns whether people see the tensor. Tensors other than outputs are listed
// only if they differ.
bool IsShown(const TensorDifference& d) {
  if (d.verdict == TensorDifference::Verdict::kEqual) return d.role == "output";
  const bool is_alone = d.verdict == TensorDifference::Verdict::kOnlyFirst ||
                        d.verdict == TensorDifference::Verdict::kOnlySecond;
  return !is_alone || d.is_mismatch();
}

Answer AnswerOf(const DumpDiffArgs& args,
                const std::vector<TensorDifference>& differences) {
  Answer answer;
  answer.AddData("first", args.first);
  answer.AddData("second", args.second);
  answer.AddData("tolerance", args.tolerance);
  answer.AddList("tensors", differences.size(), [&differences](size_t k) {
    return DifferenceJson(differences[k]);
  });
  std::vector<const TensorDifference*> shown;
  size_t equal = 0;
  for (const TensorDifference& d : differences) {
    if (d.verdict == TensorDifference::Verdict::kEqual) ++equal;
    if (IsShown(d)) shown.push_back(&d);
  }
  AnswerTable table;
  table.columns = {"tensor",   "role",     "type",      "verdict",
                   "largest>", "element>", "different>"};
  table.count = shown.size();
  table.row = [shown](size_t k) -> std::vector<Value> {
    const TensorDifference& d = *shown[k];
    return {Phrase("inv", d.invocation, " ", d.tensor, " ", d.name),
            d.role,
            d.dtype,
            harness::VerdictName(d.verdict),
            Largest(d),
            d.different_elements > 0 ? Value(d.element) : Nothing(),
            d.elements > 0 ? Phrase(d.different_elements, " of ", d.elements)
                           : Nothing()};
  };
  answer.AddTable(std::move(table));
  answer.AddParagraph(Phrase(Count(differences.size(), "tensor"), ", ", equal,
                             " equal bit for bit"));
  return answer;
}

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
  outcome.out = AnswerOf(args, differences).Render(args.format);
  if (mismatch == differences.end()) return outcome;
  outcome.code = ExitCode::kRefuted;
  outcome.err = MismatchMessage(args, *mismatch);
  return outcome;
}

}  // namespace stowage::cli
