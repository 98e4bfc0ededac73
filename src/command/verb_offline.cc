// SPDX-License-Identifier: Apache-2.0
// The verb `stowage offline`: handles plans that are stored in a model.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/offline_options.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/shape_options.h"
#include "src/command/verb.h"
#include "stowage/harness/declared_shapes.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_structure.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage::cli {
namespace {

// Returns the reason why --allow-custom-overlap has no effect, or an empty
// string if it has an effect.
std::string WhyNoCustomOverlap(const SeenInput& input) {
  for (const SubgraphSpec& graph : input.model->subgraphs()) {
    for (const OperatorSpec& op : graph.operators) {
      if (op.is_custom) return WhyNoPlanInModel(input);
    }
  }
  return ", which has no custom operators; expected a model with some";
}

}  // namespace

void AddOfflineOutput(CLI::App* verb, const std::string& example,
                      const std::string& help, std::string* output) {
  AddOutput(verb, example, help, output);
  verb->get_option("-o")->required();
}

void AddHeldEnds(CLI::App* verb, IoLifetime* lifetime) {
  AddIoLifetime(verb,
                "Inputs and outputs are held for the whole run (keep), or only "
                "as long as the device holds them (use, the default)",
                lifetime);
}

void AddCustomOverlap(CLI::App* verb, bool* allow,
                      std::vector<OptionLimit>* limits) {
  LimitTo({InputKind::kModel},
          verb->add_flag("--allow-custom-overlap", *allow,
                         "Let tensors of one custom operator share bytes where "
                         "no other operator could notice it"),
          limits, WhyNoCustomOverlap);
}

bool HasOfflinePlan(const Model& model) {
  const absl::StatusOr<absl::optional<OfflinePlan>> plan =
      ReadOfflinePlan(model.bytes(), model.name());
  return !plan.ok() || plan->has_value();
}

std::string WhyNoPlanInModel(const SeenInput& input) {
  return HasOfflinePlan(*input.model)
             ? ""
             : ", which has no plan; expected a model with one";
}

void SayOverlaps(const Model& model, const OfflineVerdict& verdict,
                 Answer* answer) {
  const auto list = [&](const char* title,
                        const std::vector<OfflineViolation>& overlaps) {
    if (!overlaps.empty()) answer->SayLine(title);
    for (const OfflineViolation& overlap : overlaps) {
      answer->SayLine(Phrase("  ", Describe(model, verdict, overlap)));
    }
  };
  list("allowed overlaps between tensors of custom operators:",
       verdict.allowed);
  list("undecided, since only custom operators could notice these overlaps:",
       verdict.undecided);
}

void SayNotCounted(const std::vector<std::string>& operators, Answer* answer) {
  if (operators.empty()) return;
  answer->Say("not counted",
              Phrase("memory that these operators keep: ", Words(operators)));
}

absl::StatusOr<std::unique_ptr<const Model>> ReadDeviceModel(
    const std::string& path, const ShapeArgs& shapes, bool takes_shapes) {
  auto model =
      shapes.shapes.empty() ? ReadModelStructure(path) : Model::Read(path);
  if (!model.ok()) return model;
  if (shapes.shapes.empty()) {
    const absl::Status declared =
        harness::CheckDeclaredShapes((*model)->bytes(), (*model)->name());
    if (!declared.ok()) return declared;
  } else {
    model = WithGivenShapes(*std::move(model), 0, shapes.shapes);
    if (!model.ok()) return model;
  }
  // If no trace can be made of the model, a later step rejects the model and
  // reports the reason.
  const absl::StatusOr<ModelTrace> trace = MicroTraceOf(**model);
  if (!trace.ok()) return model;
  const absl::Status open =
      NoteOpenShapes(path, trace->open, shapes.is_strict, takes_shapes);
  if (!open.ok()) return open;
  return model;
}

void AddOffline(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand("offline",
                                       "Write, check or remove the plan inside "
                                       "a model, for TensorFlow Lite Micro");
  verb->require_subcommand(1);
  AddOfflineWrite(verb, action);
  AddOfflineCheck(verb, action);
  AddOfflineStrip(verb, action);
  AddOfflineHeader(verb, action);
  for (CLI::App* part : verb->get_subcommands({})) part->group("Verbs");
  verb->footer(
      "Example:\n"
      "  stowage offline check data/models/keyword_int8.tflite");
}

}  // namespace stowage::cli
