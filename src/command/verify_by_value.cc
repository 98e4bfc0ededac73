// SPDX-License-Identifier: Apache-2.0
#include "src/command/verify_by_value.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/command/answer.h"
#include "src/command/inputs.h"
#include "src/command/json.h"
#include "src/command/text.h"
#include "stowage/harness/cpu_trace.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/verify_placement.h"
#include "stowage/io/problem_file.h"
#include "stowage/io/read_file.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/interpreter_dump.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/program_of_model.h"
#include "stowage/verify_values.h"

namespace stowage::cli {
namespace {

// Identifies a tensor by its subgraph and its number in this subgraph. For a
// variable, the subgraph is kVariables.
using TensorId = std::pair<size_t, size_t>;

constexpr size_t kVariables = std::numeric_limits<size_t>::max();
constexpr size_t kNoSubgraph = kVariables - 1;

// The offsets in a plan file. A tensor without an offset has its own memory.
struct AllOffsets {
  std::map<TensorId, absl::optional<size_t>> tensors;
  size_t end = 0;  // one past the last byte
};

// A run of the model as a sequence of steps, and the tensor that owns each slot
// of memory.
struct ModelPoints {
  ProgramPoints points;
  std::vector<SlotPart> parts;
  std::vector<TensorId> slots;
  // The subgraph of each function; empty if `points` has only one graph.
  std::vector<size_t> subgraphs;
  Program program;
};

absl::Status AddOffset(TensorId id, absl::optional<size_t> offset, size_t size,
                       AllOffsets* offsets) {
  if (offset) {
    const absl::optional<size_t> end = CheckedAdd(*offset, size);
    if (!end) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", id.second, ": offset ", *offset, " and ",
                       size, " bytes end beyond 2^64 - 1"));
    }
    offsets->end = std::max(offsets->end, *end);
  }
  offsets->tensors[id] = offset;
  return absl::OkStatus();
}

// Reads "TENSOR", "SUBGRAPH.TENSOR" or "variable.NUMBER".
absl::StatusOr<TensorId> ParseTensorId(const std::string& text,
                                       size_t subgraph) {
  TensorId id = {subgraph, 0};
  const std::vector<std::string> words = absl::StrSplit(text, '.');
  if (words.size() == 2 && words[0] == "variable") id.first = kVariables;
  if (words.size() <= 2 && absl::SimpleAtoi(words.back(), &id.second) &&
      (words.size() == 1 || id.first == kVariables ||
       absl::SimpleAtoi(words[0], &id.first))) {
    return id;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("id '", text,
                   "'; expected the number of a tensor, SUBGRAPH.TENSOR, "
                   "or variable.NUMBER"));
}

// Places the arenas of a dump's subgraphs one after another.
absl::StatusOr<AllOffsets> OffsetsOfDump(absl::string_view text,
                                         const std::string& path) {
  absl::StatusOr<std::vector<DumpedTensor>> dump =
      ParseInterpreterDump(text, InputName(path));
  if (!dump.ok()) return dump.status();
  absl::c_stable_sort(*dump, [](const DumpedTensor& a, const DumpedTensor& b) {
    return a.subgraph < b.subgraph;
  });
  AllOffsets offsets;
  size_t begin = 0;
  for (size_t i = 0; i < dump->size(); ++i) {
    const DumpedTensor& tensor = (*dump)[i];
    if (i > 0 && (*dump)[i - 1].subgraph != tensor.subgraph) {
      begin = offsets.end;
    }
    absl::optional<size_t> offset = tensor.offset;
    if (offset) offset = CheckedAdd(*offset, begin);
    absl::Status status =
        tensor.offset && !offset
            ? absl::InvalidArgumentError("an offset beyond 2^64 - 1")
            : AddOffset({tensor.subgraph, tensor.tensor}, offset, tensor.bytes,
                        &offsets);
    if (!status.ok()) return AboutInput(path, {}, status);
  }
  return offsets;
}

absl::StatusOr<AllOffsets> ReadOffsets(const ByValueArgs& args) {
  const std::string& path = args.plan_path;
  if (path != "-") {
    const absl::StatusOr<std::string> text = ReadFile(path);
    if (!text.ok()) return text.status();
    if (IsInterpreterDump(*text)) return OffsetsOfDump(*text, path);
  }
  InputReader inputs(args.input);
  const absl::StatusOr<ProblemFile> file = inputs.ReadPlan(path);
  if (!file.ok()) return file.status();
  const std::vector<size_t>& planned = file->plan.offsets;
  if (planned.size() != file->problem.names.size() || planned.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(InputName(path),
                     ": no offsets; expected those of all tensors, as stowage "
                     "plan --all-tensors writes them"));
  }
  AllOffsets offsets;
  for (size_t i = 0; i < planned.size(); ++i) {
    const absl::StatusOr<TensorId> id =
        ParseTensorId(file->problem.names[i], args.input.model.subgraph);
    if (!id.ok()) return AboutInput(path, {}, id.status());
    const size_t size = i < file->problem.records.size()
                            ? file->problem.records[i].tensor_size
                            : 0;
    absl::Status status = AddOffset(*id, planned[i], size, &offsets);
    if (!status.ok()) return AboutInput(path, {}, status);
  }
  return offsets;
}

bool KeepsInputs(const InputOptions& options) {
  return options.model.io_lifetime.value_or(IoLifetime::kKeep) ==
         IoLifetime::kKeep;
}

// Returns the steps of a run of a graph without calls, including the
// temporaries of its operators. Returns nullopt if the graph has calls, or if
// the harness cannot prepare the graph.
absl::optional<ModelPoints> PreparedPoints(const Model& model,
                                           const InputOptions& options) {
  const size_t subgraph = options.model.subgraph;
  const SubgraphSpec& spec = model.subgraphs()[subgraph];
  if (absl::c_any_of(spec.operators, CallsSubgraphs)) return absl::nullopt;
  harness::InterpreterOptions interpreter_options;
  interpreter_options.io_lifetime = options.model.io_lifetime;
  interpreter_options.sharing = Sharing::kGroups;
  const auto interpreter = harness::Interpreter::Create(
      model, harness::BuiltinOperators(), interpreter_options);
  if (!interpreter.ok()) return absl::nullopt;
  harness::Subgraph& graph = (*interpreter)->subgraph(subgraph);
  if (!graph.Prepare().ok()) return absl::nullopt;
  const harness::MemoryPlan& plan = graph.plan();
  if (plan.prepared_nodes < plan.graph.nodes.size()) return absl::nullopt;
  harness::GraphPoints prepared =
      harness::PointsOfGraph(plan, KeepsInputs(options));
  ModelPoints result;
  result.points = std::move(prepared.points);
  result.parts = std::move(prepared.parts);
  for (size_t t = 0; t < result.points.slot_sizes.size(); ++t) {
    result.slots.emplace_back(subgraph, t);
  }
  return result;
}

// Returns the steps of a run of a program. The first functions of the program
// must be the given subgraphs of the model, in this order. Any other functions
// are not in the model.
absl::StatusOr<ModelPoints> PointsOfProgram(Program program,
                                            std::vector<size_t> subgraphs) {
  absl::StatusOr<ProgramPoints> points = PointsOf(program);
  if (!points.ok()) return points.status();
  ModelPoints result;
  result.points = *std::move(points);
  result.subgraphs = std::move(subgraphs);
  for (size_t f = 0; f < program.functions.size(); ++f) {
    const size_t subgraph =
        f < result.subgraphs.size() ? result.subgraphs[f] : kNoSubgraph;
    for (size_t t = 0; t < program.functions[f].tensors.size(); ++t) {
      // The tensors of a function that is not in the model have no memory.
      if (subgraph == kNoSubgraph) {
        result.points.slot_sizes[result.slots.size()] = 0;
      }
      result.slots.emplace_back(subgraph, t);
    }
  }
  result.program = std::move(program);
  return result;
}

absl::StatusOr<ModelPoints> PointsOfModel(const Model& model,
                                          const InputOptions& options) {
  if (absl::Status s = model.CheckSubgraph(options.model.subgraph); !s.ok()) {
    return s;
  }
  absl::optional<ModelPoints> prepared = PreparedPoints(model, options);
  if (prepared) return *std::move(prepared);
  ProgramOfModelOptions program_options;
  program_options.subgraph = options.model.subgraph;
  program_options.keeps_inputs = KeepsInputs(options);
  absl::StatusOr<ModelProgram> program = ProgramOfModel(model, program_options);
  if (!program.ok()) return program.status();
  // The harness knows the temporaries of operators, and which shapes are
  // constant. `program` does not contain this information, and is used only if
  // the harness does not plan all functions together.
  absl::StatusOr<harness::CpuProgram> nested =
      harness::CpuProgramOf(model, harness::BuiltinOperators(), options.model);
  if (nested.ok() && nested->computed_operators == 0 &&
      nested->subgraphs.size() == program->subgraphs.size()) {
    return PointsOfProgram(std::move(nested->program), nested->subgraphs);
  }
  return PointsOfProgram(std::move(program->program), program->subgraphs);
}

// Returns the offset of each slot. Sets the size of a slot to 0 if its memory
// is outside the arena. Places variables without an offset after everything
// else.
std::vector<absl::optional<size_t>> PlaceSlots(const AllOffsets& offsets,
                                               ModelPoints* points) {
  std::vector<size_t>& sizes = points->points.slot_sizes;
  std::vector<absl::optional<size_t>> placed(sizes.size());
  // A plan file may have offsets but no sizes, so the end also depends on the
  // sizes of the slots.
  absl::optional<size_t> end = offsets.end;
  const auto place = [&](size_t slot, absl::optional<size_t> offset) {
    placed[slot] = offset;
    if (!offset) sizes[slot] = 0;
    const absl::optional<size_t> last =
        CheckedAdd(offset.value_or(0), sizes[slot]);
    end = end && last ? absl::optional<size_t>(std::max(*end, *last))
                      : absl::nullopt;
  };
  std::vector<size_t> unplaced;
  for (size_t slot = 0; slot < placed.size(); ++slot) {
    const bool is_variable = slot >= points->slots.size();
    const auto it = offsets.tensors.find(
        is_variable ? TensorId(kVariables, slot - points->slots.size())
                    : points->slots[slot]);
    if (it != offsets.tensors.end()) {
      place(slot, it->second);
    } else if (is_variable) {
      unplaced.push_back(slot);
    }
  }
  for (const size_t slot : unplaced) {
    if (end) place(slot, end);
  }
  return placed;
}

// Names operators and tensors for people.
class FaultNames {
 public:
  FaultNames(const Model& model, const ModelPoints& points, size_t subgraph)
      : model_(model), points_(points), subgraph_(subgraph) {}

  std::string Tensor(SlotId slot) const {
    if (slot >= points_.slots.size()) {
      return absl::StrCat("variable ", SlotName(points_.program, slot));
    }
    const TensorId id = points_.slots[slot];
    const SubgraphSpec& graph = model_.subgraphs()[id.first];
    const std::string place = id.second < graph.tensors.size()
                                  ? graph.TensorPlace(id.second)
                                  : absl::StrCat("temporary ", id.second);
    return points_.subgraphs.size() > 1
               ? absl::StrCat("subgraph ", id.first, ", ", place)
               : place;
  }
  std::string Point(size_t point) const {
    if (!points_.subgraphs.empty()) {
      return PointPlace(points_.program, points_.points, point);
    }
    const stowage::Point& that = points_.points.points[point];
    if (that.kind == PointKind::kStart) return "the start";
    if (that.kind == PointKind::kEnd) return "the end";
    return model_.subgraphs()[subgraph_].OperatorPlace(that.node);
  }
  // Returns the number of the operator that a point represents, or nullopt if
  // the point does not represent an operator.
  absl::optional<size_t> Operator(size_t point) const {
    const stowage::Point& that = points_.points.points[point];
    if (that.kind == PointKind::kStart || that.kind == PointKind::kEnd ||
        that.kind == PointKind::kInitial || that.kind == PointKind::kCarry) {
      return absl::nullopt;
    }
    return that.node;
  }

 private:
  const Model& model_;
  const ModelPoints& points_;
  const size_t subgraph_;
};

std::string DescribeFault(const FaultNames& names, const ValueFault& fault) {
  const std::string place = names.Point(fault.point);
  const std::string tensor = names.Tensor(fault.slot);
  switch (fault.kind) {
    case ValueFault::Kind::kOverwritten:
      return absl::StrCat(
          place, " reads ", tensor, ", but byte ", fault.byte,
          fault.writer
              ? absl::StrCat(" was overwritten by ", names.Point(*fault.writer),
                             " for ", names.Tensor(*fault.writer_slot))
              : " does not hold its value on every path");
    case ValueFault::Kind::kInPlace:
      return absl::StrCat(place, " writes ", names.Tensor(fault.other),
                          " over ", tensor, ", which it reads, from byte ",
                          fault.byte, " on");
    case ValueFault::Kind::kTwoResults:
      return absl::StrCat(place, " writes ", tensor, " and ",
                          names.Tensor(fault.other), ", which both have byte ",
                          fault.byte);
    case ValueFault::Kind::kNoOffset:
      break;
  }
  return absl::StrCat(place, " uses ", tensor, ", which has no offset");
}

absl::string_view FaultKindName(ValueFault::Kind kind) {
  switch (kind) {
    case ValueFault::Kind::kOverwritten:
      return "overwritten";
    case ValueFault::Kind::kInPlace:
      return "in_place";
    case ValueFault::Kind::kTwoResults:
      return "two_results";
    case ValueFault::Kind::kNoOffset:
      return "no_offset";
  }
  return "?";
}

Json FaultJson(const FaultNames& names, const ValueFault& fault) {
  Json json;
  json["kind"] = std::string(FaultKindName(fault.kind));
  const auto add_operator = [&](const char* key, size_t point) {
    const absl::optional<size_t> op = names.Operator(point);
    json[key] = op ? Json(*op) : Json(nullptr);
  };
  add_operator("operator", fault.point);
  json["tensor"] = names.Tensor(fault.slot);
  json["byte"] = fault.byte;
  if (fault.writer) {
    add_operator("writer", *fault.writer);
    json["writer_tensor"] = names.Tensor(*fault.writer_slot);
  } else {
    json["writer"] = nullptr;
  }
  json["message"] = DescribeFault(names, fault);
  return json;
}

}  // namespace

Outcome VerifyByValue(const ByValueArgs& args) {
  const absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Read(args.model_path);
  if (!model.ok()) return BadInput(model.status());
  const absl::StatusOr<AllOffsets> offsets = ReadOffsets(args);
  if (!offsets.ok()) return BadInput(offsets.status());
  absl::StatusOr<ModelPoints> points = PointsOfModel(**model, args.input);
  if (!points.ok()) return BadInput(points.status());
  const std::vector<absl::optional<size_t>> placed =
      PlaceSlots(*offsets, &*points);
  const absl::optional<ValueFault> fault =
      FindValueFault(points->points, placed, points->parts);
  const FaultNames names(**model, *points, args.input.model.subgraph);
  if (fault && fault->kind == ValueFault::Kind::kNoOffset) {
    return Failure(ExitCode::kBadInput,
                   absl::StrCat(InputName(args.plan_path), ": ",
                                DescribeFault(names, *fault),
                                "; expected the offsets of all tensors, as "
                                "stowage plan --all-tensors writes them"));
  }
  const auto count = static_cast<size_t>(
      absl::c_count_if(offsets->tensors, [](const auto& each) {
        return each.second && each.first.first != kVariables;
      }));
  Answer answer;
  answer.AddData("model", args.model_path);
  answer.AddData("plan", args.plan_path);
  answer.AddData("tensors", count);
  answer.AddData("safe", !fault);
  if (fault) {
    answer.AddData("violation", FaultJson(names, *fault));
    answer.SayLine(Phrase("unsafe: ", DescribeFault(names, *fault)));
  } else {
    answer.SayLine(
        Phrase("safe: ", Count(count, "tensor"), ", whatever shares memory"));
    answer.SayLine("checked: every read finds what was written");
  }
  return {fault ? ExitCode::kRefuted : ExitCode::kDone,
          answer.Render(args.format), ""};
}

}  // namespace stowage::cli
