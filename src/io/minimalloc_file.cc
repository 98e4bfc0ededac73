// SPDX-License-Identifier: Apache-2.0
#include "stowage/io/minimalloc_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "src/base/str_split.h"
#include "src/io/buffer_gaps.h"
#include "src/io/columns.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// The values of a row as they are in the file.
struct FileRow {
  size_t line = 0;
  std::string id;
  int64_t lower = 0;
  int64_t last = 0;  // inclusive
  size_t size = 0;
  size_t alignment = 1;
  optional<size_t> offset;
  std::string gaps;
};

class MinimallocParser {
 public:
  explicit MinimallocParser(string_view name) : name_(name) {}

  StatusOr<MinimallocFile> Parse(string_view csv);

 private:
  Status ReadHeader(string_view line);
  Status ReadRow(string_view line);
  Status ReadInterval(FileRow* row) const;
  Status AddRow(const FileRow& row, size_t shift);
  void AddPart(const FileRow& row, const BufferPart& part, bool is_grouped);
  // Returns the line without the field in column `offset`.
  std::string Kept() const;
  StatusOr<int64_t> Number(Column column) const;
  // Returns a number that must not be negative, or `otherwise` if the file has
  // no such column.
  StatusOr<size_t> Count(Column column, size_t otherwise) const;
  bool Has(Column column) const { return positions_[column].has_value(); }
  string_view Field(Column column) const {
    return fields_[*positions_[column]];
  }
  Status Error(string_view message) const {
    return InvalidArgumentError(StrCat(name_, ":", line_, ": ", message));
  }

  const std::string name_;
  size_t line_ = 0;
  std::vector<string_view> names_;   // the names of the columns
  std::vector<string_view> fields_;  // the fields of this line
  std::array<optional<size_t>, kColumnNames.size()> positions_;
  bool is_inclusive_ = false;
  std::vector<FileRow> rows_;
  MinimallocFile file_;
};

StatusOr<MinimallocFile> MinimallocParser::Parse(string_view csv) {
  bool has_ended = false;
  for (string_view line : StrSplit(csv, '\n')) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    has_ended = has_ended || line.empty();
    if (has_ended) {
      if (!line.empty()) ++file_.ignored_lines;
      continue;
    }
    ++line_;
    if (Status s = line_ == 1 ? ReadHeader(line) : ReadRow(line); !s.ok()) {
      return s;
    }
  }
  if (names_.empty()) {
    line_ = 1;
    return Error("no header; expected the columns id, lower, upper and size");
  }
  int64_t begin = 0;
  for (const FileRow& row : rows_) begin = std::min(begin, row.lower);
  const size_t shift = size_t{0} - static_cast<size_t>(begin);
  for (const FileRow& row : rows_) {
    line_ = row.line;
    if (Status s = AddRow(row, shift); !s.ok()) return s;
  }
  file_.problem.constraints.places.resize(file_.problem.records.size());
  const auto is_alone = [](const RecordPlace& place) {
    return place.group == kNoGroup;
  };
  std::vector<RecordPlace>& places = file_.problem.constraints.places;
  if (std::all_of(places.begin(), places.end(), is_alone)) places.clear();
  return std::move(file_);
}

Status MinimallocParser::ReadHeader(string_view line) {
  names_ = StrSplit(line, ',');
  fields_ = names_;
  for (size_t k = 0; k < names_.size(); ++k) {
    string_view name = names_[k];
    if (std::count(names_.begin(), names_.end(), name) > 1) {
      return Error(
          StrCat("column ", Quoted(name), " repeats; expected it once"));
    }
    is_inclusive_ = is_inclusive_ || name == kInclusiveEnd;
    for (const ColumnAlias& alias : kColumnAliases) {
      if (name == alias.name) name = kColumnNames[alias.column];
    }
    const auto* const found =
        std::find(kColumnNames.begin(), kColumnNames.end(), name);
    if (found == kColumnNames.end()) continue;
    const auto column = static_cast<size_t>(found - kColumnNames.begin());
    if (positions_[column]) {
      return Error(StrCat("column ", Quoted(names_[k]), " is another name of ",
                          Quoted(names_[*positions_[column]]),
                          "; expected one of them"));
    }
    positions_[column] = k;
  }
  for (const Column column : {kId, kLower, kUpper, kSize}) {
    if (!Has(column)) {
      return Error(StrCat("no column ", kColumnNames[column], "; expected it"));
    }
  }
  file_.header = Kept();
  return OkStatus();
}

std::string MinimallocParser::Kept() const {
  std::string kept;
  string_view separator;
  for (size_t k = 0; k < fields_.size(); ++k) {
    if (positions_[kOffset] == k) continue;
    StrAppend(&kept, separator, fields_[k]);
    separator = ",";
  }
  return kept;
}

StatusOr<int64_t> MinimallocParser::Number(Column column) const {
  int64_t number = 0;
  if (SimpleAtoi(Field(column), &number)) return number;
  return Error(StrCat(names_[*positions_[column]], " is ",
                      Quoted(Field(column)),
                      "; expected a whole number from -2^63 to 2^63 - 1"));
}

StatusOr<size_t> MinimallocParser::Count(Column column,
                                         size_t otherwise) const {
  if (!Has(column)) return otherwise;
  const StatusOr<int64_t> number = Number(column);
  if (!number.ok()) return number.status();
  if (*number >= 0) return static_cast<size_t>(*number);
  return Error(StrCat(names_[*positions_[column]], " is ", *number,
                      "; expected at least 0"));
}

Status MinimallocParser::ReadInterval(FileRow* row) const {
  const StatusOr<int64_t> lower = Number(kLower);
  if (!lower.ok()) return lower.status();
  const StatusOr<int64_t> upper = Number(kUpper);
  if (!upper.ok()) return upper.status();
  if (is_inclusive_ ? *upper < *lower : *upper <= *lower) {
    return Error(StrCat(names_[*positions_[kUpper]], " is ", *upper,
                        "; expected ",
                        is_inclusive_ ? "at least " : "more than ",
                        names_[*positions_[kLower]], ", which is ", *lower));
  }
  row->lower = *lower;
  row->last = is_inclusive_ ? *upper : *upper - 1;
  return OkStatus();
}

Status MinimallocParser::ReadRow(string_view line) {
  fields_ = StrSplit(line, ',');
  if (fields_.size() != names_.size()) {
    return Error(StrCat(fields_.size(),
                        fields_.size() == 1 ? " field" : " fields",
                        "; expected ", names_.size(), " as in the header"));
  }
  FileRow row;
  row.line = line_;
  row.id = std::string(Field(kId));
  if (Status s = ReadInterval(&row); !s.ok()) return s;
  const StatusOr<size_t> size = Count(kSize, 0);
  if (!size.ok()) return size.status();
  row.size = *size;
  const StatusOr<size_t> alignment = Count(kAlignment, 1);
  if (!alignment.ok()) return alignment.status();
  if (!IsValidAlignment(*alignment)) {
    return Error(
        StrCat("alignment is ", *alignment, "; expected a power of two"));
  }
  row.alignment = *alignment;
  if (Has(kOffset)) {
    const StatusOr<size_t> offset = Count(kOffset, 0);
    if (!offset.ok()) return offset.status();
    row.offset = *offset;
  }
  if (Has(kGaps)) row.gaps = std::string(Field(kGaps));
  rows_.push_back(std::move(row));
  file_.rows.push_back(Kept());
  return OkStatus();
}

Status MinimallocParser::AddRow(const FileRow& row, size_t shift) {
  const TensorUsageRecord<size_t> buffer(row.size,
                                         static_cast<size_t>(row.lower) + shift,
                                         static_cast<size_t>(row.last) + shift);
  StatusOr<std::vector<BufferPart>> parts =
      PartsOfBuffer(buffer, row.gaps, is_inclusive_, shift);
  if (!parts.ok()) return Error(parts.status().message());
  const auto has = [&parts](auto is_such) {
    return std::any_of(parts->begin(), parts->end(), is_such);
  };
  // The start of the buffer must be aligned, and its end must be within the
  // capacity, even if there is no part at the start or at the end because of
  // gaps. In that case, a part of 0 bytes is added there.
  const TaskId first = buffer.first_task;
  if (!has([](const BufferPart& part) { return part.at == 0; })) {
    parts->push_back({{0, first, first}, 0});
  }
  if (!has([&row](const BufferPart& part) {
        return part.at + part.record.tensor_size == row.size;
      })) {
    parts->push_back({{0, first, first}, row.size});
  }
  const size_t begin = file_.problem.records.size();
  for (const BufferPart& part : *parts) AddPart(row, part, parts->size() > 1);
  const auto start =
      std::find_if(parts->begin(), parts->end(),
                   [](const BufferPart& part) { return part.at == 0; });
  file_.starts.push_back(begin + static_cast<size_t>(start - parts->begin()));
  return OkStatus();
}

void MinimallocParser::AddPart(const FileRow& row, const BufferPart& part,
                               bool is_grouped) {
  ProblemSpec& problem = file_.problem;
  const bool is_start = part.at == 0;
  problem.records.push_back(part.record);
  problem.names.push_back(row.id);
  if (Has(kAlignment)) {
    problem.alignments.push_back(is_start ? row.alignment : 1);
  }
  if (Has(kOffset)) {
    problem.fixed_offsets.push_back(is_start ? row.offset : nullopt);
  }
  if (!is_grouped) return;
  problem.constraints.group_word = "gaps";
  problem.constraints.places.resize(problem.records.size());
  RecordPlace& place = problem.constraints.places.back();
  place.group = static_cast<uint32_t>(file_.starts.size());
  place.at = part.at;
  const size_t groups = size_t{place.group} + 1;
  if (problem.labels.groups.size() < groups) {
    problem.labels.groups.resize(groups);
  }
  problem.labels.groups.back() = row.id;
}

}  // namespace

StatusOr<MinimallocFile> ParseMinimallocCsv(string_view csv, string_view name) {
  return MinimallocParser(name).Parse(csv);
}

std::string FormatMinimallocPlan(const MinimallocFile& file,
                                 const OffsetsAssignment& plan) {
  std::string csv = StrCat(file.header, ",offset\n");
  for (size_t k = 0; k < file.rows.size(); ++k) {
    StrAppend(&csv, file.rows[k], ",", plan.offsets[file.starts[k]], "\n");
  }
  return csv;
}

}  // namespace stowage
