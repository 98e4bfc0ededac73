// SPDX-License-Identifier: Apache-2.0
// Implements the option --arena micro of `stowage run`, which runs a model in
// the arena of a device.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/notes.h"
#include "src/command/options.h"
#include "src/command/run_report.h"
#include "src/command/verb.h"
#include "stowage/harness/declared_shapes.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/micro_memory.h"
#include "stowage/harness/run_model.h"
#include "stowage/strategy.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage::cli {
namespace {

// Returns an error for the first output that differs from a run on the host, or
// OK if no output differs.
absl::Status CompareWithHost(const Model& model, harness::RunOptions options,
                             const harness::RunResult& result) {
  const harness::ShadowMode shadow = options.plan.shadow;
  options.plan = harness::InterpreterOptions();
  options.plan.shadow = shadow;
  options.place_tensors = nullptr;
  options.dump.clear();
  const absl::StatusOr<harness::RunResult> host =
      harness::RunModel(model, options);
  if (!host.ok()) return host.status();
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    if (host->outputs[i].sha256 == result.outputs[i].sha256) continue;
    return absl::DataLossError(absl::StrCat(
        model.name(), ": output ", i, " \"", result.outputs[i].name,
        "\": its bytes differ from those of a run on the host"));
  }
  return absl::OkStatus();
}

// Adds a note about how the run treats the plan in the model.
absl::Status AddPlanNote(const RunArgs& args, const Model& model) {
  if (!args.honour_offline_plan) {
    const absl::StatusOr<std::vector<int32_t>> kept = KeptOffsets(model);
    if (kept.ok()) AddNote(args.model, DescribeKept(CountKept(*kept)));
    return kept.status();
  }
  const absl::StatusOr<absl::optional<OfflinePlan>> plan =
      ReadOfflinePlan(model.bytes(), model.name());
  if (plan.ok() && plan->has_value()) {
    AddNote(args.model, OfflinePlanNote(**plan));
  }
  return plan.status();
}

// Returns the error of a run. If the given arena was too small, adds the size
// of one that is large enough.
Outcome FailedInArena(const RunArgs& args, const Model& model,
                      const harness::MicroPlacing& placing,
                      const absl::Status& status) {
  if (!args.arena_size || !absl::IsResourceExhausted(status)) {
    return FailedRun(status);
  }
  const absl::StatusOr<size_t> required =
      harness::PredictMicroMemory(model, placing);
  if (!required.ok() || *required <= *args.arena_size) return FailedRun(status);
  return FailedRun(absl::ResourceExhaustedError(
      absl::StrCat(status.message(), ", of ", *required, " bytes")));
}

}  // namespace

absl::Status CheckArena(const RunArgs& args) {
  if (args.is_micro && args.check == "all") {
    return absl::InvalidArgumentError(
        "--check=all: with --arena micro, whose tensors are gone after the "
        "run; expected --check");
  }
  return absl::OkStatus();
}

Outcome RunInArena(const RunArgs& args, const Model& model,
                   harness::RunOptions options) {
  if (args.shapes.shapes.empty()) {
    const absl::Status declared =
        harness::CheckDeclaredShapes(model.bytes(), model.name());
    if (!declared.ok()) return FailedRun(declared);
  }
  // The strategy applies to the arena of the device. It is copied here because
  // it is cleared below in the options of the host.
  const harness::MicroPlacing placing = {
      options.plan.strategy, args.honour_offline_plan,
      SolveOptionsOf(args.search, DurationOf(SolveOptions().time_limit_ns))};
  options.plan.strategy.clear();
  if (absl::Status s = AddPlanNote(args, model); !s.ok()) return FailedRun(s);
  absl::StatusOr<size_t> bytes =
      args.arena_size ? *args.arena_size
                      : harness::PredictMicroMemory(model, placing);
  if (!bytes.ok()) return FailedRun(bytes.status());
  const auto memory = harness::MicroMemory::Create(*bytes);
  if (!memory.ok()) return FailedRun(memory.status());
  options.plan.observers.insert(options.plan.observers.begin(), memory->get());
  options.place_tensors = [&](harness::Interpreter& interpreter) {
    return (*memory)->Place(interpreter, placing);
  };
  harness::Profiler profiler;
  if (args.profile) options.plan.observers.push_back(&profiler);
  const absl::StatusOr<harness::RunResult> result =
      harness::RunModel(model, options);
  if (!result.ok()) return FailedInArena(args, model, placing, result.status());
  RunReport report;
  report.args = &args;
  report.result = &*result;
  report.profiler = args.profile ? &profiler : nullptr;
  report.memory = memory->get();
  Outcome outcome;
  if (!args.check.empty()) {
    report.check.emplace();
    report.check->finding = CompareWithHost(model, options, *result);
    if (!report.check->is_safe()) {
      if (!absl::IsDataLoss(report.check->finding)) {
        return FailedRun(report.check->finding);
      }
      outcome = {ExitCode::kRefuted, "", UnsafeMessage(report)};
    }
  }
  outcome.out = RunAnswer(report).Render(args.format);
  return outcome;
}

}  // namespace stowage::cli
