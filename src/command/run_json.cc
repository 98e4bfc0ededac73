// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "src/command/json.h"
#include "src/command/run_options.h"
#include "src/command/run_report.h"
#include "src/command/text.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/memory_report.h"
#include "stowage/harness/recorder.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/lifetimes.h"

namespace stowage::cli {
namespace {

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

// Adds the plan of the run: its strategy, its rules and the sizes of the arena.
void AddPlanJson(const RunReport& report, Json* document) {
  const harness::RunResult& result = *report.result;
  const harness::InterpreterOptions& plan = report.args->options.plan;
  const bool is_device = report.memory != nullptr;
  (*document)["strategy"] = !is_device              ? result.strategy
                            : plan.strategy.empty() ? kMicroStrategy
                                                    : plan.strategy;
  (*document)["lifetimes"] = std::string(LifetimeRulesName(plan.lifetimes));
  if (is_device) {
    (*document)["arena_size"] = report.memory->arena_bytes();
    (*document)["required_size"] = report.memory->required_bytes();
    (*document)["head_size"] = report.memory->head_bytes();
    (*document)["tail_size"] = report.memory->tail_bytes();
    return;
  }
  if (plan.sharing != Sharing::kFixed) {
    (*document)["sharing"] = std::string(SharingName(plan.sharing));
    (*document)["copies_avoided"] = result.copies_avoided;
  }
  (*document)["streams"] = result.streams;
  (*document)["arena_size"] = result.arena_bytes;
  if (result.arena_without_delegates) {
    (*document)["arena_without_delegates"] = *result.arena_without_delegates;
  }
  (*document)["lower_bound"] = result.lower_bound;
  (*document)["naive_size"] = result.naive_size;
  (*document)["persistent_size"] = result.persistent_bytes;
}

}  // namespace

std::string RunJson(const RunReport& report) {
  const RunArgs& args = *report.args;
  Json document = {{"input", args.model}};
  if (!args.shadow.empty()) {
    document["shadowed"] = ShadowedJson(report.shadowed());
  }
  if (report.check) document["check"] = CheckJson(args, *report.check);
  if (report.result == nullptr) return Dump(document);
  const harness::RunResult& result = *report.result;
  document["operators"] = result.operators;
  document["execution_plan"] = result.execution_plan;
  document["delegates"] = DelegatesJson(result.delegates);
  AddPlanJson(report, &document);
  document["invocations"] = args.options.invocations;
  document["run_micros"] = Json::array();
  for (const absl::Duration time : result.times) {
    document["run_micros"].push_back(Micros(time));
  }
  document["outputs"] = Json::array();
  for (const harness::RunOutput& output : result.outputs) {
    document["outputs"].push_back({{"name", output.name},
                                   {"dtype", output.dtype},
                                   {"shape", output.shape},
                                   {"sha256", output.sha256}});
  }
  if (args.memory) document["memory"] = MemoryJson(result.memory);
  if (report.profiler != nullptr) {
    document["profile"] = ProfileJson(*report.profiler);
  }
  return Dump(document);
}

}  // namespace stowage::cli
