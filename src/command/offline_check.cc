// SPDX-License-Identifier: Apache-2.0
// The verb `stowage offline check`: checks whether the plan in a model is
// sound.
#include "stowage/tflm/offline_check.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/notes.h"
#include "src/command/offline_options.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/shape_options.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage::cli {
namespace {

struct OfflineCheckArgs {
  std::string model;
  OfflineCheckOptions options;
  Format format = Format::kText;
  std::vector<OptionLimit> limits;
  ShapeArgs shapes;  // only is_strict is set
};

size_t GivenCount(const OfflineVerdict& verdict) {
  return static_cast<size_t>(absl::c_count_if(
      verdict.buffers,
      [](const OfflineBuffer& buffer) { return buffer.given.has_value(); }));
}

Json BufferJson(const Model& model, const OfflineBuffer& buffer) {
  const MicroBuffer& micro = buffer.buffer;
  Json json = {{"subgraph", micro.subgraph}};
  if (micro.tensor == kAbsent) {
    json["scratch_of"] = micro.op;
  } else {
    json["tensor"] = micro.tensor;
    json["name"] = model.subgraphs()[micro.subgraph].tensors[micro.tensor].name;
  }
  json["offset"] = buffer.given ? Json(*buffer.given) : Json(buffer.offset);
  json["size"] = micro.record.tensor_size;
  json["first_task"] = micro.record.first_task;
  json["last_task"] = micro.record.last_task;
  return json;
}

Json ViolationsJson(const Model& model, const OfflineVerdict& verdict,
                    const std::vector<OfflineViolation>& violations) {
  Json list = Json::array();
  for (const OfflineViolation& violation : violations) {
    Json tensors = Json::array();
    tensors.push_back(BufferJson(model, verdict.buffers[violation.first]));
    Json json = {{"kind", std::string(OfflineViolationName(violation.kind))}};
    if (violation.second != kAbsent) {
      tensors.push_back(BufferJson(model, verdict.buffers[violation.second]));
      json["task"] = violation.task;
      json["begin"] = violation.begin;
      json["end"] = violation.end;
    }
    json["tensors"] = tensors;
    json["message"] = Describe(model, verdict, violation);
    list.push_back(json);
  }
  return list;
}

// Returns a sentence that states whether the plan in the model is sound. If the
// model has no plan, the sentence states how many buffers the device places.
Value SentenceOf(const Model& model, bool has_plan,
                 const OfflineVerdict& verdict) {
  const Value name = model.name();
  const std::string buffers = Count(verdict.buffers.size(), "buffer");
  const Value given =
      Phrase("offsets for ", GivenCount(verdict), " of ", buffers);
  if (!verdict.violations.empty()) {
    const bool all = verdict.violations.size() < kMaxViolations;
    return Phrase(name, ": not sound: ", all ? "" : "at least ",
                  Count(verdict.violations.size(), "violation"));
  }
  if (!verdict.undecided.empty()) {
    return Phrase(name,
                  ": undecided: ", Count(verdict.undecided.size(), "overlap"),
                  " that only custom operators could notice, ", given);
  }
  return has_plan ? Phrase(name, ": sound: ", given)
                  : Phrase(name, ": no plan: the device places ", buffers);
}

Answer AnswerOf(const OfflineCheckArgs& args, const Model& model, bool has_plan,
                const OfflineVerdict& verdict) {
  const absl::optional<size_t>& head = verdict.head_bytes;
  Answer answer;
  answer.AddData("input", args.model);
  answer.AddData("plan", has_plan);
  answer.AddData("buffers", verdict.buffers.size());
  answer.AddData("given", GivenCount(verdict));
  answer.AddData("verdict", std::string(OfflineVerdictName(verdict)));
  answer.AddData("sound", verdict.is_sound());
  answer.SayLine(SentenceOf(model, has_plan, verdict));
  answer.AddData("head_bytes", head ? Json(*head) : Json());
  for (const OfflineViolation& violation : verdict.violations) {
    answer.SayLine(Phrase("  ", Describe(model, verdict, violation)));
  }
  if (verdict.violations.empty()) {
    answer.Say("head", Size(head.value_or(0)));
    SayOverlaps(model, verdict, &answer);
  }
  answer.AddData("violations",
                 ViolationsJson(model, verdict, verdict.violations));
  answer.AddData("allowed", ViolationsJson(model, verdict, verdict.allowed));
  answer.AddData("undecided",
                 ViolationsJson(model, verdict, verdict.undecided));
  return answer;
}

Outcome RunCheck(const OfflineCheckArgs& args) {
  const auto model = ReadDeviceModel(args.model, args.shapes, false);
  if (!model.ok()) return BadInput(model.status());
  const absl::Status effects = CheckEffects(
      args.limits, {{args.model, InputKind::kModel, model->get()}});
  if (!effects.ok()) return Misuse("offline check", effects.message());
  const absl::StatusOr<absl::optional<OfflinePlan>> plan =
      ReadOfflinePlan((*model)->bytes(), (*model)->name());
  if (!plan.ok()) return BadInput(plan.status());
  const absl::StatusOr<OfflineVerdict> verdict =
      CheckOfflinePlan(**model, *plan, args.options);
  if (!verdict.ok()) return BadInput(verdict.status());
  const bool has_plan = plan->has_value();
  if (has_plan) AddNote(args.model, OfflinePlanNote(**plan));
  return {verdict->violations.empty() ? ExitCode::kDone : ExitCode::kRefuted,
          AnswerOf(args, **model, has_plan, *verdict).Render(args.format), ""};
}

}  // namespace

void AddOfflineCheck(CLI::App* offline, Action* action) {
  CLI::App* verb =
      offline->add_subcommand("check",
                              "Check whether the plan inside a model is sound, "
                              "and print the size of the head");
  auto args = std::make_shared<OfflineCheckArgs>();
  AddModel(verb, &args->model);
  AddParsed(verb, "--capacity", "SIZE",
            "Maximum bytes of the head (default 1GiB)", ParseSize,
            &args->options.capacity);
  AddCustomOverlap(verb, &args->options.allow_custom_overlap, &args->limits);
  AddStrict(verb, &args->shapes.is_strict);
  AddFormat(verb, &args->format);
  verb->footer(
      "Example:\n"
      "  stowage offline check data/models/keyword_int8.tflite");
  verb->callback(
      [action, args] { *action = [args] { return RunCheck(*args); }; });
}

}  // namespace stowage::cli
