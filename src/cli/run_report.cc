// SPDX-License-Identifier: Apache-2.0
#include "src/cli/run_report.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/cli/inputs.h"
#include "src/cli/json.h"
#include "src/cli/text.h"
#include "src/report/run_model.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/memory_report.h"
#include "stowage/harness/recorder.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"

namespace stowage::cli {
namespace {

using harness::CheckReport;
using harness::MemoryReport;
using report::RunOutput;
using report::RunResult;

// The middle one, or the mean of the two in the middle.
absl::Duration Median(std::vector<absl::Duration> times) {
  std::sort(times.begin(), times.end());
  const size_t half = times.size() / 2;
  return times.size() % 2 == 1 ? times[half]
                               : (times[half - 1] + times[half]) / 2;
}

std::string CheckText(const RunArgs& args, const CheckReport& check) {
  if (!check.is_safe()) return "UNSAFE";
  return absl::StrCat(args.check == "all" ? "every tensor" : "outputs",
                      " bit for bit as without sharing",
                      args.poison ? ", dead bytes poisoned" : "",
                      args.touch ? ", no tensor touched by another" : "");
}

std::string ProfileText(const harness::Profiler& profiler) {
  Table table;
  table.AddColumn("operator", Table::Align::kLeft);
  table.AddColumn("type", Table::Align::kLeft);
  for (const char* title : {"runs", "total", "shortest"}) {
    table.AddColumn(title, Table::Align::kRight);
  }
  for (const harness::Profiler::Entry& entry : profiler.Operators()) {
    table.AddRow({entry.subgraph == 0
                      ? absl::StrCat(entry.node)
                      : absl::StrCat(entry.subgraph, ":", entry.node),
                  OneLine(entry.name), absl::StrCat(entry.runs),
                  FormatTime(entry.total), FormatTime(entry.shortest)});
  }
  for (const harness::Profiler::TypeEntry& entry : profiler.Types()) {
    table.AddRow({Count(entry.operators, "operator"), OneLine(entry.name),
                  absl::StrCat(entry.runs), FormatTime(entry.total), ""});
  }
  return table.ToString();
}

using harness::ShadowedOperator;

// Of the run, or of the check if that has said no.
const std::vector<ShadowedOperator>& ShadowedOf(const RunStory& story) {
  return story.result != nullptr ? story.result->shadowed
                                 : story.check->shadowed;
}

// "2 CUSTOM SignalFramer, 1 RFFT2D".
std::string ShadowedText(const std::vector<ShadowedOperator>& shadowed) {
  std::map<std::string, size_t> counts;
  for (const ShadowedOperator& op : shadowed) ++counts[op.name];
  std::string text;
  for (const auto& [name, count] : counts) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ", OneLine(name));
  }
  return text.empty() ? "none" : text;
}

std::string ResultText(const RunArgs& args, const RunResult& result) {
  std::string text = absl::StrCat(
      Field("strategy", result.strategy),
      Field("lifetimes", LifetimeRulesName(args.interpreter.lifetimes)),
      Field("arena", FormatBytes(result.arena_bytes)),
      Field("lower bound", FormatBytes(result.lower_bound)),
      Field("ratio",
            FormatRatio(Ratio(result.arena_bytes, result.lower_bound))),
      Field("naive size", FormatBytes(result.naive_size)),
      Field("persistent", FormatBytes(result.persistent_bytes)),
      Field("invocations", absl::StrCat(args.invocations)),
      Field("time",
            absl::StrCat(FormatTime(Median(result.times)),
                         args.repeat > 1
                             ? absl::StrCat(", the median of ", args.repeat)
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

std::string TextOf(const RunStory& story) {
  const RunArgs& args = *story.args;
  std::string text = Field("input", OneLine(InputName(args.model)));
  if (!args.shadow.empty()) {
    absl::StrAppend(&text, Field("shadowed", ShadowedText(ShadowedOf(story))));
  }
  if (story.check) {
    absl::StrAppend(&text, Field("check", CheckText(args, *story.check)));
    if (!story.check->is_safe()) absl::StrAppend(&text, story.check->Text());
  }
  if (story.result == nullptr) return text;
  absl::StrAppend(&text, ResultText(args, *story.result));
  if (args.memory) absl::StrAppend(&text, "\n", story.result->memory.Text());
  if (story.profiler != nullptr) {
    absl::StrAppend(&text, "\n", ProfileText(*story.profiler));
  }
  return text;
}

Json ArenaJson(const harness::ArenaUse& use) {
  return {{"requested", use.requested},
          {"aligned", use.aligned},
          {"used", use.used}};
}

Json MemoryJson(const MemoryReport& memory) {
  Json peak = Json::array();
  for (const harness::LiveTensor& tensor : memory.peak) {
    peak.push_back({{"tensor", tensor.tensor},
                    {"place", tensor.place},
                    {"bytes", tensor.bytes},
                    {"offset", tensor.offset}});
  }
  return {{"alignment", memory.alignment},
          {"arena", ArenaJson(memory.arena)},
          {"persistent", ArenaJson(memory.persistent)},
          {"operator_data", memory.operator_data},
          {"metadata", memory.metadata},
          {"dynamic", memory.dynamic},
          {"constants", memory.constants},
          {"total", memory.Total()},
          {"peak_operator", memory.peak_operator},
          {"peak", peak}};
}

Json CheckJson(const RunArgs& args, const CheckReport& check) {
  Json json = {{"compared", args.check},
               {"poison", args.poison},
               {"touch_check", args.touch},
               {"safe", check.is_safe()}};
  if (!check.finding.ok()) {
    json["finding"] = std::string(check.finding.message());
    json["without_sharing"] = check.is_without_sharing;
  }
  if (check.difference) json["difference"] = check.difference->text;
  if (check.bisection) {
    Json pairs = Json::array();
    for (const harness::SharingPair& pair : check.bisection->pairs) {
      pairs.push_back({{"first_tensor", pair.first_tensor},
                       {"second_tensor", pair.second_tensor},
                       {"begin", pair.begin},
                       {"end", pair.end},
                       {"text", pair.text}});
    }
    json["sharing"] = pairs;
  }
  return json;
}

Json ShadowedJson(const std::vector<ShadowedOperator>& shadowed) {
  Json operators = Json::array();
  for (const ShadowedOperator& op : shadowed) {
    operators.push_back({{"subgraph", op.subgraph},
                         {"operator", op.node},
                         {"name", op.name},
                         {"reason", op.reason}});
  }
  return operators;
}

Json ProfileJson(const harness::Profiler& profiler) {
  Json operators = Json::array();
  for (const harness::Profiler::Entry& entry : profiler.Operators()) {
    operators.push_back({{"subgraph", entry.subgraph},
                         {"operator", entry.node},
                         {"type", entry.name},
                         {"runs", entry.runs},
                         {"total_micros", Micros(entry.total)},
                         {"shortest_micros", Micros(entry.shortest)}});
  }
  return operators;
}

std::string JsonOf(const RunStory& story) {
  const RunArgs& args = *story.args;
  Json document = {{"input", args.model}};
  if (!args.shadow.empty()) {
    document["shadowed"] = ShadowedJson(ShadowedOf(story));
  }
  if (story.check) document["check"] = CheckJson(args, *story.check);
  if (story.result == nullptr) return Dump(document);
  const RunResult& result = *story.result;
  document["strategy"] = result.strategy;
  document["lifetimes"] =
      std::string(LifetimeRulesName(args.interpreter.lifetimes));
  document["arena_size"] = result.arena_bytes;
  document["lower_bound"] = result.lower_bound;
  document["naive_size"] = result.naive_size;
  document["persistent_size"] = result.persistent_bytes;
  document["invocations"] = args.invocations;
  document["run_micros"] = Json::array();
  for (const absl::Duration time : result.times) {
    document["run_micros"].push_back(Micros(time));
  }
  document["outputs"] = Json::array();
  for (const RunOutput& output : result.outputs) {
    document["outputs"].push_back({{"name", output.name},
                                   {"dtype", output.dtype},
                                   {"shape", output.shape},
                                   {"sha256", output.sha256}});
  }
  if (args.memory) document["memory"] = MemoryJson(result.memory);
  if (story.profiler != nullptr) {
    document["profile"] = ProfileJson(*story.profiler);
  }
  return Dump(document);
}

}  // namespace

std::string Tell(const RunStory& story) {
  return story.args->format == Format::kJson ? JsonOf(story) : TextOf(story);
}

std::string UnsafeMessage(const RunStory& story) {
  const CheckReport& check = *story.check;
  const std::string what = !check.finding.ok()
                               ? std::string(check.finding.message())
                               : check.difference->text;
  return absl::StrCat(OneLine(InputName(story.args->model)),
                      ": unsafe: ", OneLine(what), "\n");
}

}  // namespace stowage::cli
