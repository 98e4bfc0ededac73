// SPDX-License-Identifier: Apache-2.0
#include "src/command/check_planner_report.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/command/answer.h"
#include "src/command/json.h"
#include "src/command/text.h"
#include "stowage/feature.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/testing/check_planner.h"
#include "stowage/testing/families.h"
#include "stowage/testing/shrink.h"
#include "stowage/testing/specs.h"

namespace stowage::cli {
namespace {

using testing::PlannerCheckReport;
using testing::PlannerFailure;
using testing::PropertyResult;

// Returns the text of a file that contains the problem. There is such a text
// for every problem on which a program is tested, since the program reads the
// problem from a file.
std::string FileOf(const ProblemSpec& spec) {
  const ProblemFile file = testing::ToFile(spec);
  return (testing::HasConstraints(spec) ? FormatProblemJson(file)
                                        : FormatProblemCsv(file))
      .value_or("");
}

// Returns "problem" if the failing input is a problem, and otherwise the name
// of the family that generated the failing trace.
std::string SourceName(const PlannerFailure& failure) {
  return testing::HasConstraints(failure.found)
             ? "problem"
             : std::string(testing::InfoOf(failure.family).name);
}

std::string VerdictText(const PropertyResult& property) {
  if (!property.status.ok()) return "FAILED";
  return property.traces > 0 ? "held" : "not checked";
}

// Returns what stopped the check before all traces were tried, or an empty
// string if all traces were tried.
std::string EndText(PlannerCheckReport::End end) {
  switch (end) {
    case PlannerCheckReport::End::kComplete:
      return "";
    case PlannerCheckReport::End::kFailure:
      return "first failure";
    case PlannerCheckReport::End::kTimeLimit:
      return "time limit";
    case PlannerCheckReport::End::kCancelled:
      return "interrupted";
  }
  return "";
}

// Returns whether the program fails on a trace that the property has derived
// from the smallest trace, rather than on the smallest trace itself.
bool IsChanged(const PlannerFailure& failure) {
  return FileOf(failure.asked) != FileOf(failure.smallest);
}

const std::string& FailedProperty(const PlannerCheckReport& report) {
  return report.properties[report.failure->property].name;
}

// Returns the limit that stopped shrinking early, or an empty string if no
// limit did.
std::string ShrinkLimitText(const CheckedCommand& checked,
                            const PlannerFailure& failure) {
  switch (failure.shrink_end) {
    case testing::ShrinkEnd::kAttempts:
      return Count(checked.options.max_shrinks, "attempt");
    case testing::ShrinkEnd::kTime:
      return absl::FormatDuration(testing::ShrinkTimeOf(checked.options));
    default:
      return "";
  }
}

// Returns a word of a command line in the form in which a shell accepts it: in
// quotes if the shell would otherwise interpret it.
std::string ShellWord(absl::string_view word) {
  constexpr absl::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-+=./,:@%";
  const bool is_plain = !word.empty() && word.find_first_not_of(kPlain) ==
                                             absl::string_view::npos;
  if (is_plain) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

// Returns the name of the file of the failing trace: the name given by the
// user, or a name under which to save the trace.
std::string FailingFileName(const CheckedCommand& checked,
                            const PlannerFailure& failure) {
  if (!checked.failing.empty() && checked.failing != "-") {
    return checked.failing;
  }
  return testing::HasConstraints(failure.asked) ? "failing.json"
                                                : "failing.csv";
}

// Returns the command that tries the failing trace again. `line_break` is
// inserted before --command, since the tested command may be long.
std::string ReplayCommand(const CheckedCommand& checked,
                          const PlannerFailure& failure,
                          absl::string_view line_break) {
  const testing::PlannerCheckOptions& options = checked.options;
  const testing::PlannerCheckOptions defaults;
  const std::string file = FailingFileName(checked, failure);
  std::string text =
      absl::StrCat("stowage check-planner --replay ", ShellWord(file));
  if (options.kind != defaults.kind) {
    absl::StrAppend(&text, " --kind ", PlanKindName(options.kind));
  }
  if (!options.claims.empty()) {
    absl::StrAppend(&text, " --claims ",
                    absl::StrJoin(options.claims.Names(), ","));
  }
  if (options.run_time_limit != defaults.run_time_limit) {
    absl::StrAppend(&text, " --timeout ",
                    absl::FormatDuration(options.run_time_limit));
  }
  if (options.serve) absl::StrAppend(&text, " --serve");
  return absl::StrCat(text, line_break, "--command ",
                      ShellWord(checked.command));
}

Json FailureJson(const CheckedCommand& checked,
                 const PlannerCheckReport& report) {
  const PlannerFailure& failure = *report.failure;
  Json json = {{"property", FailedProperty(report)},
               {"message", std::string(failure.status.message())}};
  if (checked.replayed.empty()) {
    json["family"] = SourceName(failure);
    json["trace"] = failure.trace;
  }
  json["found_records"] = failure.found.records.size();
  json["records"] = failure.asked.records.size();
  json["changed"] = IsChanged(failure);
  if (!ShrinkLimitText(checked, failure).empty()) {
    json["shrinking_ended_by"] =
        failure.shrink_end == testing::ShrinkEnd::kTime ? "time" : "attempts";
  }
  json[testing::HasConstraints(failure.asked) ? "problem" : "csv"] =
      FileOf(failure.asked);
  if (checked.replayed.empty()) {
    json["replay"] = ReplayCommand(checked, failure, " ");
  }
  return json;
}

void AddFailure(const CheckedCommand& checked, const PlannerCheckReport& report,
                Answer* answer) {
  const PlannerFailure& failure = *report.failure;
  const std::string& name = FailedProperty(report);
  const std::string records = Count(failure.smallest.records.size(), "record");
  answer->AddData("failure", FailureJson(checked, report));
  answer->AddParagraph(Phrase(name, " failed: ", failure.status.message()));
  if (checked.replayed.empty()) {
    answer->SayLine(Phrase("smallest failing trace: ", records, ", of ",
                           failure.found.records.size(), " in trace ",
                           failure.trace, " (", SourceName(failure), ")"));
    const std::string limit = ShrinkLimitText(checked, failure);
    if (!limit.empty()) {
      answer->SayLine(Phrase("shrinking ended at its limit of ", limit,
                             ": smaller traces may fail as well"));
    }
  } else {
    answer->SayLine(Phrase("failing trace: ", records));
  }
  if (!IsChanged(failure)) return;
  answer->SayLine(Phrase(
      "what it fails on: ", Count(failure.asked.records.size(), "record"),
      ", which ", name, " makes of that"));
}

// Returns the text in a form that XML permits. Replaces control characters by
// "?", because XML forbids them even in escaped form. Escapes the markup
// characters of XML.
std::string XmlText(absl::string_view text) {
  std::string clean(text);
  std::replace_if(
      clean.begin(), clean.end(),
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && c != '\n' && c != '\t';
      },
      '?');
  return absl::StrReplaceAll(
      clean, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

}  // namespace

std::string FailingTraceFile(const PlannerFailure& failure) {
  return FileOf(failure.asked);
}

std::string ReplayText(const CheckedCommand& checked,
                       const PlannerCheckReport& report) {
  if (!report.failure || !checked.replayed.empty()) return "";
  const bool is_written = !checked.failing.empty() && checked.failing != "-";
  return absl::StrCat(
      is_written
          ? "To try this trace again:\n"
          : absl::StrCat("To try this trace again, save it as ",
                         FailingFileName(checked, *report.failure), ":\n"),
      "  ", ReplayCommand(checked, *report.failure, " \\\n    "), "\n");
}

Answer CheckAnswer(const CheckedCommand& checked,
                   const PlannerCheckReport& report) {
  Answer answer;
  answer.Add("command", "command", checked.command);
  answer.Add("kind", "kind", PlanKindName(checked.options.kind));
  if (const FeatureSet claims = checked.options.claims; !claims.empty()) {
    answer.Add("claims", "claims", Words(claims.Names()));
  }
  if (checked.replayed.empty()) {
    answer.Say("traces", Phrase(report.traces, " of ", checked.options.traces));
    answer.Add("seed", "seed", checked.options.seed);
  } else {
    answer.Add("replayed", "replayed", checked.replayed);
  }
  answer.AddData("traces", report.traces);
  answer.Add("runs", "runs", report.runs);
  if (const std::string end = EndText(report.end); !end.empty()) {
    answer.Add("ended_by", "ended by", absl::StrReplaceAll(end, {{" ", "_"}}),
               end);
  }
  // Without a failure, nothing is known if the check was interrupted, or if the
  // program ran to completion (the first property, `ends`) on no trace.
  const bool is_known =
      report.failure || (report.end != PlannerCheckReport::End::kCancelled &&
                         report.properties.front().traces > 0);
  answer.AddData("passed", is_known ? Json(!report.failure) : Json(nullptr));
  AnswerTable table;
  table.columns = {"property=name", "verdict=verdict", "held on>held_on",
                   "what should hold", "=message"};
  table.count = report.properties.size();
  table.row = [&report](size_t k) -> std::vector<Value> {
    const PropertyResult& property = report.properties[k];
    const std::string verdict = VerdictText(property);
    return {property.name,
            {absl::AsciiStrToLower(verdict), verdict},
            property.traces,
            property.sentence,
            property.status.ok() ? Omitted() : property.status.message()};
  };
  answer.AddTable(std::move(table), "properties");
  if (report.failure) AddFailure(checked, report, &answer);
  return answer;
}

std::string CheckJunit(const CheckedCommand& checked,
                       const PlannerCheckReport& report) {
  size_t failures = 0;
  size_t skipped = 0;
  std::string cases;
  for (size_t i = 0; i < report.properties.size(); ++i) {
    const PropertyResult& property = report.properties[i];
    absl::StrAppend(&cases,
                    "    <testcase classname=\"stowage.check-planner\" ",
                    "name=\"", XmlText(property.name), "\"");
    if (property.status.ok() && property.traces > 0) {
      absl::StrAppend(&cases, "/>\n");
    } else if (property.status.ok()) {
      ++skipped;
      absl::StrAppend(&cases,
                      "><skipped message=\"not checked\"/></testcase>\n");
    } else {
      ++failures;
      const bool is_first = i == report.failure->property;
      absl::StrAppend(
          &cases, "><failure message=\"",
          XmlText(OneLine(is_first ? report.failure->status.message()
                                   : property.status.message())),
          "\">", XmlText(property.sentence), "\n",
          is_first ? XmlText(FileOf(report.failure->asked)) : "",
          "</failure></testcase>\n");
    }
  }
  return absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"",
      XmlText(OneLine(checked.command)), "\" tests=\"",
      report.properties.size(), "\" failures=\"", failures, "\" skipped=\"",
      skipped, "\">\n", cases, "  </testsuite>\n</testsuites>\n");
}

}  // namespace stowage::cli
