// SPDX-License-Identifier: Apache-2.0
#include "src/command/report_format.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/base/text.h"
#include "src/command/json.h"
#include "src/command/markdown.h"
#include "src/command/options.h"
#include "src/command/text.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::cli {
namespace {

// Returns the JSON text without the line end that Dump adds.
std::string DumpEntry(const Json& entry) {
  std::string text = Dump(entry);
  text.pop_back();
  return text;
}

}  // namespace

void AddReportFormat(CLI::App* verb, ReportFormat* format) {
  AddValue(verb, "--format", "text|json|markdown",
           "json: one document on standard output; markdown: for a pull "
           "request",
           [format](const std::string& value) {
             if (value == "text") {
               *format = ReportFormat::kText;
             } else if (value == "json") {
               *format = ReportFormat::kJson;
             } else if (value == "markdown") {
               *format = ReportFormat::kMarkdown;
             } else {
               return absl::InvalidArgumentError(absl::StrCat(
                   "'", value, "'; expected text, json or markdown"));
             }
             return absl::OkStatus();
           });
}

std::string ProducerName(const ProblemSpec& problem, size_t record) {
  if (record >= problem.labels.tensors.size()) return "";
  const auto& producer = problem.labels.tensors[record].producer;
  if (!producer || *producer >= problem.labels.operators.size()) return "";
  return problem.labels.operators[*producer];
}

std::string TensorCell(const ProblemSpec& problem, size_t record,
                       ReportFormat format) {
  constexpr size_t kMost = 40;
  const auto shown = [format](const std::string& text) {
    return format == ReportFormat::kMarkdown ? CodeSpan(text, kMost)
                                             : Shortened(text, kMost);
  };
  std::string cell = shown(problem.names[record]);
  if (record >= problem.labels.tensors.size()) return cell;
  const std::string& name = problem.labels.tensors[record].name;
  if (!name.empty()) absl::StrAppend(&cell, " ", shown(name));
  const std::string producer = ProducerName(problem, record);
  if (!producer.empty()) absl::StrAppend(&cell, " (", shown(producer), ")");
  return cell;
}

std::string BytesCell(size_t bytes, ReportFormat format) {
  return format == ReportFormat::kMarkdown ? Grouped(bytes)
                                           : absl::StrCat(bytes);
}

std::string TasksCell(const ProblemSpec& problem, size_t record) {
  const TensorUsageRecord<size_t>& r = problem.records[record];
  return r.first_task == r.last_task
             ? absl::StrCat(r.first_task)
             : absl::StrCat(r.first_task, "-", r.last_task);
}

std::string Percent(size_t part, size_t whole) {
  if (whole == 0) return "-";
  const absl::uint128 tenths = (absl::uint128(part) * 1000 + whole / 2) / whole;
  const absl::uint128 percent = tenths / 10;
  if (percent > absl::Uint128Max() >> 64) return "-";
  return absl::StrCat(absl::Uint128Low64(percent), ".",
                      absl::Uint128Low64(tenths % 10), " %");
}

Json TensorJson(const ProblemSpec& problem, size_t record) {
  Json entry = {{"id", problem.names[record]}};
  if (record < problem.labels.tensors.size()) {
    const TensorInfo& info = problem.labels.tensors[record];
    if (!info.name.empty()) entry["name"] = info.name;
    if (!info.type.empty()) entry["type"] = info.type;
    if (!info.shape.empty()) entry["shape"] = info.shape;
    if (info.producer) entry["producer"] = *info.producer;
    const std::string producer = ProducerName(problem, record);
    if (!producer.empty()) entry["operator"] = producer;
    if (!info.consumers.empty()) entry["consumers"] = info.consumers;
  }
  entry["size"] = problem.records[record].tensor_size;
  entry["first_task"] = problem.records[record].first_task;
  entry["last_task"] = problem.records[record].last_task;
  return entry;
}

LongDocument::LongDocument(const Json& start) : text_(DumpEntry(start)) {
  text_.pop_back();
}

void LongDocument::BeginList(const std::string& name) {
  absl::StrAppend(&text_, has_list_ ? "]" : "", ",", DumpEntry(Json(name)),
                  ":[");
  has_list_ = true;
  has_entry_ = false;
}

void LongDocument::Add(const Json& entry) {
  absl::StrAppend(&text_, has_entry_ ? "," : "", DumpEntry(entry));
  has_entry_ = true;
}

std::string LongDocument::Finish() {
  absl::StrAppend(&text_, has_list_ ? "]" : "", "}\n");
  return std::move(text_);
}

}  // namespace stowage::cli
