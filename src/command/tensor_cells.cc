// SPDX-License-Identifier: Apache-2.0
#include "src/command/tensor_cells.h"

#include <cstddef>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "src/command/answer.h"
#include "src/command/json.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage::cli {
namespace {

// Returns the operator that writes a tensor, or an empty string if it is not
// known.
std::string ProducerName(const Trace& trace, size_t record) {
  if (record >= trace.tensors.size()) return "";
  const auto& producer = trace.tensors[record].producer;
  if (!producer || *producer >= trace.operators.size()) return "";
  return trace.operators[*producer];
}

}  // namespace

Value TensorCell(const Trace& trace, size_t record) {
  constexpr size_t kMost = 40;
  Value cell = Name(trace.ids[record], kMost);
  if (record >= trace.tensors.size()) return cell;
  const std::string& name = trace.tensors[record].name;
  if (!name.empty()) cell = Phrase(cell, " ", Name(name, kMost));
  const std::string producer = ProducerName(trace, record);
  if (producer.empty()) return cell;
  return Phrase(cell, " (", Name(producer, kMost), ")");
}

std::string TasksCell(const Trace& trace, size_t record) {
  const TensorUsageRecord<size_t>& r = trace.records[record];
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

Json TensorJson(const Trace& trace, size_t record) {
  Json entry = {{"id", trace.ids[record]}};
  if (record < trace.tensors.size()) {
    const TensorInfo& info = trace.tensors[record];
    if (!info.name.empty()) entry["name"] = info.name;
    if (!info.type.empty()) entry["type"] = info.type;
    if (!info.shape.empty()) entry["shape"] = info.shape;
    if (info.producer) entry["producer"] = *info.producer;
    const std::string producer = ProducerName(trace, record);
    if (!producer.empty()) entry["operator"] = producer;
    if (!info.consumers.empty()) entry["consumers"] = info.consumers;
  }
  entry["size"] = trace.records[record].tensor_size;
  entry["first_task"] = trace.records[record].first_task;
  entry["last_task"] = trace.records[record].last_task;
  return entry;
}

}  // namespace stowage::cli
