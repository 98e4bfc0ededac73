// SPDX-License-Identifier: Apache-2.0
#include "src/command/all_tensors.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/command/inputs.h"
#include "src/command/plan_report.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/io/problem_file.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {

absl::Status CheckAllTensors(const PlanArgs& args) {
  if (!args.all_tensors) return absl::OkStatus();
  const auto refuse = [](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("--all-tensors: ", why));
  };
  if (args.output.empty()) {
    return refuse("has no effect without a plan file; expected -o PLAN.csv");
  }
  if (args.kind != PlanKind::kOffsets) {
    return refuse("with --kind objects; expected --kind offsets");
  }
  if (!args.names) {
    return refuse(
        "with --no-names, which has no effect on a plan that has ids and "
        "offsets alone; expected one of the two");
  }
  if (args.trace.lifetimes != LifetimeRules::kCpu ||
      args.trace.model.sharing != Sharing::kFixed) {
    return refuse(
        "has no effect where every tensor has a row; expected a model under "
        "--lifetimes cpu with --sharing fixed");
  }
  if (args.trace.shadows.mode != harness::ShadowMode::kNone) {
    return refuse("with --shadow; expected operators that have kernels");
  }
  if (args.input == "-") {
    return refuse(
        "with standard input, which is read once; expected the path of a "
        "model");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> FormatAllTensors(const PlanArgs& args,
                                             const ProblemFile& plan) {
  if (plan.problem.labels.lifetimes.empty()) {
    return absl::InvalidArgumentError(
        "--all-tensors: has no effect on a file that is no model; expected a "
        ".tflite model");
  }
  const absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Read(args.input);
  if (!model.ok()) return model.status();
  harness::InterpreterOptions options;
  options.io_lifetime = args.trace.model.io_lifetime;
  const auto interpreter = harness::Interpreter::Create(
      **model, harness::BuiltinOperators(), options);
  if (!interpreter.ok()) return interpreter.status();
  harness::Subgraph& graph =
      (*interpreter)->subgraph(args.trace.model.subgraph);
  if (absl::Status s = graph.Prepare(); !s.ok()) return s;
  std::map<std::string, size_t> offsets;
  for (size_t i = 0; i < plan.problem.names.size(); ++i) {
    offsets[plan.problem.names[i]] = plan.plan.offsets[i];
  }
  std::string rows = "id,offset\n";
  const harness::MemoryPlan& memory = graph.plan();
  for (size_t t = 0; t < memory.lifetimes.size(); ++t) {
    const ArenaTensor& tensor = memory.graph.tensors[t];
    if (tensor.storage != Storage::kArena || tensor.bytes == 0) continue;
    const auto it = offsets.find(absl::StrCat(memory.lifetimes[t].root));
    if (it == offsets.end()) continue;
    absl::StrAppend(&rows, t, ",", it->second, "\n");
  }
  return rows;
}

}  // namespace stowage::cli
