// SPDX-License-Identifier: Apache-2.0
// The verb `stowage offline`: handles plans that are stored in a model.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/command/offline_options.h"
#include "src/command/option_limits.h"
#include "src/command/options.h"
#include "src/command/screen.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/harness/declared_shapes.h"
#include "stowage/io/write_file.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_structure.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage::cli {
namespace {

// Returns why --allow-custom-overlap has no effect.
std::string WhyNoCustomOverlap(const SeenInput& input) {
  for (const SubgraphSpec& graph : input.model->subgraphs()) {
    for (const OperatorSpec& op : graph.operators) {
      if (op.is_custom) return WhyNoPlanInModel(input);
    }
  }
  return ", which has no custom operators; expected a model with some";
}

}  // namespace

void AddOfflineModel(CLI::App* verb, std::string* model) {
  verb->add_option("MODEL", *model, "A .tflite model; - for standard input")
      ->required()
      ->type_name("");
}

void AddOfflineOutput(CLI::App* verb, const std::string& example,
                      const std::string& help, std::string* output) {
  AddOutput(verb, example, help, output);
  verb->get_option("-o")->required();
}

void AddHeldEnds(CLI::App* verb, IoLifetime* lifetime) {
  AddParsed(verb, "--io-lifetime", "keep|use",
            "Inputs and outputs are held for the whole run (keep), or live as "
            "the device has it (use, the default)",
            ParseIoLifetime, lifetime);
}

void AddCustomOverlap(CLI::App* verb, bool* allow,
                      std::vector<OptionLimit>* limits) {
  LimitTo(InputKind::kModel,
          verb->add_flag("--allow-custom-overlap", *allow,
                         "Tensors of one custom operator may share bytes, "
                         "where no other operator could see it"),
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

std::string OverlapLines(const Model& model, const OfflineVerdict& verdict) {
  std::string text;
  const auto list = [&](absl::string_view title,
                        const std::vector<OfflineViolation>& overlaps) {
    if (overlaps.empty()) return;
    absl::StrAppend(&text, title, ":\n");
    for (const OfflineViolation& overlap : overlaps) {
      absl::StrAppend(&text, "  ", OneLine(Describe(model, verdict, overlap)),
                      "\n");
    }
  };
  list("allowed, of custom operators", verdict.allowed);
  list("undecided, for custom operators alone know", verdict.undecided);
  return text;
}

absl::StatusOr<std::unique_ptr<const Model>> ReadDeviceModel(
    const std::string& path) {
  auto model = ReadModelStructure(path);
  if (!model.ok()) return model;
  absl::Status declared =
      harness::CheckDeclaredShapes((*model)->bytes(), (*model)->name());
  if (!declared.ok()) return declared;
  return model;
}

Outcome DeliverFile(const std::string& output, std::string content,
                    const std::string& report) {
  if (output == "-") {
    return {ExitCode::kDone, std::move(content), FitScreen(report)};
  }
  if (absl::Status s = WriteFile(output, content); !s.ok()) {
    return Failure(ExitCode::kBadInput, s.message());
  }
  return {ExitCode::kDone, "", FitScreen(report)};
}

void AddOffline(CLI::App* app, Action* action) {
  CLI::App* verb = app->add_subcommand(
      "offline", "Plans inside a model, for TensorFlow Lite Micro");
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
