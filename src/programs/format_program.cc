// SPDX-License-Identifier: Apache-2.0
// Writes programs as JSON.
#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_file.h"
#include "stowage/programs/program_problem.h"

namespace stowage {
namespace {

using Json = nlohmann::ordered_json;

// Returns whether ids can be used to refer to tensors. This requires that the
// ids are unique and can be written to a file.
bool HasUsableIds(const ProgramFunction& function) {
  flat_hash_set<string_view> ids;
  return std::all_of(function.tensors.begin(), function.tensors.end(),
                     [&](const ProgramTensor& tensor) {
                       return !tensor.id.empty() && IsFileText(tensor.id) &&
                              ids.insert(tensor.id).second;
                     });
}

// Formats one file. Slots are numbered as in the list of offsets.
class ProgramWriter {
 public:
  explicit ProgramWriter(const ProgramFile& file) : file_(file) {}

  std::string Write();

 private:
  // Returns a list with each entry on its own line.
  static std::string Lines(const std::vector<Json>& entries,
                           string_view indent);
  void Add(string_view key, const std::string& value) {
    StrAppend(&text_, text_.empty() ? "{" : ",\n", "\"", key, "\":", value);
  }
  // Returns the id of a tensor, or its number if the ids are not usable.
  Json Ref(const ProgramFunction& function, size_t tensor) const {
    return has_ids_ ? Json(function.tensors[tensor].id) : Json(tensor);
  }
  Json Refs(const ProgramFunction& function,
            const std::vector<size_t>& tensors) const {
    Json list = Json::array();
    for (const size_t t : tensors) list.push_back(Ref(function, t));
    return list;
  }
  Json NodeJson(const ProgramFunction& function, const ProgramNode& node) const;
  Json TensorJson(const std::string& id, size_t size, size_t slot) const;
  std::string FunctionText(const ProgramFunction& function, size_t first_slot);
  void AddOptions();
  void AddState(size_t first_slot);
  void AddPlan();

  const ProgramFile& file_;
  std::string text_;
  bool has_ids_ = true;  // says whether the current function has usable ids
};

std::string ProgramWriter::Lines(const std::vector<Json>& entries,
                                 string_view indent) {
  std::string text = "[";
  for (size_t i = 0; i < entries.size(); ++i) {
    StrAppend(&text, i == 0 ? "\n" : ",\n", indent,
              entries[i].dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return StrCat(text, "]");
}

Json ProgramWriter::TensorJson(const std::string& id, size_t size,
                               size_t slot) const {
  Json json = {{"id", id}, {"size", size}};
  if (!file_.offsets.empty() && file_.offsets[slot]) {
    json["offset"] = *file_.offsets[slot];
  }
  return json;
}

Json ProgramWriter::NodeJson(const ProgramFunction& function,
                             const ProgramNode& node) const {
  Json json = Json::object();
  if (!node.name.empty()) json["name"] = FileText(node.name);
  json["in"] = Refs(function, node.inputs);
  json["out"] = Refs(function, node.outputs);
  if (node.kind != NodeKind::kOperator) {
    json[std::string(NodeKindName(node.kind))] = node.functions;
  }
  if (!node.temporaries.empty()) {
    json["temporaries"] = Refs(function, node.temporaries);
  }
  for (const InPlaceOutput& in_place : node.in_place) {
    Json entry = {{"output", in_place.output}, {"input", in_place.input}};
    if (in_place.is_view) entry["view"] = true;
    json["in_place"].push_back(std::move(entry));
  }
  const auto add = [&](const char* key, const char* tensor,
                       const std::vector<std::pair<size_t, size_t>>& uses) {
    for (const auto& [variable, index] : uses) {
      json[key].push_back({{"variable", file_.program.variables[variable].id},
                           {tensor, index}});
    }
  };
  add("reads", "output", node.reads);
  add("assigns", "input", node.assigns);
  return json;
}

std::string ProgramWriter::FunctionText(const ProgramFunction& function,
                                        size_t first_slot) {
  has_ids_ = HasUsableIds(function);
  std::string text = "\n{";
  if (!function.name.empty()) {
    StrAppend(&text, "\"name\":", Json(FileText(function.name)).dump(), ",\n ");
  }
  std::vector<Json> tensors;
  for (size_t t = 0; t < function.tensors.size(); ++t) {
    const ProgramTensor& tensor = function.tensors[t];
    tensors.push_back(TensorJson(has_ids_ ? tensor.id : StrCat(t), tensor.size,
                                 first_slot + t));
  }
  std::vector<Json> nodes;
  for (const ProgramNode& node : function.nodes) {
    nodes.push_back(NodeJson(function, node));
  }
  StrAppend(&text, "\"inputs\":", Refs(function, function.inputs).dump(),
            ",\n \"outputs\":", Refs(function, function.outputs).dump(),
            ",\n \"tensors\":", Lines(tensors, "  "),
            ",\n \"nodes\":", Lines(nodes, "  "), "}");
  return text;
}

void ProgramWriter::AddOptions() {
  const ProgramOptions defaults;
  const ProgramOptions& options = file_.options;
  if (options.alignment != defaults.alignment) {
    Add("alignment", StrCat(options.alignment));
  }
  if (options.capacity) Add("capacity", StrCat(*options.capacity));
  if (options.copies != defaults.copies) {
    Add("copies", StrCat("\"", ProgramCopiesName(options.copies), "\""));
  }
  if (options.expected_turns != defaults.expected_turns) {
    Add("expected_turns", StrCat(options.expected_turns));
  }
  if (options.state_in_place != defaults.state_in_place) {
    Add("state_in_place", options.state_in_place ? "true" : "false");
  }
  if (!file_.program.keeps_inputs) Add("keeps_inputs", "false");
}

void ProgramWriter::AddState(size_t first_slot) {
  const Program& program = file_.program;
  if (program.entries != std::vector<size_t>{0}) {
    Add("entries", Json(program.entries).dump());
  }
  std::vector<Json> variables;
  for (size_t v = 0; v < program.variables.size(); ++v) {
    variables.push_back(TensorJson(program.variables[v].id,
                                   program.variables[v].size, first_slot + v));
  }
  if (!variables.empty()) Add("variables", Lines(variables, " "));
  std::vector<Json> carried;
  for (const CarriedOutput& each : program.carried) {
    carried.push_back({{"entry", each.entry},
                       {"output", each.output},
                       {"input", each.input}});
  }
  if (!carried.empty()) Add("carried", Lines(carried, " "));
}

void ProgramWriter::AddPlan() {
  if (file_.offsets.empty()) return;
  PointOptions options;
  options.copies_arguments = file_.options.copies == ProgramCopies::kMade;
  const auto points = PointsOf(file_.program, options);
  std::vector<Json> same;
  if (points.ok()) {
    for (const SlotCopy& copy : CopiesLeftOut(*points, file_.offsets)) {
      same.push_back(Json::array({SlotName(file_.program, copy.destination),
                                  SlotName(file_.program, copy.source)}));
    }
  }
  if (!same.empty()) Add("same", Lines(same, " "));
  std::vector<Json> scratch;
  for (const ScratchMemory& memory : file_.scratch) {
    scratch.push_back({{"point", memory.point},
                       {"size", memory.size},
                       {"offset", memory.offset}});
  }
  if (!scratch.empty()) Add("scratch", Lines(scratch, " "));
}

std::string ProgramWriter::Write() {
  AddOptions();
  std::string functions = "[";
  size_t slot = 0;
  for (const ProgramFunction& function : file_.program.functions) {
    StrAppend(&functions, functions.size() == 1 ? "" : ",",
              FunctionText(function, slot));
    slot += function.tensors.size();
  }
  Add("functions", functions + "]");
  AddState(slot);
  AddPlan();
  return text_ + "}\n";
}

}  // namespace

std::string FormatProgramJson(const ProgramFile& file) {
  return ProgramWriter(file).Write();
}

}  // namespace stowage
