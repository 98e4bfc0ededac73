// SPDX-License-Identifier: Apache-2.0
#include "src/io/tensor_columns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/base/text.h"
#include "stowage/labels.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

constexpr size_t kLeastNamedTasks = size_t{1} << 20;
// The limit on tasks with names is this number for each record. A record begins
// and ends at two tasks at most. The number is larger than two, since other
// tasks may have names, too.
constexpr size_t kNamedTasksOfRecord = 8;

absl::Status ColumnError(absl::string_view what, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, "; expected ", expected));
}

absl::Status CheckText(absl::string_view column, absl::string_view text) {
  if (IsFileText(text)) return absl::OkStatus();
  return ColumnError(absl::StrCat(column, " is ", Quoted(text)),
                     "text without control characters");
}

// Returns the name of an operator as a cell of tasks contains it.
std::string OperatorText(absl::string_view name) {
  std::string text = absl::StrReplaceAll(FileText(name), {{"|", "\\x7c"}});
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

absl::StatusOr<TaskId> TensorColumnReader::ReadTask(absl::string_view text,
                                                    size_t line) {
  const size_t colon = text.find(':');
  const absl::string_view digits =
      absl::StripAsciiWhitespace(text.substr(0, colon));
  uint64_t task = 0;
  if (digits.empty() || !absl::c_all_of(digits, absl::ascii_isdigit) ||
      !absl::SimpleAtoi(digits, &task)) {
    return ColumnError(absl::StrCat("is ", Quoted(text)),
                       "a task and its operator, as in \"3:CONV_2D\"");
  }
  if (colon == absl::string_view::npos) return task;
  const absl::string_view name =
      absl::StripAsciiWhitespace(text.substr(colon + 1));
  if (name.empty() || !IsFileText(name)) {
    return ColumnError(
        absl::StrCat("the operator of task ", task, " is ", Quoted(name)),
        "a name without control characters");
  }
  const auto [found, is_new] =
      operators_.try_emplace(task, NamedTask{std::string(name), line});
  if (!is_new && found->second.name != name) {
    return ColumnError(
        absl::StrCat("the operator of task ", task, " is ", Quoted(name)),
        absl::StrCat(Quoted(found->second.name), " as in line ",
                     found->second.line));
  }
  return task;
}

absl::StatusOr<TensorInfo> TensorColumnReader::Read(const Cells& cells,
                                                    size_t line) {
  TensorInfo info;
  const auto read_text = [](absl::string_view column, const std::string* cell,
                            std::string* text) {
    if (cell == nullptr) return absl::OkStatus();
    *text = *cell;
    return CheckText(column, *cell);
  };
  absl::Status status = read_text("name", cells.name, &info.name);
  if (status.ok()) status = read_text("type", cells.type, &info.type);
  if (status.ok()) status = read_text("shape", cells.shape, &info.shape);
  if (!status.ok()) return status;
  if (cells.producer != nullptr && !cells.producer->empty()) {
    const absl::StatusOr<TaskId> task = ReadTask(*cells.producer, line);
    if (!task.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("producer: ", task.status().message()));
    }
    info.producer = *task;
  }
  if (cells.consumers == nullptr || cells.consumers->empty()) return info;
  for (const absl::string_view text : absl::StrSplit(*cells.consumers, '|')) {
    const absl::StatusOr<TaskId> task = ReadTask(text, line);
    if (!task.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("consumers: ", task.status().message()));
    }
    if (!info.consumers.empty() && *task <= info.consumers.back()) {
      return ColumnError(absl::StrCat("consumers: task ", *task, " after task ",
                                      info.consumers.back()),
                         "rising tasks, each once");
    }
    info.consumers.push_back(*task);
  }
  return info;
}

absl::StatusOr<std::vector<std::string>> TensorColumnReader::Operators(
    size_t records, size_t* line) const {
  std::vector<std::string> operators;
  size_t count = 0;
  for (const auto& [task, named] : operators_) {
    if (task >= NamedTaskLimit(records)) {
      *line = named.line;
      return ColumnError(absl::StrCat("the operator of task ", task, " is ",
                                      Quoted(named.name)),
                         absl::StrCat("names of tasks below ",
                                      NamedTaskLimit(records), " alone"));
    }
    count = std::max(count, task + 1);
  }
  operators.resize(count);
  for (const auto& [task, named] : operators_) operators[task] = named.name;
  return operators;
}

std::string FormatTaskCell(absl::Span<const TaskId> tasks,
                           absl::Span<const std::string> operators) {
  std::string cell;
  for (const TaskId task : tasks) {
    absl::StrAppend(&cell, cell.empty() ? "" : "|", task);
    if (task >= operators.size() || operators[task].empty()) continue;
    absl::StrAppend(&cell, ":", OperatorText(operators[task]));
  }
  return cell;
}

}  // namespace stowage
