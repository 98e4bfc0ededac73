// SPDX-License-Identifier: Apache-2.0
#include "src/command/tensor_cells.h"

#include <cstddef>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/command/answer.h"
#include "src/command/json.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"

namespace stowage::cli {
namespace {

// Returns the operator that writes a tensor, or an empty string if the operator
// is not known.
std::string ProducerName(const ProblemSpec& problem, size_t record) {
  if (record >= problem.labels.tensors.size()) return "";
  const auto& producer = problem.labels.tensors[record].producer;
  if (!producer || *producer >= problem.labels.operators.size()) return "";
  return problem.labels.operators[*producer];
}

}  // namespace

Value TensorCell(const ProblemSpec& problem, size_t record) {
  constexpr size_t kMax = 40;
  Value cell = Name(problem.names[record], kMax);
  if (record >= problem.labels.tensors.size()) return cell;
  const std::string& name = problem.labels.tensors[record].name;
  if (!name.empty()) cell = Phrase(cell, " ", Name(name, kMax));
  const std::string producer = ProducerName(problem, record);
  if (producer.empty()) return cell;
  return Phrase(cell, " (", Name(producer, kMax), ")");
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

}  // namespace stowage::cli
