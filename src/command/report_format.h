// SPDX-License-Identifier: Apache-2.0
// Reports for people, programs and pull requests.
#ifndef STOWAGE_SRC_COMMAND_REPORT_FORMAT_H_
#define STOWAGE_SRC_COMMAND_REPORT_FORMAT_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "src/command/json.h"
#include "stowage/trace.h"

namespace stowage::cli {

enum class ReportFormat { kText, kJson, kMarkdown };

// --format text|json|markdown
void AddReportFormat(CLI::App* verb, ReportFormat* format);

// What a table calls a tensor: its id and, where there are any, its name and
// what writes it. Cut to what a row can hold.
std::string TensorCell(const Trace& trace, size_t record, ReportFormat format);

// A number of bytes: with separators in Markdown.
std::string BytesCell(size_t bytes, ReportFormat format);

// "12-45", both inclusive; "12" for one task.
std::string TasksCell(const Trace& trace, size_t record);

// "9.9 %", rounded to a tenth; "-" of nothing.
std::string Percent(size_t part, size_t whole);

// The operator that writes a tensor; empty where it is not known.
std::string ProducerName(const Trace& trace, size_t record);

// Id, and what else is known of a tensor: name, type, shape, producer,
// operator, consumers.
Json TensorJson(const Trace& trace, size_t record);

// A document of one line whose last values are lists that are too long to be
// kept as JSON: they are written entry by entry.
class LongDocument {
 public:
  // `start` is an object with some value.
  explicit LongDocument(const Json& start);

  // Begins another list.
  void BeginList(const std::string& name);
  // To the list that was begun last.
  void Add(const Json& entry);
  // The text, with its end.
  std::string Finish();

 private:
  std::string text_;
  bool has_list_ = false;
  bool has_entry_ = false;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_REPORT_FORMAT_H_
