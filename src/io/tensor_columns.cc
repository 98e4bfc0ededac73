// SPDX-License-Identifier: Apache-2.0
#include "src/io/tensor_columns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "src/base/str_split.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/labels.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

constexpr size_t kLeastNamedTasks = size_t{1} << 20;
// The maximum number of named tasks per record. Two would suffice for the first
// and last tasks of all records, but other tasks may have names, too.
constexpr size_t kNamedTasksOfRecord = 8;

Status ColumnError(string_view what, string_view expected) {
  return InvalidArgumentError(StrCat(what, "; expected ", expected));
}

Status CheckText(string_view column, string_view text) {
  if (IsFileText(text)) return OkStatus();
  return ColumnError(StrCat(column, " is ", Quoted(text)),
                     "text without control characters");
}

// Returns the name of an operator as it is written to a cell of tasks.
std::string OperatorText(string_view name) {
  std::string text = StrReplaceAll(FileText(name), {{"|", "\\x7c"}});
  if (!text.empty() && text.front() == ' ') text.replace(0, 1, "\\x20");
  if (!text.empty() && text.back() == ' ') {
    text.replace(text.size() - 1, 1, "\\x20");
  }
  return text;
}

}  // namespace

size_t NamedTaskLimit(size_t records) {
  return std::max(kLeastNamedTasks, kNamedTasksOfRecord * records);
}

StatusOr<TaskId> TensorColumnReader::ReadTask(string_view text, size_t line) {
  const size_t colon = text.find(':');
  const string_view digits = StripAsciiWhitespace(text.substr(0, colon));
  uint64_t task = 0;
  if (digits.empty() ||
      !std::all_of(digits.begin(), digits.end(), ascii_isdigit) ||
      !SimpleAtoi(digits, &task)) {
    return ColumnError(StrCat("is ", Quoted(text)),
                       "a task and its operator, as in \"3:CONV_2D\"");
  }
  if (colon == string_view::npos) return task;
  const string_view name = StripAsciiWhitespace(text.substr(colon + 1));
  if (name.empty() || !IsFileText(name)) {
    return ColumnError(
        StrCat("the operator of task ", task, " is ", Quoted(name)),
        "a name without control characters");
  }
  const auto [found, is_new] =
      operators_.try_emplace(task, NamedTask{std::string(name), line});
  if (!is_new && found->second.name != name) {
    return ColumnError(
        StrCat("the operator of task ", task, " is ", Quoted(name)),
        StrCat(Quoted(found->second.name), " as in line ", found->second.line));
  }
  return task;
}

StatusOr<TensorInfo> TensorColumnReader::Read(const Cells& cells, size_t line) {
  TensorInfo info;
  const auto read_text = [](string_view column, const std::string* cell,
                            std::string* text) {
    if (cell == nullptr) return OkStatus();
    *text = *cell;
    return CheckText(column, *cell);
  };
  Status status = read_text("name", cells.name, &info.name);
  if (status.ok()) status = read_text("type", cells.type, &info.type);
  if (status.ok()) status = read_text("shape", cells.shape, &info.shape);
  if (!status.ok()) return status;
  if (cells.producer != nullptr && !cells.producer->empty()) {
    const StatusOr<TaskId> task = ReadTask(*cells.producer, line);
    if (!task.ok()) {
      return InvalidArgumentError(
          StrCat("producer: ", task.status().message()));
    }
    info.producer = *task;
  }
  if (cells.consumers == nullptr || cells.consumers->empty()) return info;
  for (const string_view text : StrSplit(*cells.consumers, '|')) {
    const StatusOr<TaskId> task = ReadTask(text, line);
    if (!task.ok()) {
      return InvalidArgumentError(
          StrCat("consumers: ", task.status().message()));
    }
    if (!info.consumers.empty() && *task <= info.consumers.back()) {
      return ColumnError(StrCat("consumers: task ", *task, " after task ",
                                info.consumers.back()),
                         "rising tasks, each once");
    }
    info.consumers.push_back(*task);
  }
  return info;
}

StatusOr<std::vector<std::string>> TensorColumnReader::Operators(
    size_t records, size_t* line) const {
  std::vector<std::string> operators;
  size_t count = 0;
  for (const auto& [task, named] : operators_) {
    if (task >= NamedTaskLimit(records)) {
      *line = named.line;
      return ColumnError(
          StrCat("the operator of task ", task, " is ", Quoted(named.name)),
          StrCat("names of tasks below ", NamedTaskLimit(records), " alone"));
    }
    count = std::max(count, task + 1);
  }
  operators.resize(count);
  for (const auto& [task, named] : operators_) operators[task] = named.name;
  return operators;
}

std::string FormatTaskCell(Span<const TaskId> tasks,
                           Span<const std::string> operators) {
  std::string cell;
  for (const TaskId task : tasks) {
    StrAppend(&cell, cell.empty() ? "" : "|", task);
    if (task >= operators.size() || operators[task].empty()) continue;
    StrAppend(&cell, ":", OperatorText(operators[task]));
  }
  return cell;
}

}  // namespace stowage
