// SPDX-License-Identifier: Apache-2.0
#include "src/io/parse_csv.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/containers.h"
#include "src/base/str_cat.h"
#include "src/io/buffer_gaps.h"
#include "src/io/columns.h"
#include "src/io/csv_header.h"
#include "src/io/csv_reader.h"
#include "src/io/name_table.h"
#include "src/io/pool_cell.h"
#include "src/io/tensor_columns.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/constraints.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

// Parses one file: first its header, then its records.
class CsvParser {
 public:
  CsvParser(ByteSource* csv, string_view name, const CsvOptions& options)
      : reader_(csv, name), options_(options) {}

  StatusOr<ProblemFile> Parse();

 private:
  Status ReadRow();
  Status ReadRecord(const std::string& id, const BufferPart& part);
  Status ReadId(const std::string& id);
  StatusOr<TensorUsageRecord<size_t>> ReadInterval() const;
  Status ReadAlignment(const BufferPart& part);
  Status ReadOffset(const BufferPart& part);
  Status ReadPlace();
  Status ReadGroup(RecordPlace* place);
  Status ReadPools();
  Status ReadTensor();
  Status ReadOperators();
  void GroupParts(Span<const BufferPart> parts);
  StatusOr<optional<size_t>> OptionalNumber(Column column) const;
  StatusOr<size_t> Number(Column column) const;
  std::string RowId() const;
  bool Has(Column column) const { return header_.Has(column); }
  bool HasValue(Column column) const {
    return Has(column) && !Field(column).empty();
  }
  const std::string& Field(Column column) const {
    return row_.fields[header_.PositionOf(column)];
  }
  // Returns the cell of the current row, or null if the file has no such
  // column.
  const std::string* CellOf(Column column) const {
    return Has(column) ? &Field(column) : nullptr;
  }
  string_view NameOf(Column column) const { return header_.NameOf(column); }
  Status Error(string_view message) const {
    return reader_.ErrorAt(row_.line, message);
  }
  ProblemFile Finish();

  CsvReader reader_;
  const CsvOptions& options_;
  CsvRow row_;
  CsvHeader header_;
  size_t rows_ = 0;
  flat_hash_map<std::string, size_t> line_of_id_;
  NameTable groups_;
  NameTable pools_;
  TensorColumnReader tensors_;
  ProblemSpec problem_;
  FilePlan plan_;
};

StatusOr<ProblemFile> CsvParser::Parse() {
  StatusOr<bool> more = reader_.Next(&row_);
  if (more.ok() && *more) {
    StatusOr<CsvHeader> header = CsvHeader::Read(row_, options_, reader_);
    if (!header.ok()) return header.status();
    header_ = *std::move(header);
    more = reader_.Next(&row_);
  }
  while (more.ok() && *more) {
    if (Status status = ReadRow(); !status.ok()) return status;
    more = reader_.Next(&row_);
  }
  if (!more.ok()) return more.status();
  if (Status status = ReadOperators(); !status.ok()) return status;
  return Finish();
}

// Clears each list in which no record has an entry, and returns the problem and
// the plan.
ProblemFile CsvParser::Finish() {
  Constraints& constraints = problem_.constraints;
  problem_.labels.groups = groups_.names();
  for (const std::string& name : pools_.names()) {
    constraints.pools.push_back({name, nullopt});
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
  if (std::all_of(problem_.labels.tensors.begin(),
                  problem_.labels.tensors.end(), is_unknown)) {
    problem_.labels.tensors.clear();
  }
  return {std::move(problem_), std::move(plan_)};
}

// Reads a record. A buffer with gaps becomes several records, one for each
// part.
Status CsvParser::ReadRow() {
  if (row_.fields.size() != header_.size()) {
    const bool is_one = row_.fields.size() == 1;
    return Error(StrCat(
        row_.fields.size(), is_one ? " field" : " fields", "; expected ",
        header_.size(), " as in the header",
        is_one ? StrCat(", with ", reader_.separator_name(), " between") : ""));
  }
  ++rows_;
  if (header_.lacks_records()) return ReadRecord(RowId(), {});
  const StatusOr<TensorUsageRecord<size_t>> record = ReadInterval();
  if (!record.ok()) return record.status();
  if (!Has(kGaps)) return ReadRecord(RowId(), {*record, 0});
  StatusOr<std::vector<BufferPart>> parts =
      PartsOfBuffer(*record, Field(kGaps), header_.is_inclusive());
  if (!parts.ok()) return Error(parts.status().message());
  // The alignment applies to the start of the buffer. If no part begins there,
  // an empty part is added there.
  if (Has(kAlignment) &&
      std::none_of(parts->begin(), parts->end(),
                   [](const BufferPart& part) { return part.at == 0; })) {
    const TaskId first = parts->front().record.first_task;
    parts->insert(parts->begin(), {{0, first, first}, 0});
  }
  for (size_t k = 0; k < parts->size(); ++k) {
    const std::string id = RowId();
    if (Status s =
            ReadRecord(k == 0 ? id : StrCat(id, "#", k + 1), (*parts)[k]);
        !s.ok()) {
      return s;
    }
  }
  GroupParts(*parts);
  return OkStatus();
}

// Puts the parts of a buffer in one group. A single part also needs a group if
// it does not begin at the start of the buffer.
void CsvParser::GroupParts(Span<const BufferPart> parts) {
  std::vector<RecordPlace>& places = problem_.constraints.places;
  places.resize(problem_.records.size());
  if (parts.size() == 1 && parts[0].at == 0) return;
  problem_.constraints.group_word = "gaps";
  const uint32_t group = groups_.NumberOf(RowId());
  for (size_t k = 0; k < parts.size(); ++k) {
    RecordPlace& place = places[places.size() - parts.size() + k];
    place.group = group;
    place.at = parts[k].at;
  }
}

Status CsvParser::ReadRecord(const std::string& id, const BufferPart& part) {
  if (Status s = ReadId(id); !s.ok()) return s;
  if (!header_.lacks_records()) problem_.records.push_back(part.record);
  if (Status s = ReadAlignment(part); !s.ok()) return s;
  if (Status s = ReadOffset(part); !s.ok()) return s;
  if (Status s = ReadPlace(); !s.ok()) return s;
  if (Status s = ReadPools(); !s.ok()) return s;
  return ReadTensor();
}

// Returns the id of the row, or its number, counted from 0, if the file has no
// ids.
std::string CsvParser::RowId() const {
  return Has(kId) ? Field(kId) : StrCat(rows_ - 1);
}

Status CsvParser::ReadId(const std::string& id) {
  if (id.empty()) {
    return Error(StrCat(NameOf(kId), " is empty; expected a unique id"));
  }
  const auto [found, is_new] = line_of_id_.try_emplace(id, row_.line);
  if (!is_new) {
    return Error(StrCat("id ", Quoted(id), " repeats line ", found->second,
                        "; expected a unique id"));
  }
  problem_.names.push_back(id);
  return OkStatus();
}

StatusOr<TensorUsageRecord<size_t>> CsvParser::ReadInterval() const {
  const StatusOr<size_t> lower = Number(kLower);
  if (!lower.ok()) return lower.status();
  const StatusOr<size_t> upper = Number(kUpper);
  if (!upper.ok()) return upper.status();
  const StatusOr<size_t> size = Number(kSize);
  if (!size.ok()) return size.status();
  if (header_.is_inclusive() ? *upper < *lower : *upper <= *lower) {
    return Error(StrCat(
        NameOf(kUpper), " is ", *upper, "; expected ",
        header_.is_inclusive() ? "at least " : "more than ", NameOf(kLower),
        ", which is ", *lower, ": ", NameOf(kUpper), " is ",
        header_.is_inclusive() ? "the last task" : "one past the last task"));
  }
  return TensorUsageRecord<size_t>(
      *size, *lower, header_.is_inclusive() ? *upper : *upper - 1);
}

Status CsvParser::ReadAlignment(const BufferPart& part) {
  if (!Has(kAlignment)) return OkStatus();
  const StatusOr<optional<size_t>> cell = OptionalNumber(kAlignment);
  if (!cell.ok()) return cell.status();
  const size_t alignment = cell->value_or(1);
  if (!IsValidAlignment(alignment)) {
    return Error(
        StrCat("alignment is ", alignment, "; expected a power of two"));
  }
  problem_.alignments.push_back(part.at == 0 ? alignment : 1);
  return OkStatus();
}

// Reads the place in the plan from the column of offsets or the column of
// shared objects. A file has only one of these columns.
Status CsvParser::ReadOffset(const BufferPart& part) {
  if (Has(kObject)) {
    const StatusOr<size_t> object = Number(kObject);
    if (!object.ok()) return object.status();
    plan_.objects.push_back(*object);
  }
  if (!Has(kOffset)) return OkStatus();
  const StatusOr<size_t> offset = Number(kOffset);
  if (!offset.ok()) return offset.status();
  const optional<size_t> sum = CheckedAdd(*offset, part.at);
  if (!sum) {
    return Error(StrCat("offset is ", *offset,
                        "; expected less, so that its gaps are below "
                        "2^64"));
  }
  plan_.offsets.push_back(*sum);
  return OkStatus();
}

// Reads the columns that constrain the place of a record. An empty field means
// no constraint.
Status CsvParser::ReadPlace() {
  if (Has(kFixed)) {
    const StatusOr<optional<size_t>> fixed = OptionalNumber(kFixed);
    if (!fixed.ok()) return fixed.status();
    problem_.fixed_offsets.push_back(*fixed);
  }
  if (!Has(kMin) && !Has(kMax) && !Has(kGroup)) return OkStatus();
  RecordPlace place;
  const StatusOr<optional<size_t>> min = OptionalNumber(kMin);
  if (!min.ok()) return min.status();
  place.min = min->value_or(0);
  const StatusOr<optional<size_t>> max = OptionalNumber(kMax);
  if (!max.ok()) return max.status();
  place.max = *max;
  if (Status s = ReadGroup(&place); !s.ok()) return s;
  problem_.constraints.places.push_back(place);
  return OkStatus();
}

Status CsvParser::ReadGroup(RecordPlace* place) {
  if (!HasValue(kGroup)) {
    if (!HasValue(kAt)) return OkStatus();
    return Error(StrCat("at is ", Quoted(Field(kAt)),
                        " without a group; expected it to be empty"));
  }
  place->group = groups_.NumberOf(Field(kGroup));
  const StatusOr<optional<size_t>> at = OptionalNumber(kAt);
  if (!at.ok()) return at.status();
  place->at = at->value_or(0);
  return OkStatus();
}

Status CsvParser::ReadPools() {
  if (Has(kPool)) {
    const StatusOr<std::vector<NamedChoice>> named =
        ParsePoolCell(Field(kPool));
    if (!named.ok()) {
      return Error(StrCat("pool: ", named.status().message()));
    }
    std::vector<PoolChoice>& choices =
        problem_.constraints.choices.emplace_back();
    for (const NamedChoice& choice : *named) {
      choices.push_back({pools_.NumberOf(choice.pool), choice.cost});
    }
  }
  if (!Has(kChosenPool)) return OkStatus();
  const std::string& chosen = Field(kChosenPool);
  if (!FitsPoolCell(chosen)) {
    return Error(StrCat("chosen_pool is ", Quoted(chosen),
                        "; expected the name of a pool"));
  }
  plan_.chosen_pools.push_back(pools_.NumberOf(chosen));
  return OkStatus();
}

Status CsvParser::ReadTensor() {
  const TensorColumnReader::Cells cells = {CellOf(kName), CellOf(kType),
                                           CellOf(kShape), CellOf(kProducer),
                                           CellOf(kConsumers)};
  if (cells.empty()) return OkStatus();
  StatusOr<TensorInfo> info = tensors_.Read(cells, row_.line);
  if (!info.ok()) return Error(info.status().message());
  problem_.labels.tensors.push_back(*std::move(info));
  return OkStatus();
}

// Reads the names of operators. Must be called after the last row, because
// every row may contain the name of any task.
Status CsvParser::ReadOperators() {
  size_t line = 0;
  StatusOr<std::vector<std::string>> operators =
      tensors_.Operators(problem_.records.size(), &line);
  if (!operators.ok()) {
    return reader_.ErrorAt(line, operators.status().message());
  }
  problem_.labels.operators = *std::move(operators);
  return OkStatus();
}

StatusOr<optional<size_t>> CsvParser::OptionalNumber(Column column) const {
  if (!HasValue(column)) return optional<size_t>();
  const StatusOr<size_t> number = Number(column);
  if (!number.ok()) return number.status();
  return make_optional(*number);
}

// Parses a number, which may consist only of decimal digits, without a sign, an
// exponent or a separator.
StatusOr<size_t> CsvParser::Number(Column column) const {
  const std::string& text = Field(column);
  uint64_t number = 0;
  if (!std::all_of(text.begin(), text.end(), ascii_isdigit) ||
      !SimpleAtoi(text, &number)) {
    return Error(StrCat(NameOf(column), " is ", Quoted(text),
                        "; expected a whole number from 0 to ",
                        std::numeric_limits<uint64_t>::max(), " in digits"));
  }
  return number;
}

}  // namespace

StatusOr<ProblemFile> ParseProblemCsv(ByteSource* csv, string_view name,
                                      const CsvOptions& options) {
  return CsvParser(csv, name, options).Parse();
}

StatusOr<ProblemFile> ParseProblemCsv(string_view csv, string_view name,
                                      const CsvOptions& options) {
  StringSource source(csv);
  return ParseProblemCsv(&source, name, options);
}

}  // namespace stowage
