// SPDX-License-Identifier: Apache-2.0
// stowage offline strip: a model without its plan.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/cli/inputs.h"
#include "src/cli/offline_options.h"
#include "src/cli/output_files.h"
#include "src/cli/text.h"
#include "src/cli/verb.h"
#include "src/trace/read_file.h"
#include "stowage/tflite/offline_plan.h"

namespace stowage::cli {
namespace {

// A flatbuffer is smaller.
constexpr size_t kMaxModelBytes = size_t{1} << 31;

struct StripArgs {
  std::string model;
  std::string output;
};

Outcome RunStrip(const StripArgs& args) {
  const absl::Status outputs =
      CheckOutputFiles({{"-o", args.output}}, {args.model});
  if (!outputs.ok()) return Misuse("offline strip", outputs.message());
  // Not Model::Read: a plan that is damaged can be stripped.
  const absl::StatusOr<std::string> model =
      ReadFile(args.model, kMaxModelBytes);
  if (!model.ok()) {
    return Failure(ExitCode::kBadInput, model.status().message());
  }
  const std::string name = InputName(args.model);
  absl::StatusOr<std::string> stripped = StripOfflinePlan(*model, name);
  if (!stripped.ok()) {
    return Failure(ExitCode::kBadInput, stripped.status().message());
  }
  const size_t old_bytes = model->size();
  const std::string report = absl::StrCat(
      OneLine(name), ": ",
      stripped->size() == old_bytes  ? "no plan to strip; the file is the same"
      : stripped->size() < old_bytes ? "the file before its plan was written, "
                                     : "without its plan, ",
      stripped->size() == old_bytes ? "" : FormatBytes(stripped->size()), "\n");
  return DeliverFile(args.output, *std::move(stripped), report);
}

}  // namespace

void AddOfflineStrip(CLI::App* offline, Action* action) {
  CLI::App* verb =
      offline->add_subcommand("strip", "The model without its plan");
  auto args = std::make_shared<StripArgs>();
  AddOfflineModel(verb, &args->model);
  AddOfflineOutput(verb, "OUT.tflite", "Write the model here", &args->output);
  verb->footer(
      "Example:\n"
      "  stowage offline strip data/models/keyword_int8.tflite -o out.tflite");
  verb->callback(
      [action, args] { *action = [args] { return RunStrip(*args); }; });
}

}  // namespace stowage::cli
