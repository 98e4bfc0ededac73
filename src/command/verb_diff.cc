// SPDX-License-Identifier: Apache-2.0
// The verb `stowage diff`: shows the changes between two dumps of runs, or
// between two plans, traces or models.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "src/command/answer.h"
#include "src/command/diff_plans.h"
#include "src/command/growth_limit.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/options.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/explain/plan_diff.h"
#include "stowage/harness/compare_dumps.h"
#include "stowage/harness/dump.h"

namespace stowage::cli {
namespace {

using harness::TensorDifference;

constexpr absl::Duration kRevertTimeLimit = absl::Seconds(1);

struct DiffArgs {
  double tolerance = 0;
  PlanDiffArgs plans;
};

// Returns whether the input is a dump, that is, a folder. No other kind of
// input is a folder.
bool IsDump(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

// Returns the first given option that does not apply to these inputs, or an
// empty string if all options apply.
std::string MisplacedOption(const CLI::App& verb, bool is_of_dumps) {
  for (const CLI::Option* option : verb.get_options()) {
    const std::string& name = option->get_name();
    if (option->count() == 0 || !absl::StartsWith(name, "--")) continue;
    const bool is_for_dumps = name == "--tolerance" || name == "--format";
    const bool is_for_plans = name != "--tolerance";
    if (is_of_dumps ? !is_for_dumps : !is_for_plans) return name;
  }
  return "";
}

struct DumpDiffArgs {
  std::string first;
  std::string second;
  double tolerance = 0;
  Format format = Format::kText;
};

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

// Returns whether people see the tensor. Tensors other than outputs are shown
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

// Returns a message that names the dump with the difference and states what is
// wrong with this dump and what was expected.
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

Outcome RunDumpDiff(const DumpDiffArgs& args) {
  const auto first = harness::ReadDump(args.first);
  if (!first.ok()) return BadInput(first.status());
  const auto second = harness::ReadDump(args.second);
  if (!second.ok()) return BadInput(second.status());
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

Outcome RunDiff(const DiffArgs& args, const std::string& of_dumps_alone,
                const std::string& of_plans_alone) {
  const PlanDiffArgs& plans = args.plans;
  if (!IsDump(plans.old_path) && !IsDump(plans.new_path)) {
    if (!of_dumps_alone.empty()) {
      return Misuse(
          "diff",
          absl::StrCat(of_dumps_alone,
                       ": applies only to dumps; expected two folders"));
    }
    if (!plans.marker.empty() && plans.format != Format::kMarkdown) {
      return Misuse(
          "diff",
          "--name: has no effect without a marker; expected --format markdown");
    }
    const absl::Status once =
        CheckStandardInput({plans.old_path, plans.new_path});
    if (!once.ok()) return Misuse("diff", once.message());
    return RunPlanDiff(plans);
  }
  if (!of_plans_alone.empty() || plans.format == Format::kMarkdown) {
    return Misuse("diff",
                  absl::StrCat(of_plans_alone.empty() ? "--format markdown"
                                                      : of_plans_alone,
                               ": applies only to plans; expected two files"));
  }
  DumpDiffArgs dumps;
  dumps.first = plans.old_path;
  dumps.second = plans.new_path;
  dumps.tolerance = args.tolerance;
  dumps.format = plans.format;
  return RunDumpDiff(dumps);
}

void AddLimits(CLI::App* verb, PlanDiffArgs* args) {
  AddParsed(verb, "--fail-above", "LIMIT",
            "Plans: exit code 1 if the total grows by more than this, as in "
            "5%, 64KiB or 0",
            ParseGrowthLimit, &args->fail_above);
  AddParsed(verb, "--quiet-below", "LIMIT",
            "Plans: print nothing if the total changes by less than this",
            ParseGrowthLimit, &args->quiet_below);
}

void AddPlanOptions(CLI::App* verb, PlanDiffArgs* args) {
  AddChoice(verb, "--match",
            {{"id", views::MatchBy::kId}, {"name", views::MatchBy::kName}},
            "Plans: how to find which tensors are the same (default: by name, "
            "then by operator and shape; by id if a trace has none of these)",
            &args->match);
  AddParsed(verb, "--strategy", "NAME",
            "Plans: the strategy for inputs without a plan, and for NEW with "
            "each change reverted alone (default greedy_by_size, or one that "
            "supports the inputs)",
            ParseStrategy, &args->strategy);
  AddKind(verb, &args->kind);
  AddParsed(verb, "--top", "N",
            "Plans: number of rows of the table, and of changes that are "
            "reverted (default 10)",
            ParseNumber, &args->top);
  AddLimits(verb, args);
  AddText(verb, "--name", "NAME",
          "Plans: NAME in the hidden first line of Markdown, <!-- stowage:NAME "
          "--> (default: the name of NEW)",
          &args->marker);
  AddSearchOptions(verb, kRevertTimeLimit, &args->search);
  AddRelax(verb, &args->search);
  AddTraceOptions(verb, &args->trace);
}

}  // namespace

void AddDiff(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "diff", "Compare two dumps of runs, or two plans, traces or models");
  auto args = std::make_shared<DiffArgs>();
  AddInput(verb, "OLD", &args->plans.old_path,
           "A plan, trace, problem, program, model or recording; or a folder "
           "with a dump of stowage run");
  AddInput(verb, "NEW", &args->plans.new_path,
           "What to compare with OLD: another of these inputs, or another dump "
           "or folder of recorded outputs");
  AddParsed(verb, "--tolerance", "N",
            "Dumps: the largest difference of two elements that passes: in "
            "steps for integers, absolute for floating point (default 0)",
            ParseTolerance, &args->tolerance);
  AddPlanOptions(verb, &args->plans);
  AddFormat(verb, &args->plans.format, {"text", "json", "markdown"});
  verb->footer(
      "Example:\n"
      "  stowage diff data/traces/unet.csv "
      "data/traces/unet_plus_plus.csv");
  verb->callback([action, args, verb] {
    args->plans.has_kind = verb->count("--kind") > 0;
    const std::string of_dumps = MisplacedOption(*verb, false);
    const std::string of_plans = MisplacedOption(*verb, true);
    *action = [args, of_dumps, of_plans] {
      return RunDiff(*args, of_dumps, of_plans);
    };
  });
}

}  // namespace stowage::cli
