// SPDX-License-Identifier: Apache-2.0
#include "src/trace/parse_csv.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/trace/columns.h"
#include "src/trace/csv_reader.h"
#include "src/trace/text.h"
#include "stowage/tensor_size.h"

namespace stowage {
namespace {

absl::optional<Column> ColumnOf(absl::string_view name) {
  const auto* found = std::find(kColumnNames.begin(), kColumnNames.end(), name);
  if (found == kColumnNames.end()) return absl::nullopt;
  return static_cast<Column>(found - kColumnNames.begin());
}

// One file: its header, then its records.
class TraceParser {
 public:
  TraceParser(ByteSource* csv, absl::string_view name,
              const TraceOptions& options)
      : reader_(csv, name), options_(options) {}

  absl::StatusOr<Trace> Parse();

 private:
  absl::Status ReadHeader();
  absl::Status ReadColumn(size_t position);
  absl::Status CheckColumns() const;
  absl::Status ReadRecord();
  absl::Status ReadId();
  absl::Status ReadInterval();
  absl::Status ReadOptionalColumns();
  absl::Status ReadFixed();
  absl::StatusOr<size_t> Number(Column column) const;
  bool Has(Column column) const { return positions_[column].has_value(); }
  const std::string& Field(Column column) const {
    return row_.fields[*positions_[column]];
  }
  absl::Status Error(absl::string_view message) const {
    return reader_.ErrorAt(row_.line, message);
  }

  CsvReader reader_;
  const TraceOptions& options_;
  CsvRow row_;
  size_t column_count_ = 0;
  std::array<absl::optional<size_t>, kColumnNames.size()> positions_;
  absl::flat_hash_map<std::string, size_t> line_of_id_;
  Trace trace_;
};

absl::StatusOr<Trace> TraceParser::Parse() {
  absl::StatusOr<bool> more = reader_.Next(&row_);
  if (more.ok() && *more) {
    if (absl::Status status = ReadHeader(); !status.ok()) return status;
    more = reader_.Next(&row_);
  }
  while (more.ok() && *more) {
    if (absl::Status status = ReadRecord(); !status.ok()) return status;
    more = reader_.Next(&row_);
  }
  if (!more.ok()) return more.status();
  return std::move(trace_);
}

absl::Status TraceParser::ReadHeader() {
  if (std::none_of(row_.fields.begin(), row_.fields.end(),
                   [](const std::string& name) { return ColumnOf(name); })) {
    return Error(absl::StrCat(
        "no header: the first row starts with ", Quoted(row_.fields[0]),
        "; expected the columns id, lower, upper and size"));
  }
  column_count_ = row_.fields.size();
  for (size_t i = 0; i < column_count_; ++i) {
    if (absl::Status status = ReadColumn(i); !status.ok()) return status;
  }
  return CheckColumns();
}

absl::Status TraceParser::ReadColumn(size_t position) {
  const std::string& name = row_.fields[position];
  const absl::optional<Column> column = ColumnOf(name);
  if (!column) {
    if (options_.ignore_unknown_columns) return absl::OkStatus();
    return Error(absl::StrCat(
        "unknown column ", Quoted(name),
        "; expected id, lower, upper, size, alignment, fixed, offset or "
        "object (--ignore-unknown-columns reads past others)"));
  }
  if (Has(*column)) {
    return Error(absl::StrCat("column ", Quoted(name),
                              " appears twice; expected it once"));
  }
  positions_[*column] = position;
  return absl::OkStatus();
}

absl::Status TraceParser::CheckColumns() const {
  for (size_t column = 0; column < kFirstOptionalColumn; ++column) {
    if (!Has(static_cast<Column>(column))) {
      return Error(absl::StrCat("no column ", Quoted(kColumnNames[column]),
                                "; expected id, lower, upper and size"));
    }
  }
  if (Has(kOffset) && Has(kObject)) {
    return Error("both offset and object; expected one of them");
  }
  return absl::OkStatus();
}

absl::Status TraceParser::ReadRecord() {
  if (row_.fields.size() != column_count_) {
    return Error(absl::StrCat(row_.fields.size(), " fields; expected ",
                              column_count_, " as in the header"));
  }
  if (absl::Status status = ReadId(); !status.ok()) return status;
  if (absl::Status status = ReadInterval(); !status.ok()) return status;
  return ReadOptionalColumns();
}

absl::Status TraceParser::ReadId() {
  const std::string& id = Field(kId);
  if (id.empty()) return Error("id is empty; expected a unique id");
  const auto [found, is_new] = line_of_id_.try_emplace(id, row_.line);
  if (!is_new) {
    return Error(absl::StrCat("id ", Quoted(id), " repeats line ",
                              found->second, "; expected a unique id"));
  }
  trace_.ids.push_back(id);
  return absl::OkStatus();
}

absl::Status TraceParser::ReadInterval() {
  const absl::StatusOr<size_t> lower = Number(kLower);
  if (!lower.ok()) return lower.status();
  const absl::StatusOr<size_t> upper = Number(kUpper);
  if (!upper.ok()) return upper.status();
  const absl::StatusOr<size_t> size = Number(kSize);
  if (!size.ok()) return size.status();
  if (*upper <= *lower) {
    return Error(absl::StrCat("upper is ", *upper,
                              "; expected more than lower, which is ", *lower,
                              ": upper is one past the last task"));
  }
  trace_.records.emplace_back(*size, *lower, *upper - 1);
  return absl::OkStatus();
}

absl::Status TraceParser::ReadOptionalColumns() {
  const std::pair<Column, std::vector<size_t>*> lists[] = {
      {kAlignment, &trace_.alignments},
      {kOffset, &trace_.offsets},
      {kObject, &trace_.objects}};
  for (const auto& [column, list] : lists) {
    if (!Has(column)) continue;
    const absl::StatusOr<size_t> number = Number(column);
    if (!number.ok()) return number.status();
    if (column == kAlignment && !IsValidAlignment(*number)) {
      return Error(
          absl::StrCat("alignment is ", *number, "; expected a power of two"));
    }
    list->push_back(*number);
  }
  return ReadFixed();
}

// An empty field is a record that may be placed anywhere.
absl::Status TraceParser::ReadFixed() {
  if (!Has(kFixed)) return absl::OkStatus();
  if (Field(kFixed).empty()) {
    trace_.fixed.emplace_back();
    return absl::OkStatus();
  }
  const absl::StatusOr<size_t> number = Number(kFixed);
  if (!number.ok()) return number.status();
  trace_.fixed.emplace_back(*number);
  return absl::OkStatus();
}

// Decimal digits and nothing else: no sign, no exponent, no separator.
absl::StatusOr<size_t> TraceParser::Number(Column column) const {
  const std::string& text = Field(column);
  uint64_t number = 0;
  if (!std::all_of(text.begin(), text.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(text, &number)) {
    return Error(absl::StrCat(kColumnNames[column], " is ", Quoted(text),
                              "; expected a whole number from 0 to ",
                              std::numeric_limits<uint64_t>::max(),
                              " in digits"));
  }
  return number;
}

}  // namespace

absl::StatusOr<Trace> ParseTraceCsv(ByteSource* csv, absl::string_view name,
                                    const TraceOptions& options) {
  return TraceParser(csv, name, options).Parse();
}

absl::StatusOr<Trace> ParseTraceCsv(absl::string_view csv,
                                    absl::string_view name,
                                    const TraceOptions& options) {
  StringSource source(csv);
  return ParseTraceCsv(&source, name, options);
}

}  // namespace stowage
