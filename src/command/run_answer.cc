// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/run_options.h"
#include "src/command/run_report.h"
#include "src/command/run_turns.h"
#include "src/command/text.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/memory_report.h"
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

Json ArenaJson(const harness::ArenaUse& use) {
  return {{"requested", use.requested},
          {"aligned", use.aligned},
          {"used", use.used}};
}

Json DelegateMemoryJson(const harness::AppliedDelegate& delegate) {
  Json memory = Json::array();
  for (const harness::DelegateMemory& part : delegate.memory) {
    memory.push_back({{"what", part.what}, {"bytes", part.bytes}});
  }
  return memory;
}

Json DelegatesJson(const std::vector<harness::AppliedDelegate>& delegates) {
  Json list = Json::array();
  for (const harness::AppliedDelegate& delegate : delegates) {
    Json partitions = Json::array();
    for (const harness::AppliedPartition& partition : delegate.partitions) {
      partitions.push_back({{"node", partition.node},
                            {"nodes", partition.nodes},
                            {"inputs", partition.inputs},
                            {"outputs", partition.outputs},
                            {"steps", partition.steps}});
    }
    Json entry = {{"name", delegate.name},
                  {"applied", delegate.status.ok()},
                  {"partitions", partitions},
                  {"workspace_bytes", delegate.workspace_bytes},
                  {"memory", DelegateMemoryJson(delegate)},
                  {"copies",
                   {{"from_buffers", delegate.copies.from_buffers},
                    {"to_buffers", delegate.copies.to_buffers}}}};
    if (!delegate.status.ok()) {
      entry["error"] = std::string(delegate.status.message());
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json ShadowedJson(const std::vector<harness::ShadowedOperator>& shadowed) {
  Json operators = Json::array();
  for (const harness::ShadowedOperator& op : shadowed) {
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
                         {"operator", entry.id},
                         {"step", entry.step},
                         {"type", entry.name},
                         {"runs", entry.runs},
                         {"total_micros", Micros(entry.total)},
                         {"shortest_micros", Micros(entry.shortest)}});
  }
  return operators;
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

// Describes what a delegate executes: "2 partitions, 12 of 14 operators, 1024
// bytes of workspace".
Value DelegateText(const AppliedDelegate& delegate, size_t operators) {
  if (!delegate.status.ok()) {
    return Phrase(delegate.name, ": left out: ", delegate.status.message());
  }
  size_t nodes = 0;
  size_t steps = 0;
  for (const AppliedPartition& partition : delegate.partitions) {
    nodes += partition.nodes.size();
    steps += partition.steps;
  }
  return Phrase(delegate.name, ": ",
                Count(delegate.partitions.size(), "partition"),
                steps == 0 ? "" : absl::StrCat(" of ", Count(steps, "step")),
                ", ", nodes, " of ", Count(operators, "operator"),
                ", workspace ", Size(delegate.workspace_bytes));
}

// Adds the sizes of the arena. For a run in the arena of a device.
void AddDevice(const RunReport& report, Answer* answer) {
  const harness::InterpreterOptions& plan = report.args->options.plan;
  const harness::MicroMemory& memory = *report.memory;
  answer->Add("strategy", "strategy",
              plan.strategy.empty() ? kMicroStrategy : plan.strategy);
  answer->Add("lifetimes", "lifetimes",
              std::string(LifetimeRulesName(plan.lifetimes)),
              LifetimeRulesName(LifetimeRules::kMicro));
  answer->Add("arena_size", "arena", Size(memory.arena_bytes()));
  answer->Add("required_size", "required", Size(memory.required_bytes()));
  answer->Add("head_size", "head", Size(memory.head_bytes()));
  answer->Add("tail_size", "tail", Size(memory.tail_bytes()));
}

// Adds the plan of a run on the host: its strategy, its rules and the sizes of
// its memory.
void AddHost(const RunReport& report, Answer* answer) {
  const RunResult& result = *report.result;
  const harness::InterpreterOptions& plan = report.args->options.plan;
  answer->Add("strategy", "strategy", result.strategy);
  answer->Add("lifetimes", "lifetimes", LifetimeRulesName(plan.lifetimes));
  if (plan.sharing != Sharing::kFixed) {
    answer->Add("sharing", "sharing", SharingName(plan.sharing));
    answer->Add("copies_avoided", "not copied", Size(result.copies_avoided));
  }
  answer->AddData("streams", result.streams);
  if (plan.streams != 1) answer->Say("streams", result.streams);
  answer->Add("arena_size", "arena", Size(result.arena_bytes));
  if (result.calls) {
    const size_t state = result.calls->state_bytes;
    const bool is_of_calls = state == 0 && result.calls->subgraphs.size() > 1;
    answer->Add("copied_bytes", "copied", result.calls->copied_bytes,
                Phrase(Size(result.calls->copied_bytes), " of ",
                       Size(result.calls->possible_bytes),
                       is_of_calls ? " between subgraphs" : "",
                       is_of_calls ? ", in one pass" : " in one pass"));
    answer->AddData("possible_copied_bytes", result.calls->possible_bytes);
    answer->AddData("subgraphs_in_arena", result.calls->subgraphs);
    if (state > 0) {
      answer->Add("state_bytes", "state", state,
                  Phrase(Size(state), " of variables, beside the arena"));
    }
  }
  if (result.arena_without_delegates) {
    const size_t without = *result.arena_without_delegates;
    answer->Add("arena_without_delegates", "undelegated", without,
                Phrase(Size(without),
                       result.arena_bytes > without
                           ? Phrase(": delegates make the arena grow by ",
                                    result.arena_bytes - without)
                           : Value()));
  }
  answer->Add("lower_bound", "lower bound", Size(result.lower_bound));
  answer->Say("ratio",
              RatioValue(Ratio(result.arena_bytes, result.lower_bound)));
  answer->Add("naive_size", "naive size", Size(result.naive_size));
  answer->Add("persistent_size", "persistent", Size(result.persistent_bytes));
}

// Adds the time of each operator and, for people only, the time of each type of
// operator.
void AddProfile(const harness::Profiler& profiler, Answer* answer) {
  answer->AddData("profile", ProfileJson(profiler));
  std::vector<std::vector<Value>> rows;
  const std::vector<harness::Profiler::Entry> entries = profiler.Operators();
  for (size_t i = 0; i < entries.size(); ++i) {
    const harness::Profiler::Entry& entry = entries[i];
    const bool has_steps =
        entry.step > 0 || (i + 1 < entries.size() && entries[i + 1].step == 1);
    rows.push_back(
        {Phrase(entry.subgraph == 0 ? "" : absl::StrCat(entry.subgraph, ":"),
                entry.id, has_steps ? absl::StrCat(" step ", entry.step) : ""),
         entry.name, entry.runs, Time(entry.total), Time(entry.shortest)});
  }
  for (const harness::Profiler::TypeEntry& entry : profiler.Types()) {
    rows.push_back({Count(entry.operators, "operator"), entry.name, entry.runs,
                    Time(entry.total), ""});
  }
  answer->AddTable(TableOf({"operator", "type", "runs>", "total>", "shortest>"},
                           std::move(rows)));
}

void AddResult(const RunReport& report, Answer* answer) {
  const RunArgs& args = *report.args;
  const RunResult& result = *report.result;
  if (!result.followers.empty()) {
    AddTurns(report, answer);
    if (report.profiler != nullptr) AddProfile(*report.profiler, answer);
    return;
  }
  answer->AddData("operators", result.operators);
  answer->AddData("execution_plan", result.execution_plan);
  answer->AddData("delegates", DelegatesJson(result.delegates));
  for (const AppliedDelegate& delegate : result.delegates) {
    answer->Say("delegate", DelegateText(delegate, result.operators));
  }
  if (report.memory != nullptr) {
    AddDevice(report, answer);
  } else {
    AddHost(report, answer);
  }
  answer->Add("invocations", "invocations", args.options.invocations);
  const Value times = TimesOf(result);
  answer->Add(
      "run_micros", "time", times.json,
      Phrase(times, args.options.repeat > 1
                        ? Phrase(", the median of ", args.options.repeat)
                        : Value()));
  for (const RunOutput& output : result.outputs) {
    answer->Say("output",
                Phrase(output.name, ": ", output.dtype, " ",
                       ShapeText(output.shape), ", sha256 ", output.sha256));
  }
  answer->AddData("outputs", OutputsJson(result));
  if (args.memory) {
    answer->AddData("memory", MemoryJson(result.memory));
    answer->AddParagraph(Lines(result.memory.Text()));
  }
  if (report.profiler != nullptr) AddProfile(*report.profiler, answer);
}

}  // namespace

Json CheckJson(const RunArgs& args, const harness::CheckReport& check) {
  Json json = {{"compared", args.check},
               {"poison", args.options.poison},
               {"touch_check", args.options.touch},
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

std::string CheckText(const RunArgs& args, const harness::CheckReport& check) {
  if (!check.is_safe()) return "UNSAFE";
  if (args.is_micro) return "outputs bit for bit as on the host";
  return absl::StrCat(
      args.check == "all" ? "every tensor" : "outputs",
      " bit for bit as without sharing",
      args.options.poison ? ", unused bytes poisoned" : "",
      args.options.touch ? ", no tensor touched by another" : "");
}

Json MemoryJson(const harness::MemoryReport& memory) {
  Json peak = Json::array();
  for (const harness::LiveTensor& tensor : memory.peak) {
    peak.push_back({{"tensor", tensor.tensor},
                    {"place", tensor.place},
                    {"bytes", tensor.bytes},
                    {"offset", tensor.offset}});
  }
  Json delegates = Json::array();
  for (const harness::AppliedDelegate& delegate : memory.delegates) {
    delegates.push_back({{"name", delegate.name},
                         {"workspace_bytes", delegate.workspace_bytes},
                         {"memory", DelegateMemoryJson(delegate)}});
  }
  return {{"alignment", memory.alignment},
          {"arena", ArenaJson(memory.arena)},
          {"persistent", ArenaJson(memory.persistent)},
          {"operator_data", memory.operator_data},
          {"metadata", memory.metadata},
          {"dynamic", memory.dynamic},
          {"delegates", delegates},
          {"constants", memory.constants},
          {"total", memory.Total()},
          {"peak_operator", memory.peak_operator},
          {"peak", peak}};
}

absl::Duration MedianOf(std::vector<absl::Duration> times) {
  std::sort(times.begin(), times.end());
  const size_t half = times.size() / 2;
  return times.size() % 2 == 1 ? times[half]
                               : (times[half - 1] + times[half]) / 2;
}

Value TimesOf(const RunResult& result) {
  Json times = Json::array();
  for (const absl::Duration time : result.times) times.push_back(Micros(time));
  return Value(std::move(times), Time(MedianOf(result.times)));
}

Json OutputsJson(const RunResult& result) {
  Json outputs = Json::array();
  for (const RunOutput& output : result.outputs) {
    outputs.push_back({{"name", output.name},
                       {"dtype", output.dtype},
                       {"shape", output.shape},
                       {"sha256", output.sha256}});
  }
  return outputs;
}

Answer RunAnswer(const RunReport& report) {
  const RunArgs& args = *report.args;
  Answer answer;
  if (args.models.size() > 1) {
    answer.Add("input", "input", absl::StrJoin(args.models, ", "));
  } else {
    answer.Add("input", "input", args.model, InputName(args.model));
  }
  if (!args.shadow.empty()) {
    answer.Add("shadowed", "shadowed", ShadowedJson(report.shadowed()),
               ShadowedText(report.shadowed()));
  }
  if (report.check) {
    answer.Add("check", "check", CheckJson(args, *report.check),
               CheckText(args, *report.check));
    if (!report.check->is_safe()) answer.SayLine(Lines(report.check->Text()));
  }
  if (report.result != nullptr) AddResult(report, &answer);
  return answer;
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
