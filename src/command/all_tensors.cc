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
#include "absl/types/optional.h"
#include "src/command/inputs.h"
#include "src/command/plan_report.h"
#include "src/command/program_options.h"
#include "src/command/shape_options.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/io/problem_file.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program_file.h"
#include "stowage/programs/program_problem.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::cli {
namespace {

// Returns the rows of the plan file for a model whose subgraphs do not call
// each other.
absl::StatusOr<std::string> FormatGraph(const PlanArgs& args,
                                        const Model& model,
                                        const ProblemFile& plan) {
  harness::InterpreterOptions options;
  options.io_lifetime = args.trace.model.io_lifetime;
  const auto interpreter =
      harness::Interpreter::Create(model, harness::BuiltinOperators(), options);
  if (!interpreter.ok()) return interpreter.status();
  harness::Subgraph& graph =
      (*interpreter)->subgraph(args.trace.model.subgraph);
  if (absl::Status s = graph.Prepare(); !s.ok()) return s;
  std::map<std::string, size_t> offsets;
  for (size_t i = 0; i < plan.problem.names.size(); ++i) {
    offsets[plan.problem.names[i]] = plan.plan.offsets[i];
  }
  std::string rows;
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

// Returns the rows of the plan file for a model whose subgraphs share an arena.
// There are also rows for the variables, whose memory comes after the arena.
absl::StatusOr<std::string> FormatProgram(const PlanArgs& args,
                                          const Model& model,
                                          const ProblemFile& plan) {
  const ProgramSource& source = *plan.problem.labels.program;
  if (source.options.copies == ProgramCopies::kMade) {
    return absl::InvalidArgumentError(
        "--all-tensors: with --copies made, which gives arguments memory of "
        "their own; expected chosen or none");
  }
  const absl::StatusOr<harness::CpuProgram> program = harness::CpuProgramOf(
      model, harness::BuiltinOperators(), args.trace.model, args.trace.shadows);
  if (!program.ok()) return program.status();
  const size_t alignment = plan.problem.alignments.empty()
                               ? plan.problem.alignment
                               : plan.problem.alignments[0];
  const auto offsets = SlotOffsets(source, alignment, plan.plan.offsets);
  if (!offsets.ok()) return offsets.status();
  std::string rows;
  const auto add = [&](absl::string_view id, SlotId slot) {
    const absl::optional<size_t> offset = (*offsets)[slot];
    if (offset) absl::StrAppend(&rows, id, ",", *offset, "\n");
  };
  for (size_t f = 0; f < program->subgraphs.size(); ++f) {
    const size_t count = source.program.functions[f].tensors.size();
    for (size_t t = 0; t < count; ++t) {
      add(absl::StrCat(program->subgraphs[f], ".", t),
          source.points.first_slot[f] + static_cast<SlotId>(t));
    }
  }
  for (size_t v = 0; v < source.program.variables.size(); ++v) {
    add(absl::StrCat("variable.", v),
        source.points.first_slot.back() + static_cast<SlotId>(v));
  }
  return rows;
}

}  // namespace

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
  const ProgramAsk& program = args.trace.program;
  if (program.IsGiven() && (!program.nests_calls || !program.carried.empty())) {
    return refuse(
        "has no effect with --state, --state-io, --signatures or --together; "
        "expected a model alone, or with --calls nested");
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
  const bool is_program = plan.problem.labels.program != nullptr;
  if (!is_program && plan.problem.labels.lifetimes.empty()) {
    return absl::InvalidArgumentError(
        "--all-tensors: has no effect on a file that is not a model; expected "
        "a .tflite model");
  }
  absl::StatusOr<std::unique_ptr<const Model>> model = Model::Read(args.input);
  if (!model.ok()) return model.status();
  model = WithGivenShapes(*std::move(model), args.trace.model.subgraph,
                          args.trace.shadows.shapes);
  if (!model.ok()) return model.status();
  const absl::StatusOr<std::string> rows =
      is_program ? FormatProgram(args, **model, plan)
                 : FormatGraph(args, **model, plan);
  if (!rows.ok()) return rows.status();
  return absl::StrCat("id,offset\n", *rows);
}

}  // namespace stowage::cli
