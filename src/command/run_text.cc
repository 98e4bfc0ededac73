// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/command/inputs.h"
#include "src/command/layout.h"
#include "src/command/run_report.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/recorder.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"

namespace stowage::cli {
namespace {

using harness::AppliedDelegate;
using harness::AppliedPartition;
using harness::CheckReport;
using harness::RunOutput;
using harness::RunResult;

absl::Duration Median(std::vector<absl::Duration> times) {
  std::sort(times.begin(), times.end());
  const size_t half = times.size() / 2;
  return times.size() % 2 == 1 ? times[half]
                               : (times[half - 1] + times[half]) / 2;
}

std::string CheckText(const RunArgs& args, const CheckReport& check) {
  if (!check.is_safe()) return "UNSAFE";
  if (args.is_micro) return "outputs bit for bit as on the host";
  return absl::StrCat(
      args.check == "all" ? "every tensor" : "outputs",
      " bit for bit as without sharing",
      args.options.poison ? ", unused bytes poisoned" : "",
      args.options.touch ? ", no tensor touched by another" : "");
}

std::string ProfileText(const harness::Profiler& profiler) {
  Table table;
  table.AddColumn("operator", Table::Align::kLeft);
  table.AddColumn("type", Table::Align::kLeft);
  for (const char* title : {"runs", "total", "shortest"}) {
    table.AddColumn(title, Table::Align::kRight);
  }
  const std::vector<harness::Profiler::Entry> entries = profiler.Operators();
  for (size_t i = 0; i < entries.size(); ++i) {
    const harness::Profiler::Entry& entry = entries[i];
    const std::string subgraph =
        entry.subgraph == 0 ? "" : absl::StrCat(entry.subgraph, ":");
    const bool has_steps =
        entry.step > 0 || (i + 1 < entries.size() && entries[i + 1].step == 1);
    const std::string step =
        has_steps ? absl::StrCat(" step ", entry.step) : "";
    table.AddRow({absl::StrCat(subgraph, entry.id, step), OneLine(entry.name),
                  absl::StrCat(entry.runs), FormatTime(entry.total),
                  FormatTime(entry.shortest)});
  }
  for (const harness::Profiler::TypeEntry& entry : profiler.Types()) {
    table.AddRow({Count(entry.operators, "operator"), OneLine(entry.name),
                  absl::StrCat(entry.runs), FormatTime(entry.total), ""});
  }
  return table.ToText(ScreenLimits());
}

// Lists the shadowed operators: "2 CUSTOM SignalFramer, 1 RFFT2D".
std::string ShadowedText(
    const std::vector<harness::ShadowedOperator>& shadowed) {
  std::map<std::string, size_t> counts;
  for (const harness::ShadowedOperator& op : shadowed) ++counts[op.name];
  std::string text;
  for (const auto& [name, count] : counts) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ", OneLine(name));
  }
  return text.empty() ? "none" : text;
}

// Describes what a delegate has taken over: "2 partitions, 12 of 14 operators,
// 1024 bytes of workspace".
std::string DelegateText(const AppliedDelegate& delegate, size_t operators) {
  if (!delegate.status.ok()) {
    return absl::StrCat(OneLine(delegate.name),
                        ": left out: ", OneLine(delegate.status.message()));
  }
  size_t nodes = 0;
  size_t steps = 0;
  for (const AppliedPartition& partition : delegate.partitions) {
    nodes += partition.nodes.size();
    steps += partition.steps;
  }
  return absl::StrCat(
      OneLine(delegate.name), ": ",
      Count(delegate.partitions.size(), "partition"),
      steps == 0 ? "" : absl::StrCat(" of ", Count(steps, "step")), ", ", nodes,
      " of ", Count(operators, "operator"), ", workspace ",
      FormatBytes(delegate.workspace_bytes));
}

std::string DelegatesText(const RunResult& result) {
  std::string text;
  for (const AppliedDelegate& delegate : result.delegates) {
    absl::StrAppend(
        &text, Field("delegate", DelegateText(delegate, result.operators)));
  }
  return text;
}

// Returns the size of the arena, and its size without delegates.
std::string ArenaText(const RunResult& result) {
  std::string text = Field("arena", FormatBytes(result.arena_bytes));
  if (!result.arena_without_delegates) return text;
  const size_t without = *result.arena_without_delegates;
  const std::string growth =
      result.arena_bytes > without
          ? absl::StrCat(": delegates make the arena grow by ",
                         result.arena_bytes - without)
          : "";
  return absl::StrCat(
      text, Field("undelegated", absl::StrCat(FormatBytes(without), growth)));
}

// Describes the arena of a device. Replaces the description of the plan on the
// host.
std::string DeviceText(const RunArgs& args,
                       const harness::MicroMemory& memory) {
  const std::string& strategy = args.options.plan.strategy;
  return absl::StrCat(
      Field("strategy", strategy.empty() ? kMicroStrategy : strategy),
      Field("lifetimes", LifetimeRulesName(LifetimeRules::kMicro)),
      Field("arena", FormatBytes(memory.arena_bytes())),
      Field("required", FormatBytes(memory.required_bytes())),
      Field("head", FormatBytes(memory.head_bytes())),
      Field("tail", FormatBytes(memory.tail_bytes())));
}

// Returns the text about sharing in place, which is empty under the fixed rule.
std::string SharingText(const RunArgs& args, const RunResult& result) {
  const Sharing sharing = args.options.plan.sharing;
  if (sharing == Sharing::kFixed) return "";
  return absl::StrCat(Field("sharing", SharingName(sharing)),
                      Field("not copied", FormatBytes(result.copies_avoided)));
}

std::string HostText(const RunArgs& args, const RunResult& result) {
  return absl::StrCat(
      DelegatesText(result),
      args.options.plan.streams == 1
          ? ""
          : Field("streams", absl::StrCat(result.streams)),
      Field("strategy", result.strategy),
      Field("lifetimes", LifetimeRulesName(args.options.plan.lifetimes)),
      SharingText(args, result), ArenaText(result),
      Field("lower bound", FormatBytes(result.lower_bound)),
      Field("ratio",
            FormatRatio(Ratio(result.arena_bytes, result.lower_bound))),
      Field("naive size", FormatBytes(result.naive_size)),
      Field("persistent", FormatBytes(result.persistent_bytes)));
}

std::string ResultText(const RunReport& report) {
  const RunArgs& args = *report.args;
  const RunResult& result = *report.result;
  std::string text = absl::StrCat(
      report.memory != nullptr ? DeviceText(args, *report.memory)
                               : HostText(args, result),
      Field("invocations", absl::StrCat(args.options.invocations)),
      Field("time", absl::StrCat(FormatTime(Median(result.times)),
                                 args.options.repeat > 1
                                     ? absl::StrCat(", the median of ",
                                                    args.options.repeat)
                                     : "")));
  for (const RunOutput& output : result.outputs) {
    absl::StrAppend(
        &text,
        Field("output", absl::StrCat(OneLine(output.name), ": ", output.dtype,
                                     " ", ShapeText(output.shape), ", sha256 ",
                                     output.sha256)));
  }
  return text;
}

}  // namespace

std::string RunText(const RunReport& report) {
  const RunArgs& args = *report.args;
  std::string text = Field("input", OneLine(InputName(args.model)));
  if (!args.shadow.empty()) {
    absl::StrAppend(&text, Field("shadowed", ShadowedText(report.shadowed())));
  }
  if (report.check) {
    absl::StrAppend(&text, Field("check", CheckText(args, *report.check)));
    if (!report.check->is_safe()) absl::StrAppend(&text, report.check->Text());
  }
  if (report.result == nullptr) return FitScreen(text);
  absl::StrAppend(&text, ResultText(report));
  if (args.memory) absl::StrAppend(&text, "\n", report.result->memory.Text());
  if (report.profiler != nullptr) {
    absl::StrAppend(&text, "\n", ProfileText(*report.profiler));
  }
  return FitScreen(text);
}

std::string UnsafeMessage(const RunReport& report) {
  const CheckReport& check = *report.check;
  const std::string what = !check.finding.ok()
                               ? std::string(check.finding.message())
                               : check.difference->text;
  return absl::StrCat(OneLine(InputName(report.args->model)),
                      ": unsafe: ", OneLine(what), "\n");
}

}  // namespace stowage::cli
