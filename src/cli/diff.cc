// SPDX-License-Identifier: Apache-2.0
// stowage diff: how far two runs of a model are apart.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "src/cli/json.h"
#include "src/cli/options.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"
#include "src/report/compare_dumps.h"
#include "src/report/dump.h"

namespace stowage::cli {
namespace {

using report::TensorDifference;
using Verdict = TensorDifference::Verdict;

struct DiffArgs {
  std::string first;
  std::string second;
  double tolerance = 0;
  Format format = Format::kText;
};

absl::StatusOr<double> ParseTolerance(absl::string_view text) {
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !(value >= 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "'; expected a number of 0 or more"));
  }
  return value;
}

absl::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kEqual:
      return "equal";
    case Verdict::kWithin:
      return "within";
    case Verdict::kBeyond:
      return "beyond";
    case Verdict::kUnknown:
      return "unknown";
    case Verdict::kOnlyFirst:
      return "missing";
    case Verdict::kOnlySecond:
      return "added";
  }
  return "";
}

// An intermediate may be kept in one folder and not in the other; what goes in
// and comes out may not.
bool Refutes(const TensorDifference& difference) {
  const bool is_io = difference.role == "input" || difference.role == "output";
  return difference.verdict == Verdict::kBeyond ||
         (is_io && (difference.verdict == Verdict::kUnknown ||
                    difference.verdict == Verdict::kOnlyFirst ||
                    difference.verdict == Verdict::kOnlySecond));
}

std::string Largest(const TensorDifference& difference) {
  if (!difference.reason.empty()) return difference.reason;
  if (difference.verdict == Verdict::kUnknown) return "-";
  return absl::StrFormat("%.6g", difference.largest);
}

std::string TextOf(const std::vector<TensorDifference>& differences) {
  Table table;
  for (const char* title : {"tensor", "role", "type", "verdict"}) {
    table.AddColumn(title, Table::Align::kLeft);
  }
  for (const char* title : {"largest", "element", "different"}) {
    table.AddColumn(title, Table::Align::kRight);
  }
  size_t equal = 0;
  size_t shown = 0;
  for (const TensorDifference& d : differences) {
    const bool is_equal = d.verdict == Verdict::kEqual;
    equal += is_equal ? 1 : 0;
    // Of tensors other than outputs, only those that differ.
    if (is_equal && d.role != "output") continue;
    const bool is_alone =
        d.verdict == Verdict::kOnlyFirst || d.verdict == Verdict::kOnlySecond;
    if (is_alone && !Refutes(d)) continue;
    ++shown;
    table.AddRow(
        {absl::StrCat("inv", d.invocation, " ", d.tensor, " ", OneLine(d.name)),
         d.role, d.dtype, std::string(VerdictName(d.verdict)),
         is_equal ? "0" : Largest(d),
         d.different_elements > 0 ? absl::StrCat(d.element) : "-",
         d.elements > 0 ? absl::StrCat(d.different_elements, " of ", d.elements)
                        : "-"});
  }
  return absl::StrCat(shown > 0 ? table.ToString() : "",
                      Count(differences.size(), "tensor"), ", ", equal,
                      " equal bit for bit\n");
}

std::string JsonOf(const DiffArgs& args,
                   const std::vector<TensorDifference>& differences) {
  Json tensors = Json::array();
  for (const TensorDifference& d : differences) {
    Json entry = {
        {"role", d.role},     {"invocation", d.invocation},
        {"tensor", d.tensor}, {"name", d.name},
        {"dtype", d.dtype},   {"verdict", std::string(VerdictName(d.verdict))}};
    if (!d.reason.empty()) entry["reason"] = d.reason;
    if (d.elements > 0) {
      entry["largest"] = d.largest;
      entry["element"] = d.element;
      entry["different_elements"] = d.different_elements;
      entry["elements"] = d.elements;
    }
    tensors.push_back(std::move(entry));
  }
  return Dump({{"first", args.first},
               {"second", args.second},
               {"tolerance", args.tolerance},
               {"tensors", tensors}});
}

Outcome RunDiff(const DiffArgs& args) {
  const auto first = report::ReadDump(args.first);
  if (!first.ok()) {
    return Failure(ExitCode::kBadInput, first.status().message());
  }
  const auto second = report::ReadDump(args.second);
  if (!second.ok()) {
    return Failure(ExitCode::kBadInput, second.status().message());
  }
  const std::vector<TensorDifference> differences =
      report::CompareDumps(*first, *second, args.tolerance);
  const TensorDifference* worst = nullptr;
  for (const TensorDifference& d : differences) {
    if (Refutes(d) && worst == nullptr) worst = &d;
  }
  Outcome outcome;
  outcome.out = args.format == Format::kJson ? JsonOf(args, differences)
                                             : TextOf(differences);
  if (worst == nullptr) return outcome;
  outcome.code = ExitCode::kRefuted;
  outcome.err = absl::StrCat(
      OneLine(args.first), ": ", worst->role, " ", worst->tensor, " \"",
      OneLine(worst->name), "\" of invocation ", worst->invocation, " is ",
      worst->verdict == Verdict::kBeyond
          ? absl::StrCat("beyond the tolerance of ", args.tolerance, ": ",
                         Largest(*worst))
          : absl::StrCat(VerdictName(worst->verdict), " in ",
                         OneLine(args.second)),
      "\n");
  return outcome;
}

}  // namespace

void AddDiff(CLI::App* app, Action* action) {
  CLI::App* verb =
      app->add_subcommand("diff", "How far two dumps of stowage run are apart");
  auto args = std::make_shared<DiffArgs>();
  verb->add_option("FIRST", args->first, "A folder that stowage run has dumped")
      ->required()
      ->type_name("");
  verb->add_option("SECOND", args->second,
                   "Another, or a folder of recorded outputs")
      ->required()
      ->type_name("");
  AddParsed(verb, "--tolerance", "N",
            "The largest difference of two elements that is no reason for exit "
            "1: in steps for integers, absolute for floating point (default 0)",
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
