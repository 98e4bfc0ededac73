// SPDX-License-Identifier: Apache-2.0
// The verb `stowage offline strip`: writes a model without its plan.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/offline_options.h"
#include "src/command/option_limits.h"
#include "src/command/output_files.h"
#include "src/command/text.h"
#include "src/command/verb.h"
#include "stowage/io/read_file.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_structure.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage::cli {
namespace {

// The maximum size of a flatbuffer.
constexpr size_t kMaxModelBytes = size_t{1} << 31;

struct StripArgs {
  std::string model;
  std::string output;
  bool force = false;
  std::vector<OptionLimit> limits;
};

// Returns FailedPrecondition if custom operators may rely on the offsets in the
// model's plan to address tensors.
absl::Status CheckStrippable(const Model& model) {
  const absl::StatusOr<std::vector<int32_t>> kept = KeptOffsets(model);
  if (!kept.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        kept.status().message(),
        "; custom operators may address tensors as this plan has them; "
        "expected --force to strip it even so"));
  }
  const size_t tensors = CountKept(*kept);
  if (tensors == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      model.name(), ": ", Count(tensors, "tensor"),
      " of custom operators must stay where its plan has them; expected "
      "--force to strip it even so"));
}

Outcome RunStrip(const StripArgs& args) {
  const absl::Status outputs =
      CheckOutputFiles({{"-o", args.output}}, {args.model});
  if (!outputs.ok()) return Misuse("offline strip", outputs.message());
  // Model::Read is not used here, since it rejects damaged models, which can be
  // stripped, too.
  const absl::StatusOr<std::string> model =
      ReadFile(args.model, kMaxModelBytes);
  if (!model.ok()) return BadInput(model.status());
  const std::string name = InputName(args.model);
  // A damaged model is stripped without the checks below.
  const auto parsed = ParseModelStructure(*model, name);
  if (parsed.ok()) {
    const absl::Status effects = CheckEffects(
        args.limits, {{args.model, InputKind::kModel, parsed->get()}});
    if (!effects.ok()) return Misuse("offline strip", effects.message());
  }
  if (parsed.ok() && !args.force) {
    const absl::Status allowed = CheckStrippable(**parsed);
    if (!allowed.ok()) return Failure(ExitCode::kRefuted, allowed.message());
  }
  absl::StatusOr<std::string> stripped = StripOfflinePlan(*model, name);
  if (!stripped.ok()) return BadInput(stripped.status());
  const size_t bytes = stripped->size();
  Answer answer;
  answer.SayLine(
      Phrase(name, ": ",
             bytes == model->size()
                 ? Value("no plan to strip; the file is the same")
                 : Phrase(bytes < model->size()
                              ? "the file before its plan was written, "
                              : "without its plan, ",
                          Size(bytes))));
  return DeliverFile(args.output, *std::move(stripped), answer);
}

}  // namespace

void AddOfflineStrip(CLI::App* offline, Action* action) {
  CLI::App* verb =
      offline->add_subcommand("strip", "Write a model without its plan");
  auto args = std::make_shared<StripArgs>();
  AddModel(verb, &args->model);
  AddOfflineOutput(verb, "OUT.tflite", "Write the model here", &args->output);
  LimitTo({InputKind::kModel},
          verb->add_flag(
              "--force", args->force,
              "Strip a plan even if custom operators rely on its offsets"),
          &args->limits, WhyNoPlanInModel);
  verb->footer(
      "Example:\n"
      "  stowage offline strip data/models/keyword_int8.tflite -o out.tflite");
  verb->callback(
      [action, args] { *action = [args] { return RunStrip(*args); }; });
}

}  // namespace stowage::cli
