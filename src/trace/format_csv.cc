// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <limits>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/trace/columns.h"
#include "src/trace/line_reader.h"
#include "src/trace/text.h"
#include "stowage/error_payload.h"
#include "stowage/tensor_size.h"
#include "stowage/trace.h"

namespace stowage {
namespace {

// Calls `visit` with each optional column and its list, in the order in which
// they are written. A list has an entry for each record, or none.
template <typename Visit>
void ForEachOptionalColumn(const Trace& trace, Visit visit) {
  visit(kAlignment, trace.alignments);
  visit(kFixed, trace.fixed);
  visit(kOffset, trace.offsets);
  visit(kObject, trace.objects);
}

std::string CellText(size_t number) { return absl::StrCat(number); }
std::string CellText(absl::optional<size_t> number) {
  return number ? absl::StrCat(*number) : "";
}

absl::Status RecordError(size_t record, absl::string_view message) {
  return WithRecords(absl::InvalidArgumentError(
                         absl::StrCat("record ", record, ": ", message)),
                     {record});
}

absl::Status CheckLists(const Trace& trace) {
  const size_t count = trace.records.size();
  if (trace.ids.size() != count) {
    return absl::InvalidArgumentError(
        absl::StrCat(trace.ids.size(), " ids; expected one for each of the ",
                     count, " records"));
  }
  absl::Status status;
  ForEachOptionalColumn(trace, [&](Column column, const auto& list) {
    if (list.empty() || list.size() == count) return;
    status.Update(absl::InvalidArgumentError(
        absl::StrCat(list.size(), " entries in the column ",
                     kColumnNames[column], "; expected none or ", count)));
  });
  if (!status.ok()) return status;
  if (!trace.offsets.empty() && !trace.objects.empty()) {
    return absl::InvalidArgumentError(
        "both offsets and objects; expected one of them");
  }
  return absl::OkStatus();
}

absl::Status CheckRecord(const Trace& trace, size_t i) {
  const TensorUsageRecord<size_t>& record = trace.records[i];
  if (record.first_task > record.last_task) {
    return RecordError(i,
                       absl::StrCat("first task ", record.first_task,
                                    " is after last task ", record.last_task));
  }
  if (record.last_task == std::numeric_limits<size_t>::max()) {
    return WithRecords(
        absl::OutOfRangeError(absl::StrCat(
            "record ", i, ": its last task is ", record.last_task,
            ", and a file names the task after it; expected less")),
        {i});
  }
  if (!trace.alignments.empty() && !IsValidAlignment(trace.alignments[i])) {
    return RecordError(i, absl::StrCat("alignment is ", trace.alignments[i],
                                       "; expected a power of two"));
  }
  return absl::OkStatus();
}

absl::Status CheckId(const Trace& trace, size_t i,
                     absl::flat_hash_set<absl::string_view>* seen) {
  const std::string& id = trace.ids[i];
  if (id.empty()) {
    return RecordError(i, "its id is empty; expected a unique id");
  }
  if (!IsUtf8(id) || absl::StrContains(id, '\0')) {
    return RecordError(
        i, absl::StrCat("its id ", Quoted(id), " is not UTF-8 text"));
  }
  if (!seen->insert(id).second) {
    return RecordError(
        i, absl::StrCat("its id ", Quoted(id),
                        " is that of another; expected a unique id"));
  }
  return absl::OkStatus();
}

bool NeedsQuotes(absl::string_view id) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  return id.find_first_of(",\"\r\n") != absl::string_view::npos ||
         id.front() == '#' || is_blank(id.front()) || is_blank(id.back());
}

void AppendId(absl::string_view id, std::string* csv) {
  if (NeedsQuotes(id)) {
    absl::StrAppend(csv, "\"", absl::StrReplaceAll(id, {{"\"", "\"\""}}), "\"");
  } else {
    absl::StrAppend(csv, id);
  }
}

void AppendHeader(const Trace& trace, std::string* csv) {
  absl::StrAppend(csv, "id,lower,upper,size");
  ForEachOptionalColumn(trace, [csv](Column column, const auto& list) {
    if (!list.empty()) absl::StrAppend(csv, ",", kColumnNames[column]);
  });
  *csv += '\n';
}

void AppendRecord(const Trace& trace, size_t i, std::string* csv) {
  const TensorUsageRecord<size_t>& record = trace.records[i];
  AppendId(trace.ids[i], csv);
  absl::StrAppend(csv, ",", record.first_task, ",", record.last_task + 1, ",",
                  record.tensor_size);
  ForEachOptionalColumn(trace, [csv, i](Column /*column*/, const auto& list) {
    if (!list.empty()) absl::StrAppend(csv, ",", CellText(list[i]));
  });
  *csv += '\n';
}

}  // namespace

absl::StatusOr<std::string> FormatTraceCsv(const Trace& trace) {
  if (absl::Status status = CheckLists(trace); !status.ok()) return status;
  std::string csv;
  AppendHeader(trace, &csv);
  absl::flat_hash_set<absl::string_view> ids;
  for (size_t i = 0; i < trace.records.size(); ++i) {
    absl::Status status = CheckRecord(trace, i);
    if (status.ok()) status = CheckId(trace, i, &ids);
    if (!status.ok()) return status;
    const size_t begin = csv.size();
    AppendRecord(trace, i, &csv);
    if (csv.size() - begin > kMaxLineBytes) {
      return RecordError(
          i, absl::StrCat("its row is longer than ", kMaxLineBytes, " bytes"));
    }
  }
  return csv;
}

}  // namespace stowage
