// SPDX-License-Identifier: Apache-2.0
// Reads programs from JSON.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/io/line_json.h"
#include "src/io/line_json_reader.h"
#include "src/programs/check_program.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_file.h"
#include "stowage/programs/program_problem.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

using Kind = LineJson::Kind;

constexpr JsonKey kProgramKeys[] = {{"functions", Kind::kList, true},
                                    {"entries", Kind::kList, false},
                                    {"variables", Kind::kList, false},
                                    {"carried", Kind::kList, false},
                                    {"keeps_inputs", Kind::kBoolean, false},
                                    {"state_in_place", Kind::kBoolean, false},
                                    {"alignment", Kind::kNumber, false},
                                    {"capacity", Kind::kNumber, false},
                                    {"copies", Kind::kText, false},
                                    {"expected_turns", Kind::kNumber, false},
                                    {"same", Kind::kList, false},
                                    {"scratch", Kind::kList, false}};
constexpr JsonKey kFunctionKeys[] = {{"name", Kind::kText, false},
                                     {"tensors", Kind::kList, true},
                                     {"inputs", Kind::kList, true},
                                     {"outputs", Kind::kList, true},
                                     {"nodes", Kind::kList, true}};
constexpr JsonKey kTensorKeys[] = {{"id", Kind::kText, true},
                                   {"size", Kind::kNumber, true},
                                   {"offset", Kind::kNumber, false}};
constexpr JsonKey kNodeKeys[] = {
    {"name", Kind::kText, false},     {"in", Kind::kList, true},
    {"out", Kind::kList, true},       {"if", Kind::kList, false},
    {"while", Kind::kList, false},    {"call", Kind::kList, false},
    {"once", Kind::kList, false},     {"temporaries", Kind::kList, false},
    {"in_place", Kind::kList, false}, {"reads", Kind::kList, false},
    {"assigns", Kind::kList, false}};
constexpr JsonKey kInPlaceKeys[] = {{"output", Kind::kNumber, true},
                                    {"input", Kind::kNumber, true},
                                    {"view", Kind::kBoolean, false}};
constexpr JsonKey kReadKeys[] = {{"variable", Kind::kText, true},
                                 {"output", Kind::kNumber, true}};
constexpr JsonKey kAssignKeys[] = {{"variable", Kind::kText, true},
                                   {"input", Kind::kNumber, true}};
constexpr JsonKey kCarriedKeys[] = {{"entry", Kind::kNumber, true},
                                    {"output", Kind::kNumber, true},
                                    {"input", Kind::kNumber, true}};
constexpr JsonKey kScratchKeys[] = {{"point", Kind::kNumber, true},
                                    {"size", Kind::kNumber, true},
                                    {"offset", Kind::kNumber, true}};

constexpr std::pair<const char*, NodeKind> kCallKeys[] = {
    {"if", NodeKind::kIf},
    {"while", NodeKind::kWhile},
    {"call", NodeKind::kCall},
    {"once", NodeKind::kOnce}};

// Maps the ids of tensors to their numbers.
using Ids = flat_hash_map<string_view, size_t>;

class ProgramReader : private LineJsonReader {
 public:
  ProgramReader(string_view name, const LineJson& document)
      : LineJsonReader(name, "program"), document_(document) {}

  StatusOr<ProgramFile> Read();

 private:
  bool ReadFunction(const LineJson& value, const JsonPath& path);
  bool ReadTensor(const LineJson& value, const JsonPath& path,
                  ProgramFunction* function);
  bool ReadTensors(const LineJson& object, const JsonPath& path,
                   const char* key, const ProgramFunction& function,
                   std::vector<size_t>* tensors);
  bool ReadNode(const LineJson& value, const JsonPath& path,
                ProgramFunction* function);
  bool ReadKind(const LineJson& value, const JsonPath& path, ProgramNode* node);
  bool ReadSharing(const LineJson& value, const JsonPath& path,
                   ProgramNode* node);
  bool ReadVariableUses(const LineJson& value, const JsonPath& path,
                        const char* key, const char* tensor_key,
                        Span<const JsonKey> keys,
                        std::vector<std::pair<size_t, size_t>>* uses);
  bool ReadVariables();
  bool ReadOptions();
  bool ReadPlan();
  bool ReadSame();
  bool FindSlot(const LineJson& value, const JsonPath& path, size_t* slot);
  bool Check();

  const LineJson& document_;
  const JsonPath root_;
  ProgramFile file_;
  Ids tensors_;    // the tensors of the function that is being read
  Ids variables_;  // variables by id
  // The offsets of tensors, indexed by slot, and of variables, indexed by
  // variable.
  std::vector<optional<size_t>> offsets_;
  std::vector<optional<size_t>> variable_offsets_;
};

bool ProgramReader::ReadTensor(const LineJson& value, const JsonPath& path,
                               ProgramFunction* function) {
  ProgramTensor tensor;
  optional<size_t> offset;
  if (value.kind == Kind::kNumber) {
    tensor.id = StrCat(function->tensors.size());
    tensor.size = value.number;
  } else {
    if (!CheckKeys(value, path, kTensorKeys) ||
        !ReadText(*value.Find("id"), JsonPath(&path, "id"), false,
                  &tensor.id)) {
      return false;
    }
    tensor.size = value.Find("size")->number;
    const LineJson* const place = value.Find("offset");
    if (place != nullptr) offset = place->number;
  }
  offsets_.push_back(offset);
  function->tensors.push_back(std::move(tensor));
  return true;
}

bool ProgramReader::ReadTensors(const LineJson& object, const JsonPath& path,
                                const char* key,
                                const ProgramFunction& function,
                                std::vector<size_t>* tensors) {
  return ReadList(
      object, path, key, [&](const LineJson& entry, const JsonPath& at) {
        if (entry.kind == Kind::kText) {
          const auto found = tensors_.find(entry.text);
          if (found == tensors_.end()) {
            return Fail(entry, at,
                        StrCat("no tensor ", Quoted(entry.text),
                               " in this function; expected one of its ids"));
          }
          tensors->push_back(found->second);
          return true;
        }
        if (!CheckKind(entry, at, Kind::kNumber)) return false;
        if (entry.number >= function.tensors.size()) {
          return Fail(entry, at,
                      StrCat("tensor ", entry.number, "; expected one of ",
                             function.tensors.size()));
        }
        tensors->push_back(entry.number);
        return true;
      });
}

bool ProgramReader::ReadKind(const LineJson& value, const JsonPath& path,
                             ProgramNode* node) {
  const char* first = nullptr;
  for (const auto& [key, kind] : kCallKeys) {
    if (value.Find(key) == nullptr) continue;
    if (first != nullptr) {
      return Fail(
          *value.Find(key), path,
          StrCat("both ", first, " and ", key, "; expected one kind of call"));
    }
    first = key;
    node->kind = kind;
    if (!ReadNumbers(value, path, key, &node->functions)) return false;
  }
  return true;
}

bool ProgramReader::ReadVariableUses(
    const LineJson& value, const JsonPath& path, const char* key,
    const char* tensor_key, Span<const JsonKey> keys,
    std::vector<std::pair<size_t, size_t>>* uses) {
  return ReadList(
      value, path, key, [&](const LineJson& entry, const JsonPath& at) {
        if (!CheckKeys(entry, at, keys)) return false;
        const LineJson& variable = *entry.Find("variable");
        const auto found = variables_.find(variable.text);
        if (found == variables_.end()) {
          return Fail(variable, JsonPath(&at, "variable"),
                      StrCat("no variable ", Quoted(variable.text),
                             "; expected the id of one"));
        }
        uses->emplace_back(found->second, entry.Find(tensor_key)->number);
        return true;
      });
}

bool ProgramReader::ReadSharing(const LineJson& value, const JsonPath& path,
                                ProgramNode* node) {
  const auto read = [&](const LineJson& entry, const JsonPath& at) {
    if (!CheckKeys(entry, at, kInPlaceKeys)) return false;
    const LineJson* const view = entry.Find("view");
    node->in_place.push_back({entry.Find("output")->number,
                              entry.Find("input")->number,
                              view != nullptr && view->number != 0});
    return true;
  };
  return ReadList(value, path, "in_place", read) &&
         ReadVariableUses(value, path, "reads", "output", kReadKeys,
                          &node->reads) &&
         ReadVariableUses(value, path, "assigns", "input", kAssignKeys,
                          &node->assigns);
}

bool ProgramReader::ReadNode(const LineJson& value, const JsonPath& path,
                             ProgramFunction* function) {
  ProgramNode node;
  if (!CheckKeys(value, path, kNodeKeys)) return false;
  const LineJson* const name = value.Find("name");
  if (name != nullptr &&
      !ReadText(*name, JsonPath(&path, "name"), true, &node.name)) {
    return false;
  }
  if (!ReadTensors(value, path, "in", *function, &node.inputs) ||
      !ReadTensors(value, path, "out", *function, &node.outputs) ||
      !ReadTensors(value, path, "temporaries", *function, &node.temporaries) ||
      !ReadKind(value, path, &node) || !ReadSharing(value, path, &node)) {
    return false;
  }
  function->nodes.push_back(std::move(node));
  return true;
}

bool ProgramReader::ReadFunction(const LineJson& value, const JsonPath& path) {
  ProgramFunction function;
  if (!CheckKeys(value, path, kFunctionKeys)) return false;
  const LineJson* const name = value.Find("name");
  if (name != nullptr &&
      !ReadText(*name, JsonPath(&path, "name"), true, &function.name)) {
    return false;
  }
  const auto tensor = [&](const LineJson& entry, const JsonPath& at) {
    return ReadTensor(entry, at, &function);
  };
  if (!ReadList(value, path, "tensors", tensor)) return false;
  tensors_.clear();
  const LineJson& list = *value.Find("tensors");
  const JsonPath tensors(&path, "tensors");
  for (size_t t = 0; t < function.tensors.size(); ++t) {
    if (tensors_.try_emplace(function.tensors[t].id, t).second) continue;
    return Fail(list.entries[t], JsonPath(&tensors, t),
                StrCat("id ", Quoted(function.tensors[t].id),
                       " twice; expected unique ids in a function"));
  }
  const auto node = [&](const LineJson& entry, const JsonPath& at) {
    return ReadNode(entry, at, &function);
  };
  if (!ReadTensors(value, path, "inputs", function, &function.inputs) ||
      !ReadTensors(value, path, "outputs", function, &function.outputs) ||
      !ReadList(value, path, "nodes", node)) {
    return false;
  }
  file_.program.functions.push_back(std::move(function));
  return true;
}

bool ProgramReader::ReadVariables() {
  const auto read = [&](const LineJson& entry, const JsonPath& at) {
    ProgramVariable variable;
    if (!CheckKeys(entry, at, kTensorKeys) ||
        !ReadText(*entry.Find("id"), JsonPath(&at, "id"), false,
                  &variable.id)) {
      return false;
    }
    variable.size = entry.Find("size")->number;
    const LineJson* const place = entry.Find("offset");
    variable_offsets_.push_back(
        place == nullptr ? nullopt : optional<size_t>(place->number));
    // The key of the map refers to the id in the document, which outlives the
    // map.
    const bool is_new =
        variables_
            .try_emplace(entry.Find("id")->text, file_.program.variables.size())
            .second;
    file_.program.variables.push_back(std::move(variable));
    return is_new ||
           Fail(entry, at, "an id of two variables; expected unique ids");
  };
  return ReadList(document_, root_, "variables", read);
}

bool ProgramReader::ReadOptions() {
  ProgramOptions& options = file_.options;
  if (const LineJson* value = document_.Find("alignment"); value != nullptr) {
    if (!IsValidAlignment(value->number)) {
      return Fail(*value, JsonPath(&root_, "alignment"),
                  StrCat("is ", value->number, "; expected a power of two"));
    }
    options.alignment = value->number;
  }
  if (const LineJson* value = document_.Find("capacity"); value != nullptr) {
    options.capacity = value->number;
  }
  if (const LineJson* value = document_.Find("expected_turns");
      value != nullptr) {
    options.expected_turns = value->number;
  }
  if (const LineJson* value = document_.Find("keeps_inputs");
      value != nullptr) {
    file_.program.keeps_inputs = value->number != 0;
  }
  if (const LineJson* value = document_.Find("state_in_place");
      value != nullptr) {
    options.state_in_place = value->number != 0;
  }
  const LineJson* const copies = document_.Find("copies");
  if (copies == nullptr) return true;
  for (const ProgramCopies each :
       {ProgramCopies::kMade, ProgramCopies::kChosen, ProgramCopies::kNone}) {
    if (ProgramCopiesName(each) != copies->text) continue;
    options.copies = each;
    return true;
  }
  return Fail(
      *copies, JsonPath(&root_, "copies"),
      StrCat("is ", Quoted(copies->text), "; expected made, chosen or none"));
}

// Finds the slot to which a value refers, either by a text such as "1.x" or by
// the id of a variable.
bool ProgramReader::FindSlot(const LineJson& value, const JsonPath& path,
                             size_t* slot) {
  if (!CheckKind(value, path, Kind::kText)) return false;
  const size_t dot = value.text.find('.');
  const std::string number = value.text.substr(0, dot);
  size_t first = 0;
  for (size_t f = 0; f < file_.program.functions.size(); ++f) {
    const std::vector<ProgramTensor>& tensors =
        file_.program.functions[f].tensors;
    if (dot != std::string::npos && number == StrCat(f)) {
      const string_view id = string_view(value.text).substr(dot + 1);
      for (size_t t = 0; t < tensors.size(); ++t) {
        if (tensors[t].id != id) continue;
        *slot = first + t;
        return true;
      }
    }
    first += tensors.size();
  }
  const auto found = variables_.find(value.text);
  if (found == variables_.end()) {
    return Fail(value, path,
                StrCat("no tensor ", Quoted(value.text),
                       "; expected a function and a tensor, as in \"0.x\""));
  }
  *slot = first + found->second;
  return true;
}

bool ProgramReader::ReadSame() {
  return ReadList(
      document_, root_, "same", [&](const LineJson& pair, const JsonPath& at) {
        if (!CheckKind(pair, at, Kind::kList)) return false;
        if (pair.entries.size() != 2) {
          return Fail(pair, at,
                      StrCat("a list of ", pair.entries.size(),
                             "; expected two tensors"));
        }
        std::array<size_t, 2> slots = {};
        for (size_t i = 0; i < 2; ++i) {
          if (!FindSlot(pair.entries[i], JsonPath(&at, i), &slots[i])) {
            return false;
          }
        }
        const optional<size_t>& place = file_.offsets[slots[0]];
        if (place && place == file_.offsets[slots[1]]) return true;
        return Fail(pair, at, "two offsets; expected one place for both");
      });
}

bool ProgramReader::ReadPlan() {
  offsets_.insert(offsets_.end(), variable_offsets_.begin(),
                  variable_offsets_.end());
  if (offsets_.size() > std::numeric_limits<SlotId>::max()) {
    return Fail(document_, root_, "too many tensors");
  }
  const bool has_plan =
      std::any_of(offsets_.begin(), offsets_.end(),
                  [](const auto& offset) { return offset.has_value(); });
  const LineJson* const same = document_.Find("same");
  const LineJson* const scratch = document_.Find("scratch");
  for (const LineJson* const list : {same, scratch}) {
    if (has_plan || list == nullptr || list->entries.empty()) continue;
    return Fail(*list, JsonPath(&root_, list == same ? "same" : "scratch"),
                "part of a plan, without offsets; expected a whole plan");
  }
  if (!has_plan) return true;
  file_.offsets = std::move(offsets_);
  const auto read = [&](const LineJson& entry, const JsonPath& at) {
    if (!CheckKeys(entry, at, kScratchKeys)) return false;
    const uint64_t point = entry.Find("point")->number;
    if (point >= kMaxProgramPoints ||
        (!file_.scratch.empty() && point <= file_.scratch.back().point)) {
      return Fail(entry, at,
                  StrCat("point ", point,
                         "; expected points in rising order, each once"));
    }
    file_.scratch.push_back({static_cast<uint32_t>(point),
                             entry.Find("size")->number,
                             entry.Find("offset")->number});
    return true;
  };
  return ReadSame() && ReadList(document_, root_, "scratch", read);
}

// Checks the program, and reports an error at the line of the invalid function
// or node.
bool ProgramReader::Check() {
  ProgramPlace place;
  const Status status = CheckProgram(file_.program, &place);
  if (status.ok()) return true;
  const JsonPath functions(&root_, "functions");
  if (!place.function) {
    return Fail(*document_.Find("functions"), root_, status.message());
  }
  const LineJson& function =
      document_.Find("functions")->entries[*place.function];
  const JsonPath at_function(&functions, *place.function);
  if (!place.node) return Fail(function, at_function, status.message());
  const JsonPath nodes(&at_function, "nodes");
  return Fail(function.Find("nodes")->entries[*place.node],
              JsonPath(&nodes, *place.node), status.message());
}

StatusOr<ProgramFile> ProgramReader::Read() {
  const auto function = [&](const LineJson& entry, const JsonPath& at) {
    return ReadFunction(entry, at);
  };
  const auto carried = [&](const LineJson& entry, const JsonPath& at) {
    if (!CheckKeys(entry, at, kCarriedKeys)) return false;
    file_.program.carried.push_back({entry.Find("entry")->number,
                                     entry.Find("output")->number,
                                     entry.Find("input")->number});
    return true;
  };
  if (!CheckKeys(document_, root_, kProgramKeys) || !ReadOptions() ||
      !ReadVariables() || !ReadList(document_, root_, "functions", function) ||
      !ReadList(document_, root_, "carried", carried)) {
    return status();
  }
  if (document_.Find("entries") != nullptr) {
    file_.program.entries.clear();
    if (!ReadNumbers(document_, root_, "entries", &file_.program.entries)) {
      return status();
    }
  }
  if (!ReadPlan() || !Check()) return status();
  return std::move(file_);
}

}  // namespace

StatusOr<ProgramFile> ParseProgramJson(string_view json, string_view name) {
  const StatusOr<LineJson> document = ParseLineJson(json, name, "program");
  if (!document.ok()) return document.status();
  return ProgramReader(name, *document).Read();
}

}  // namespace stowage
