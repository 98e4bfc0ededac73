// SPDX-License-Identifier: Apache-2.0
// Reads problems with parameters from JSON.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/io/line_json.h"
#include "src/io/line_json_reader.h"
#include "src/io/name_table.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/dynamic/dynamic_file.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

using Kind = LineJson::Kind;

constexpr JsonKey kProblemKeys[] = {
    {"parameters", Kind::kObject, false}, {"where", Kind::kList, false},
    {"scenarios", Kind::kList, false},    {"alignment", Kind::kNumber, false},
    {"capacity", Kind::kNumber, false},   {"records", Kind::kList, true},
    {"operators", Kind::kList, false},    {"reserve", Kind::kNumber, false},
    {"ratio", Kind::kText, false},        {"worst", Kind::kText, false}};
constexpr JsonKey kParameterKeys[] = {{"min", Kind::kNumber, true},
                                      {"max", Kind::kNumber, true},
                                      {"step", Kind::kNumber, false}};
constexpr JsonKey kRecordKeys[] = {
    {"id", Kind::kText, true},           {"size", Kind::kText, true, true},
    {"lower", Kind::kNumber, true},      {"upper", Kind::kNumber, true},
    {"alignment", Kind::kNumber, false}, {"fixed", Kind::kNumber, false},
    {"group", Kind::kText, false},       {"at", Kind::kNumber, false},
    {"stack", Kind::kNumber, false},     {"offset", Kind::kText, false, true},
    {"name", Kind::kText, false},        {"type", Kind::kText, false},
    {"shape", Kind::kText, false},       {"producer", Kind::kNumber, false},
    {"consumers", Kind::kList, false}};
// The keys of problem files that are not supported in problems with parameters.
constexpr const char* kUnsupportedOfProblem[] = {
    "holes",   "apart", "never",   "prefer_apart", "same_or_apart",
    "tasks",   "edges", "order",   "waits",        "execution_order",
    "streams", "pools", "entries", "functions"};
constexpr const char* kUnsupportedOfRecord[] = {"users", "min",    "max",
                                                "pools", "object", "pool"};

class DynamicReader : private LineJsonReader {
 public:
  DynamicReader(string_view name, const LineJson& document)
      : LineJsonReader(name, "problem"), name_(name), document_(document) {}

  StatusOr<DynamicFile> Read() {
    if (CheckSupported(document_, root_, kUnsupportedOfProblem) &&
        CheckKeys(document_, root_, kProblemKeys) && ReadParameters() &&
        ReadTexts("where", &file_.problem.where) &&
        ReadTexts("scenarios", &file_.problem.scenarios) && ReadNumbersOf() &&
        ReadList(document_, root_, "records",
                 [&](const LineJson& value, const JsonPath& path) {
                   return ReadRecord(value, path);
                 }) &&
        ReadTexts("operators", &file_.problem.problem.labels.operators) &&
        FinishRecords() && FinishOrder()) {
      return std::move(file_);
    }
    return unsupported_.ok() ? status() : unsupported_;
  }

 private:
  bool CheckSupported(const LineJson& object, const JsonPath& path,
                      Span<const char* const> keys);
  bool ReadParameters();
  bool ReadTexts(const char* key, std::vector<std::string>* texts);
  bool ReadNumbersOf();
  bool ReadRecord(const LineJson& value, const JsonPath& path);
  bool ReadInterval(const LineJson& value, const JsonPath& path);
  bool ReadSize(const LineJson& value, const JsonPath& path);
  bool ReadPlace(const LineJson& value, const JsonPath& path);
  bool ReadConstraints(const LineJson& value, const JsonPath& path);
  bool ReadTensor(const LineJson& value, const JsonPath& path);
  bool FinishRecords();
  bool FinishOrder();

  const string_view name_;
  const LineJson& document_;
  const JsonPath root_;
  DynamicFile file_;
  flat_hash_set<string_view> ids_;
  NameTable groups_;
  bool has_labels_ = false;
  // The stacking order in the file, as pairs of a position and a record.
  std::vector<std::pair<size_t, size_t>> stack_;
  Status unsupported_;
};

bool DynamicReader::CheckSupported(const LineJson& object, const JsonPath& path,
                                   Span<const char* const> keys) {
  for (const char* const key : keys) {
    const LineJson* const found = object.Find(key);
    if (found == nullptr) continue;
    const JsonPath at(&path, key);
    unsupported_ = UnimplementedError(
        StrCat(name_, ":", found->line, ": ", at.ToString(),
               ": not supported with parameters; expected lifetimes, "
               "alignments, groups, fixed offsets and a capacity alone"));
    return false;
  }
  return true;
}

bool DynamicReader::ReadParameters() {
  const LineJson* const parameters = document_.Find("parameters");
  if (parameters == nullptr) return true;
  const JsonPath path(&root_, "parameters");
  for (size_t k = 0; k < parameters->entries.size(); ++k) {
    const LineJson& value = parameters->entries[k];
    SizeParameter parameter;
    parameter.name = parameters->keys[k];
    const JsonPath at(&path, parameter.name);
    if (value.kind == Kind::kObject && value.Find("max") == nullptr) {
      return Fail(value, at,
                  StrCat("no upper bound: ", FileText(parameter.name),
                         "; expected a max"));
    }
    if (!CheckKeys(value, at, kParameterKeys)) return false;
    parameter.min = value.Find("min")->number;
    parameter.max = value.Find("max")->number;
    if (const LineJson* const step = value.Find("step"); step != nullptr) {
      parameter.step = step->number;
    }
    file_.problem.parameters.push_back(std::move(parameter));
  }
  return true;
}

bool DynamicReader::ReadTexts(const char* key,
                              std::vector<std::string>* texts) {
  return ReadList(document_, root_, key,
                  [&](const LineJson& value, const JsonPath& path) {
                    texts->emplace_back();
                    return ReadText(value, path, true, &texts->back());
                  });
}

bool DynamicReader::ReadNumbersOf() {
  ProblemSpec& problem = file_.problem.problem;
  if (const LineJson* const value = document_.Find("alignment");
      value != nullptr) {
    problem.alignment = value->number;
    if (!IsValidAlignment(problem.alignment)) {
      return Fail(*value, JsonPath(&root_, "alignment"),
                  StrCat("is ", value->number, "; expected a power of two"));
    }
  }
  if (const LineJson* const value = document_.Find("capacity");
      value != nullptr) {
    problem.capacity = value->number;
  }
  if (const LineJson* const value = document_.Find("reserve");
      value != nullptr) {
    file_.reserve = value->number;
  }
  if (const LineJson* const value = document_.Find("ratio"); value != nullptr) {
    file_.ratio = value->text;
  }
  if (const LineJson* const value = document_.Find("worst"); value != nullptr) {
    file_.worst = value->text;
  }
  return true;
}

bool DynamicReader::ReadInterval(const LineJson& value, const JsonPath& path) {
  const LineJson& lower = *value.Find("lower");
  const LineJson& upper = *value.Find("upper");
  if (lower.number >= upper.number) {
    return Fail(upper, JsonPath(&path, "upper"),
                StrCat("is ", upper.number, "; expected more than the lower ",
                       lower.number));
  }
  file_.problem.problem.records.emplace_back(0, lower.number, upper.number - 1);
  return true;
}

bool DynamicReader::ReadSize(const LineJson& value, const JsonPath& path) {
  const LineJson& size = *value.Find("size");
  const JsonPath at(&path, "size");
  DynamicSpec& problem = file_.problem;
  if (problem.scenarios.empty()) {
    if (size.kind == Kind::kNumber) {
      problem.sizes.push_back(StrCat(size.number));
      return true;
    }
    if (!CheckKind(size, at, Kind::kText)) return false;
    problem.sizes.push_back(size.text);
    return true;
  }
  std::vector<size_t> table;
  if (size.kind == Kind::kNumber) {
    table.assign(problem.scenarios.size(), size.number);
  } else if (!CheckKind(size, at, Kind::kList) ||
             !ReadNumbers(value, path, "size", &table)) {
    return false;
  }
  if (table.size() != problem.scenarios.size()) {
    return Fail(size, at,
                StrCat("has ", table.size(), " sizes; expected ",
                       problem.scenarios.size(), ", one for each scenario"));
  }
  problem.tables.push_back(std::move(table));
  return true;
}

bool DynamicReader::ReadPlace(const LineJson& value, const JsonPath& path) {
  if (const LineJson* const stack = value.Find("stack"); stack != nullptr) {
    stack_.emplace_back(stack->number,
                        file_.problem.problem.records.size() - 1);
  }
  const LineJson* const offset = value.Find("offset");
  if (offset == nullptr) return true;
  if (offset->kind == Kind::kNumber) {
    file_.offsets.push_back(StrCat(offset->number));
    return true;
  }
  if (!CheckKind(*offset, JsonPath(&path, "offset"), Kind::kText)) return false;
  file_.offsets.push_back(offset->text);
  return true;
}

bool DynamicReader::ReadConstraints(const LineJson& value,
                                    const JsonPath& path) {
  ProblemSpec& problem = file_.problem.problem;
  const size_t record = problem.records.size() - 1;
  if (const LineJson* const fixed = value.Find("fixed"); fixed != nullptr) {
    problem.fixed_offsets.resize(record + 1);
    problem.fixed_offsets[record] = fixed->number;
  }
  const LineJson* const group = value.Find("group");
  const LineJson* const at = value.Find("at");
  if (group == nullptr) {
    return at == nullptr || Fail(*at, JsonPath(&path, "at"),
                                 "without a group; expected both or none");
  }
  RecordPlace place;
  place.group = groups_.NumberOf(group->text);
  place.at = at == nullptr ? 0 : at->number;
  problem.constraints.places.resize(record + 1);
  problem.constraints.places[record] = place;
  return true;
}

bool DynamicReader::ReadTensor(const LineJson& value, const JsonPath& path) {
  TensorInfo tensor;
  const auto read = [&](const char* key, std::string* text) {
    const LineJson* const found = value.Find(key);
    if (found == nullptr) return;
    *text = found->text;
    has_labels_ = true;
  };
  read("name", &tensor.name);
  read("type", &tensor.type);
  read("shape", &tensor.shape);
  if (const LineJson* const producer = value.Find("producer");
      producer != nullptr) {
    tensor.producer = producer->number;
    has_labels_ = true;
  }
  if (!ReadNumbers(value, path, "consumers", &tensor.consumers)) return false;
  has_labels_ = has_labels_ || !tensor.consumers.empty();
  file_.problem.problem.labels.tensors.push_back(std::move(tensor));
  return true;
}

bool DynamicReader::ReadRecord(const LineJson& value, const JsonPath& path) {
  if (value.kind == Kind::kObject &&
      !CheckSupported(value, path, kUnsupportedOfRecord)) {
    return false;
  }
  if (!CheckKeys(value, path, kRecordKeys)) return false;
  ProblemSpec& problem = file_.problem.problem;
  const LineJson& id = *value.Find("id");
  std::string name;
  if (!ReadText(id, JsonPath(&path, "id"), false, &name)) return false;
  if (!ids_.insert(id.text).second) {
    return Fail(id, JsonPath(&path, "id"),
                StrCat("is ", Quoted(id.text), " again; expected another id"));
  }
  problem.names.push_back(std::move(name));
  if (!ReadInterval(value, path) || !ReadSize(value, path) ||
      !ReadPlace(value, path) || !ReadConstraints(value, path) ||
      !ReadTensor(value, path)) {
    return false;
  }
  size_t alignment = problem.alignment;
  if (const LineJson* const found = value.Find("alignment"); found != nullptr) {
    alignment = found->number;
    if (!IsValidAlignment(alignment)) {
      return Fail(*found, JsonPath(&path, "alignment"),
                  StrCat("is ", alignment, "; expected a power of two"));
    }
  }
  problem.alignments.push_back(alignment);
  return true;
}

bool DynamicReader::FinishRecords() {
  ProblemSpec& problem = file_.problem.problem;
  if (!has_labels_) problem.labels.tensors.clear();
  const size_t count = problem.records.size();
  if (!problem.fixed_offsets.empty()) problem.fixed_offsets.resize(count);
  if (!problem.constraints.places.empty()) {
    problem.constraints.places.resize(count);
  }
  problem.labels.groups = groups_.names();
  const size_t alignment = problem.alignment;
  if (std::all_of(problem.alignments.begin(), problem.alignments.end(),
                  [&](size_t each) { return each == alignment; })) {
    problem.alignments.clear();
  }
  const size_t places = std::max(stack_.size(), file_.offsets.size());
  const LineJson& records = *document_.Find("records");
  const JsonPath path(&root_, "records");
  if (!stack_.empty() && !file_.offsets.empty()) {
    return Fail(records, path, "both stack and offset; expected one of them");
  }
  if (places != 0 && places != problem.records.size()) {
    return Fail(records, path,
                StrCat(places, " of ", problem.records.size(),
                       " records have a place; expected all or none"));
  }
  return true;
}

bool DynamicReader::FinishOrder() {
  std::sort(stack_.begin(), stack_.end());
  const JsonPath path(&root_, "records");
  for (size_t k = 0; k < stack_.size(); ++k) {
    if (stack_[k].first == k) {
      file_.order.push_back(stack_[k].second);
      continue;
    }
    const size_t record = stack_[k].second;
    const JsonPath at(&path, record);
    const LineJson& value = document_.Find("records")->entries[record];
    return Fail(*value.Find("stack"), JsonPath(&at, "stack"),
                StrCat("is ", stack_[k].first, "; expected the positions 0 to ",
                       stack_.size() - 1, ", each once"));
  }
  return true;
}

}  // namespace

StatusOr<DynamicFile> ParseDynamicJson(string_view json, string_view name) {
  const StatusOr<LineJson> document = ParseLineJson(json, name, "problem");
  if (!document.ok()) return document.status();
  return DynamicReader(name, *document).Read();
}

}  // namespace stowage
