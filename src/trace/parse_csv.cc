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
#include "absl/types/span.h"
#include "src/trace/buffer_gaps.h"
#include "src/trace/columns.h"
#include "src/trace/csv_reader.h"
#include "src/trace/pool_cell.h"
#include "src/trace/tensor_columns.h"
#include "src/trace/text.h"
#include "stowage/constraints.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Columns that a file with columns of MiniMalloc cannot have: one that asks for
// more uses the names of traces throughout.
constexpr Column kNotOfMiniMalloc[] = {kFixed, kMin,  kMax,    kGroup,
                                       kAt,    kPool, kObject, kChosenPool};

absl::optional<Column> ColumnOf(absl::string_view name) {
  const auto* found = std::find(kColumnNames.begin(), kColumnNames.end(), name);
  if (found != kColumnNames.end()) {
    return static_cast<Column>(found - kColumnNames.begin());
  }
  for (const ColumnAlias& alias : kColumnAliases) {
    if (alias.name == name) return alias.column;
  }
  return absl::nullopt;
}

// Numbers names from 0, in the order in which they come.
class NameTable {
 public:
  // `names` is the list of them.
  uint32_t NumberOf(absl::string_view name, std::vector<std::string>* names) {
    const auto [found, is_new] =
        numbers_.try_emplace(name, static_cast<uint32_t>(numbers_.size()));
    if (is_new) names->emplace_back(name);
    return found->second;
  }

 private:
  absl::flat_hash_map<std::string, uint32_t> numbers_;
};

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
  absl::Status CheckStyle() const;
  absl::Status ReadRow();
  absl::Status ReadRecord(const std::string& id, const BufferPart& part);
  absl::Status ReadId(const std::string& id);
  absl::StatusOr<TensorUsageRecord<size_t>> ReadInterval() const;
  absl::Status ReadAlignment(const BufferPart& part);
  absl::Status ReadOffset(const BufferPart& part);
  absl::Status ReadPlace();
  absl::Status ReadGroup(RecordPlace* place);
  absl::Status ReadPools();
  absl::Status ReadTensor();
  absl::Status ReadOperators();
  void GroupParts(absl::Span<const BufferPart> parts);
  absl::StatusOr<absl::optional<size_t>> OptionalNumber(Column column) const;
  absl::StatusOr<size_t> Number(Column column) const;
  bool Has(Column column) const { return positions_[column].has_value(); }
  bool HasValue(Column column) const {
    return Has(column) && !Field(column).empty();
  }
  const std::string& Field(Column column) const {
    return row_.fields[*positions_[column]];
  }
  // Null where the file has no such column.
  const std::string* CellOf(Column column) const {
    return Has(column) ? &Field(column) : nullptr;
  }
  // What this file calls a column.
  absl::string_view NameOf(Column column) const { return names_[column]; }
  absl::Status Error(absl::string_view message) const {
    return reader_.ErrorAt(row_.line, message);
  }
  Trace Finish();

  CsvReader reader_;
  const TraceOptions& options_;
  CsvRow row_;
  size_t column_count_ = 0;
  std::array<absl::optional<size_t>, kColumnNames.size()> positions_;
  std::array<std::string, kColumnNames.size()> names_;
  // The first column that only MiniMalloc has.
  absl::optional<std::string> minimalloc_column_;
  bool is_inclusive_ = false;  // the column `end`
  absl::flat_hash_map<std::string, size_t> line_of_id_;
  NameTable groups_;
  NameTable pools_;
  std::vector<std::string> pool_names_;
  TensorColumnReader tensors_;
  Trace trace_;
};

absl::StatusOr<Trace> TraceParser::Parse() {
  absl::StatusOr<bool> more = reader_.Next(&row_);
  if (more.ok() && *more) {
    if (absl::Status status = ReadHeader(); !status.ok()) return status;
    more = reader_.Next(&row_);
  }
  while (more.ok() && *more) {
    if (absl::Status status = ReadRow(); !status.ok()) return status;
    more = reader_.Next(&row_);
  }
  if (!more.ok()) return more.status();
  if (absl::Status status = ReadOperators(); !status.ok()) return status;
  return Finish();
}

// Lists without a request are no lists.
Trace TraceParser::Finish() {
  Constraints& constraints = trace_.constraints;
  for (std::string& name : pool_names_) {
    constraints.pools.push_back({std::move(name), absl::nullopt});
  }
  const auto is_any = [](const auto& choices) { return choices.empty(); };
  if (std::all_of(constraints.choices.begin(), constraints.choices.end(),
                  is_any)) {
    constraints.choices.clear();
  }
  const auto is_free = [](const RecordPlace& place) {
    return place.min == 0 && !place.max && place.group == kNoGroup;
  };
  if (std::all_of(constraints.places.begin(), constraints.places.end(),
                  is_free)) {
    constraints.places.clear();
  }
  const auto is_unknown = [](const TensorInfo& info) {
    return info.name.empty() && info.type.empty() && info.shape.empty() &&
           !info.producer && info.consumers.empty();
  };
  if (std::all_of(trace_.tensors.begin(), trace_.tensors.end(), is_unknown)) {
    trace_.tensors.clear();
  }
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
  if (absl::Status status = CheckStyle(); !status.ok()) return status;
  return CheckColumns();
}

absl::Status TraceParser::ReadColumn(size_t position) {
  const std::string& name = row_.fields[position];
  const absl::optional<Column> column = ColumnOf(name);
  if (!column) {
    if (options_.ignore_unknown_columns) return absl::OkStatus();
    return Error(absl::StrCat(
        "unknown column ", Quoted(name),
        "; expected id, lower, upper, size, alignment, fixed, min, max, group, "
        "at, pool, offset, object, chosen_pool, name, type, shape, producer or "
        "consumers (--ignore-unknown-columns reads past others)"));
  }
  if (Has(*column)) {
    if (names_[*column] == name) {
      return Error(absl::StrCat("column ", Quoted(name),
                                " appears twice; expected it once"));
    }
    return Error(absl::StrCat("columns ", Quoted(names_[*column]), " and ",
                              Quoted(name),
                              " have one meaning; expected one of them"));
  }
  positions_[*column] = position;
  names_[*column] = name;
  const bool is_alias = name != kColumnNames[*column];
  if (!minimalloc_column_ &&
      (is_alias || *column == kGaps || *column == kHint)) {
    minimalloc_column_ = name;
  }
  if (name == kInclusiveEnd) is_inclusive_ = true;
  return absl::OkStatus();
}

absl::Status TraceParser::CheckStyle() const {
  if (!minimalloc_column_) return absl::OkStatus();
  for (const Column column : kNotOfMiniMalloc) {
    if (!Has(column)) continue;
    return Error(absl::StrCat("columns ", Quoted(*minimalloc_column_), " and ",
                              Quoted(kColumnNames[column]),
                              " are of two formats; expected the columns of "
                              "MiniMalloc or those of a trace"));
  }
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
  if (Has(kAt) && !Has(kGroup)) {
    return Error("at without a column group; expected both");
  }
  if (Has(kChosenPool) && !Has(kOffset)) {
    return Error("chosen_pool without a column offset; expected both");
  }
  return absl::OkStatus();
}

// A record, or the parts of a buffer with gaps, which are one group.
absl::Status TraceParser::ReadRow() {
  if (row_.fields.size() != column_count_) {
    return Error(absl::StrCat(row_.fields.size(), " fields; expected ",
                              column_count_, " as in the header"));
  }
  const absl::StatusOr<TensorUsageRecord<size_t>> record = ReadInterval();
  if (!record.ok()) return record.status();
  if (!Has(kGaps)) return ReadRecord(Field(kId), {*record, 0});
  absl::StatusOr<std::vector<BufferPart>> parts =
      PartsOfBuffer(*record, Field(kGaps), is_inclusive_);
  if (!parts.ok()) return Error(parts.status().message());
  // Alignment is of the start of the buffer, which some part has to have.
  if (Has(kAlignment) &&
      std::none_of(parts->begin(), parts->end(),
                   [](const BufferPart& part) { return part.at == 0; })) {
    const TaskId first = parts->front().record.first_task;
    parts->insert(parts->begin(), {{0, first, first}, 0});
  }
  for (size_t k = 0; k < parts->size(); ++k) {
    const std::string& id = Field(kId);
    if (absl::Status s =
            ReadRecord(k == 0 ? id : absl::StrCat(id, "#", k + 1), (*parts)[k]);
        !s.ok()) {
      return s;
    }
  }
  GroupParts(*parts);
  return absl::OkStatus();
}

// Parts that lie elsewhere than a whole buffer would are a group, even of one.
void TraceParser::GroupParts(absl::Span<const BufferPart> parts) {
  std::vector<RecordPlace>& places = trace_.constraints.places;
  places.resize(trace_.records.size());
  if (parts.size() == 1 && parts[0].at == 0) return;
  trace_.constraints.group_word = "gaps";
  const uint32_t group = groups_.NumberOf(Field(kId), &trace_.groups);
  for (size_t k = 0; k < parts.size(); ++k) {
    RecordPlace& place = places[places.size() - parts.size() + k];
    place.group = group;
    place.at = parts[k].at;
  }
}

absl::Status TraceParser::ReadRecord(const std::string& id,
                                     const BufferPart& part) {
  if (absl::Status s = ReadId(id); !s.ok()) return s;
  trace_.records.push_back(part.record);
  if (absl::Status s = ReadAlignment(part); !s.ok()) return s;
  if (absl::Status s = ReadOffset(part); !s.ok()) return s;
  if (absl::Status s = ReadPlace(); !s.ok()) return s;
  if (absl::Status s = ReadPools(); !s.ok()) return s;
  return ReadTensor();
}

absl::Status TraceParser::ReadId(const std::string& id) {
  if (id.empty()) {
    return Error(absl::StrCat(NameOf(kId), " is empty; expected a unique id"));
  }
  const auto [found, is_new] = line_of_id_.try_emplace(id, row_.line);
  if (!is_new) {
    return Error(absl::StrCat("id ", Quoted(id), " repeats line ",
                              found->second, "; expected a unique id"));
  }
  trace_.ids.push_back(id);
  return absl::OkStatus();
}

absl::StatusOr<TensorUsageRecord<size_t>> TraceParser::ReadInterval() const {
  const absl::StatusOr<size_t> lower = Number(kLower);
  if (!lower.ok()) return lower.status();
  const absl::StatusOr<size_t> upper = Number(kUpper);
  if (!upper.ok()) return upper.status();
  const absl::StatusOr<size_t> size = Number(kSize);
  if (!size.ok()) return size.status();
  if (is_inclusive_ ? *upper < *lower : *upper <= *lower) {
    return Error(absl::StrCat(
        NameOf(kUpper), " is ", *upper, "; expected ",
        is_inclusive_ ? "at least " : "more than ", NameOf(kLower),
        ", which is ", *lower, ": ", NameOf(kUpper), " is ",
        is_inclusive_ ? "the last task" : "one past the last task"));
  }
  return TensorUsageRecord<size_t>(*size, *lower,
                                   is_inclusive_ ? *upper : *upper - 1);
}

absl::Status TraceParser::ReadAlignment(const BufferPart& part) {
  if (!Has(kAlignment)) return absl::OkStatus();
  const absl::StatusOr<absl::optional<size_t>> cell =
      OptionalNumber(kAlignment);
  if (!cell.ok()) return cell.status();
  const size_t alignment = cell->value_or(1);
  if (!IsValidAlignment(alignment)) {
    return Error(
        absl::StrCat("alignment is ", alignment, "; expected a power of two"));
  }
  trace_.alignments.push_back(part.at == 0 ? alignment : 1);
  return absl::OkStatus();
}

// Of offsets and shared objects, which exclude each other.
absl::Status TraceParser::ReadOffset(const BufferPart& part) {
  if (Has(kObject)) {
    const absl::StatusOr<size_t> object = Number(kObject);
    if (!object.ok()) return object.status();
    trace_.objects.push_back(*object);
  }
  if (!Has(kOffset)) return absl::OkStatus();
  const absl::StatusOr<size_t> offset = Number(kOffset);
  if (!offset.ok()) return offset.status();
  const absl::optional<size_t> sum = CheckedAdd(*offset, part.at);
  if (!sum) {
    return Error(absl::StrCat("offset is ", *offset,
                              "; expected less, so that its gaps are below "
                              "2^64"));
  }
  trace_.offsets.push_back(*sum);
  return absl::OkStatus();
}

// Where a field is empty nothing is asked for.
absl::Status TraceParser::ReadPlace() {
  if (Has(kFixed)) {
    const absl::StatusOr<absl::optional<size_t>> fixed = OptionalNumber(kFixed);
    if (!fixed.ok()) return fixed.status();
    trace_.fixed.push_back(*fixed);
  }
  if (!Has(kMin) && !Has(kMax) && !Has(kGroup)) return absl::OkStatus();
  RecordPlace place;
  const absl::StatusOr<absl::optional<size_t>> min = OptionalNumber(kMin);
  if (!min.ok()) return min.status();
  place.min = min->value_or(0);
  const absl::StatusOr<absl::optional<size_t>> max = OptionalNumber(kMax);
  if (!max.ok()) return max.status();
  place.max = *max;
  if (absl::Status s = ReadGroup(&place); !s.ok()) return s;
  trace_.constraints.places.push_back(place);
  return absl::OkStatus();
}

absl::Status TraceParser::ReadGroup(RecordPlace* place) {
  if (!HasValue(kGroup)) {
    if (!HasValue(kAt)) return absl::OkStatus();
    return Error(absl::StrCat("at is ", Quoted(Field(kAt)),
                              " without a group; expected it to be empty"));
  }
  place->group = groups_.NumberOf(Field(kGroup), &trace_.groups);
  const absl::StatusOr<absl::optional<size_t>> at = OptionalNumber(kAt);
  if (!at.ok()) return at.status();
  place->at = at->value_or(0);
  return absl::OkStatus();
}

absl::Status TraceParser::ReadPools() {
  if (Has(kPool)) {
    const absl::StatusOr<std::vector<NamedChoice>> named =
        ParsePoolCell(Field(kPool));
    if (!named.ok()) {
      return Error(absl::StrCat("pool: ", named.status().message()));
    }
    std::vector<PoolChoice>& choices =
        trace_.constraints.choices.emplace_back();
    for (const NamedChoice& choice : *named) {
      choices.push_back(
          {pools_.NumberOf(choice.pool, &pool_names_), choice.cost});
    }
  }
  if (!Has(kChosenPool)) return absl::OkStatus();
  const std::string& chosen = Field(kChosenPool);
  if (!FitsPoolCell(chosen)) {
    return Error(absl::StrCat("chosen_pool is ", Quoted(chosen),
                              "; expected the name of a pool"));
  }
  trace_.chosen_pools.push_back(pools_.NumberOf(chosen, &pool_names_));
  return absl::OkStatus();
}

absl::Status TraceParser::ReadTensor() {
  const TensorColumnReader::Cells cells = {CellOf(kName), CellOf(kType),
                                           CellOf(kShape), CellOf(kProducer),
                                           CellOf(kConsumers)};
  if (cells.empty()) return absl::OkStatus();
  absl::StatusOr<TensorInfo> info = tensors_.Read(cells, row_.line);
  if (!info.ok()) return Error(info.status().message());
  trace_.tensors.push_back(*std::move(info));
  return absl::OkStatus();
}

// When all rows are read, for any of them may name any task.
absl::Status TraceParser::ReadOperators() {
  size_t line = 0;
  absl::StatusOr<std::vector<std::string>> operators =
      tensors_.Operators(trace_.records.size(), &line);
  if (!operators.ok()) {
    return reader_.ErrorAt(line, operators.status().message());
  }
  trace_.operators = *std::move(operators);
  return absl::OkStatus();
}

absl::StatusOr<absl::optional<size_t>> TraceParser::OptionalNumber(
    Column column) const {
  if (!HasValue(column)) return absl::optional<size_t>();
  const absl::StatusOr<size_t> number = Number(column);
  if (!number.ok()) return number.status();
  return absl::make_optional(*number);
}

// Decimal digits and nothing else: no sign, no exponent, no separator.
absl::StatusOr<size_t> TraceParser::Number(Column column) const {
  const std::string& text = Field(column);
  uint64_t number = 0;
  if (!std::all_of(text.begin(), text.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(text, &number)) {
    return Error(absl::StrCat(NameOf(column), " is ", Quoted(text),
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
