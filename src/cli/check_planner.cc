// stowage check-planner: does a planner of somebody else's hold what planners
// must?
#include "src/program/check_planner.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/cli/interruption.h"
#include "src/cli/json.h"
#include "src/cli/options.h"
#include "src/cli/progress.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"
#include "src/program/child_process.h"
#include "src/program/command_words.h"
#include "src/program/program_planner.h"
#include "stowage/planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/instance.h"
#include "stowage/trace.h"

namespace stowage::cli {
namespace {

using program::CheckFailure;
using program::CheckReport;
using program::PropertyVerdict;

struct CheckPlannerArgs {
  std::string command;
  std::vector<std::string> words;
  program::ChildLimits limits;
  program::CheckOptions check;
  std::string output;
  Format format = Format::kText;
};

// Shrinking a planner that hangs takes this many timeouts, and no longer.
constexpr int kShrinkTimeouts = 10;

absl::string_view NameOf(testing::Family family) {
  return testing::InfoOf(family).name;
}

std::string VerdictText(const PropertyVerdict& verdict) {
  if (!verdict.status.ok()) return "FAILED";
  return verdict.traces > 0 ? "held" : "not checked";
}

// The trace to attach to a report. Programs are asked nothing that no file
// holds.
std::string CsvOf(const testing::Instance& instance) {
  return FormatTraceCsv(testing::ToTrace(instance)).value_or("");
}

// Whether the program fails on what the property makes of the smallest trace.
bool IsChanged(const CheckFailure& failure) {
  return CsvOf(failure.asked) != CsvOf(failure.smallest);
}

std::string FailureText(const CheckReport& report) {
  const CheckFailure& failure = *report.failure;
  const std::string& name = report.verdicts[failure.verdict].name;
  std::string text =
      absl::StrCat("\n", name, " failed: ", OneLine(failure.status.message()),
                   "\n\nsmallest failing trace: ",
                   Count(failure.smallest.records.size(), "record"), ", of ",
                   failure.found.records.size(), " in trace ", failure.trace,
                   " (", NameOf(failure.family), ")\n");
  if (IsChanged(failure)) {
    absl::StrAppend(&text, "what it fails on: ",
                    Count(failure.asked.records.size(), "record"), ", which ",
                    name, " makes of that\n");
  }
  return text;
}

std::string TextOf(const CheckPlannerArgs& args, const CheckReport& report) {
  Table table;
  table.AddColumn("property", Table::Align::kLeft);
  table.AddColumn("verdict", Table::Align::kLeft);
  table.AddColumn("held on", Table::Align::kRight);
  table.AddColumn("what should hold", Table::Align::kLeft);
  for (const PropertyVerdict& verdict : report.verdicts) {
    table.AddRow({verdict.name, VerdictText(verdict),
                  absl::StrCat(verdict.traces), verdict.sentence});
  }
  std::string text = absl::StrCat(
      Field("command", OneLine(args.command)),
      Field("kind", PlanKindName(args.check.kind)),
      Field("traces", absl::StrCat(report.traces, " of ", args.check.traces)),
      Field("seed", absl::StrCat(args.check.seed)),
      Field("runs", absl::StrCat(report.runs)), "\n", table.ToString());
  if (report.failure) absl::StrAppend(&text, FailureText(report));
  return text;
}

Json FailureJson(const CheckReport& report) {
  const CheckFailure& failure = *report.failure;
  return {{"property", report.verdicts[failure.verdict].name},
          {"message", std::string(failure.status.message())},
          {"family", std::string(NameOf(failure.family))},
          {"trace", failure.trace},
          {"found_records", failure.found.records.size()},
          {"records", failure.asked.records.size()},
          {"changed", IsChanged(failure)},
          {"csv", CsvOf(failure.asked)}};
}

std::string JsonOf(const CheckPlannerArgs& args, const CheckReport& report) {
  Json document = {{"command", args.command},
                   {"kind", std::string(PlanKindName(args.check.kind))},
                   {"seed", args.check.seed},
                   {"traces", report.traces},
                   {"runs", report.runs},
                   {"passed", !report.failure},
                   {"properties", Json::array()}};
  for (const PropertyVerdict& verdict : report.verdicts) {
    Json entry = {{"name", verdict.name},
                  {"verdict", absl::AsciiStrToLower(VerdictText(verdict))},
                  {"held_on", verdict.traces}};
    if (!verdict.status.ok()) {
      entry["message"] = std::string(verdict.status.message());
    }
    document["properties"].push_back(std::move(entry));
  }
  if (report.failure) document["failure"] = FailureJson(report);
  return Dump(document);
}

// The trace is in the report even if it is in a file as well: who has waited
// for it does not lose it to a wrong path.
Outcome Deliver(const CheckPlannerArgs& args, const CheckReport& report) {
  const bool is_json = args.format == Format::kJson;
  Outcome outcome;
  outcome.out = is_json ? JsonOf(args, report) : TextOf(args, report);
  if (!report.failure) return outcome;
  outcome.code = ExitCode::kRefuted;
  const std::string csv = CsvOf(report.failure->asked);
  if (args.output == "-") return {outcome.code, csv, outcome.out};
  if (!is_json) absl::StrAppend(&outcome.out, "\n", csv);
  if (args.output.empty()) return outcome;
  if (absl::Status status = WriteFile(args.output, csv); !status.ok()) {
    outcome.code = ExitCode::kBadInput;
    outcome.err = absl::StrCat(OneLine(status.message()), "\n");
  }
  return outcome;
}

Outcome Misuse(const absl::Status& status) {
  return Failure(ExitCode::kMisuse,
                 absl::StrCat("stowage check-planner: ", status.message()));
}

Outcome RunCheckPlanner(const CheckPlannerArgs& args) {
  if (args.output == "-" && args.format == Format::kJson) {
    return Misuse(absl::InvalidArgumentError(
        "'-o -' writes the trace to standard output, where --format json wants "
        "to be alone"));
  }
  // All that goes on from here stops within moments.
  BeginDelivery();
  program::ChildLimits limits = args.limits;
  limits.stop = &InterruptionRequested();
  absl::StatusOr<program::ProgramPlanner> planner =
      program::ProgramPlanner::Create(args.words, limits);
  if (!planner.ok()) {
    return absl::IsInvalidArgument(planner.status())
               ? Misuse(planner.status())
               : Failure(ExitCode::kBadInput, planner.status().message());
  }
  const CleanUp clean_up([&] { planner->Abandon(); });
  Progress progress(args.check.traces + 1);
  program::CheckOptions options = args.check;
  options.stop = &InterruptionRequested();
  options.shrink_time = kShrinkTimeouts * args.limits.timeout;
  options.begin = [&](size_t trace) {
    progress.Begin(trace < options.traces ? absl::StrCat("trace ", trace)
                                          : "shrinking");
  };
  const absl::StatusOr<CheckReport> report =
      program::CheckProgram(&*planner, options);
  if (!report.ok()) {
    return Failure(ExitCode::kBadInput, report.status().message());
  }
  return Deliver(args, *report);
}

absl::Status ReadFamilies(const std::string& names,
                          std::vector<testing::Family>* families) {
  families->clear();
  for (const absl::string_view name : absl::StrSplit(names, ',')) {
    const absl::StatusOr<testing::Family> family = testing::FindFamily(name);
    if (!family.ok()) return family.status();
    families->push_back(*family);
  }
  return absl::OkStatus();
}

absl::Status ReadCount(const std::string& text, size_t* count) {
  const absl::StatusOr<uint64_t> number = ParseNumber(text);
  if (!number.ok()) return number.status();
  if (*number == 0) {
    return absl::InvalidArgumentError("expected 1 or more, not '0'");
  }
  *count = *number;
  return absl::OkStatus();
}

absl::StatusOr<absl::Duration> ReadTimeout(absl::string_view text) {
  absl::StatusOr<absl::Duration> time = ParseTime(text);
  if (time.ok() && *time == absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected more than 0, not '", text, "'"));
  }
  return time;
}

void AddOptions(CLI::App* verb, CheckPlannerArgs* args) {
  AddValue(verb, "--command", "COMMAND",
           "The program with its arguments: {in} is the trace that it reads, "
           "{out} the plan file that it writes. Quotes as in a shell, but no "
           "shell reads it",
           [args](const std::string& command) {
             args->command = command;
             auto words = program::SplitCommand(command);
             if (!words.ok()) return words.status();
             args->words = *std::move(words);
             return absl::OkStatus();
           })
      ->required();
  AddKind(verb, &args->check.kind);
  AddValue(verb, "--traces", "N", "Traces to try (default 100)",
           [args](const std::string& text) {
             return ReadCount(text, &args->check.traces);
           });
  AddParsed(verb, "--seed", "N", "What the traces are drawn from (default 1)",
            ParseNumber, &args->check.seed);
  AddValue(verb, "--family", "A,B,...",
           "Only traces of these families (default: all in turn)",
           [args](const std::string& names) {
             return ReadFamilies(names, &args->check.families);
           });
  AddParsed(verb, "--max-alignment", "SIZE",
            "Alignments that traces may ask for: a power of two, 1 for none "
            "(default 128KiB)",
            ParseAlignment, &args->check.max_alignment);
  AddParsed(verb, "--timeout", "TIME",
            "A run that takes longer has failed (default 10s)", ReadTimeout,
            &args->limits.timeout);
  AddOutput(verb, "FAILING.csv",
            "Write the trace that it fails on here, if there is one; - for "
            "standard output",
            &args->output);
  AddFormat(verb, &args->format);
}

}  // namespace

void AddCheckPlanner(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "check-planner", "Tests another program that plans, on traces made up");
  auto args = std::make_shared<CheckPlannerArgs>();
  AddOptions(verb, args.get());
  verb->footer(
      "Exit code 77 of the program: it does not claim to do that.\n"
      "\n"
      "Example:\n"
      "  stowage check-planner --traces 5 --command \\\n"
      "    'stowage plan {in} --strategy greedy_by_size -o {out}'");
  verb->callback(
      [action, args] { *action = [args] { return RunCheckPlanner(*args); }; });
}

}  // namespace stowage::cli
