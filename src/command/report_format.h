// SPDX-License-Identifier: Apache-2.0
// Formats shared by the reports for users, programs and pull requests.
#ifndef STOWAGE_SRC_COMMAND_REPORT_FORMAT_H_
#define STOWAGE_SRC_COMMAND_REPORT_FORMAT_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "src/command/json.h"
#include "stowage/problem.h"

namespace stowage::cli {

enum class ReportFormat { kText, kJson, kMarkdown };

// Adds --format text|json|markdown.
void AddReportFormat(CLI::App* verb, ReportFormat* format);

// Returns the name of a tensor in a table: its id and, if known, its name and
// the operator that writes it. The text is cut to fit a row.
std::string TensorCell(const ProblemSpec& problem, size_t record,
                       ReportFormat format);

// Returns a number of bytes, with separators in Markdown.
std::string BytesCell(size_t bytes, ReportFormat format);

// Returns the first and the last task of a tensor, "12-45", or only "12" if the
// tensor is live at one task.
std::string TasksCell(const ProblemSpec& problem, size_t record);

// Formats the share of `part` in `whole`, rounded to a tenth of a percent: "9.9
// %". Returns "-" if `whole` is 0.
std::string Percent(size_t part, size_t whole);

// Returns the operator that writes a tensor, or an empty string if it is not
// known.
std::string ProducerName(const ProblemSpec& problem, size_t record);

// Returns the id of a tensor and what else is known of it: name, type, shape,
// producer, operator and consumers.
Json TensorJson(const ProblemSpec& problem, size_t record);

// Writes a JSON document on one line. The last values of the document are
// lists, which are written entry by entry, so that they need not be kept as
// JSON. Use it for lists that may be long.
class LongDocument {
 public:
  // `start` must be an object with at least one value.
  explicit LongDocument(const Json& start);

  // Begins another list.
  void BeginList(const std::string& name);
  // Adds an entry to the list that was begun last.
  void Add(const Json& entry);
  // Returns the text with its line end.
  std::string Finish();

 private:
  std::string text_;
  bool has_list_ = false;
  bool has_entry_ = false;
};

}  // namespace stowage::cli

#endif  // STOWAGE_SRC_COMMAND_REPORT_FORMAT_H_
