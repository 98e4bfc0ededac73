// SPDX-License-Identifier: Apache-2.0
#include "src/io/csv_header.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "src/base/str_split.h"
#include "src/io/columns.h"
#include "src/io/csv_reader.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/problem_file.h"

namespace stowage {
namespace {

// Columns that MiniMalloc does not have. A file with any of these columns must
// use the column names of traces throughout instead of those of MiniMalloc.
constexpr Column kNotOfMiniMalloc[] = {kFixed, kMin,  kMax,    kGroup,
                                       kAt,    kPool, kObject, kChosenPool};

// Returns the column with the name `text`, which may be in capitals.
optional<Column> ColumnOf(string_view text) {
  const std::string name = AsciiStrToLower(text);
  const auto* found = std::find(kColumnNames.begin(), kColumnNames.end(), name);
  if (found != kColumnNames.end()) {
    return static_cast<Column>(found - kColumnNames.begin());
  }
  for (const ColumnAlias& alias : kColumnAliases) {
    if (alias.name == name) return alias.column;
  }
  return nullopt;
}

// Returns whether a field contains the names of several columns, which means
// that the file separates its columns by a character that the reader does not
// treat as a separator.
bool HoldsColumns(string_view field) {
  const std::vector<string_view> names =
      StrSplit(field, ByAnyChar(",;|: \t"), SkipWhitespace());
  return std::count_if(names.begin(), names.end(), ColumnOf) > 1;
}

}  // namespace

StatusOr<CsvHeader> CsvHeader::Read(const CsvRow& row,
                                    const CsvOptions& options,
                                    const CsvReader& reader) {
  CsvHeader header;
  header.size_ = row.fields.size();
  if (std::none_of(row.fields.begin(), row.fields.end(), ColumnOf)) {
    return reader.ErrorAt(
        row.line,
        StrCat("no header: the first row starts with ", Quoted(row.fields[0]),
               HoldsColumns(row.fields[0])
                   ? "; expected commas, semicolons or tabs between "
                     "its columns"
                   : "; expected the columns id, lower, upper and size"));
  }
  std::string error;
  for (size_t i = 0; i < row.fields.size() && error.empty(); ++i) {
    error = header.AddColumn(row.fields[i], i, options, reader);
  }
  if (error.empty()) error = header.CheckStyle();
  if (error.empty()) error = header.CheckColumns(options);
  if (!error.empty()) return reader.ErrorAt(row.line, error);
  header.lacks_records_ = !header.Has(kLower);
  return header;
}

std::string CsvHeader::AddColumn(const std::string& name, size_t position,
                                 const CsvOptions& options,
                                 const CsvReader& reader) {
  const optional<Column> column = ColumnOf(name);
  if (!column && options.ignore_unknown_columns) return "";
  if (!column && HoldsColumns(name)) {
    return StrCat("unknown column ", Quoted(name), "; expected ",
                  reader.separator_name(),
                  " between all columns, as between the first");
  }
  if (!column) {
    return StrCat(
        "unknown column ", Quoted(name),
        "; expected id, lower, upper, size, alignment, fixed, min, max, group, "
        "at, pool, offset, object, chosen_pool, name, type, shape, producer or "
        "consumers (--ignore-unknown-columns reads past others)");
  }
  if (Has(*column) && names_[*column] == name) {
    return StrCat("column ", Quoted(name), " appears twice; expected it once");
  }
  if (Has(*column)) {
    return StrCat("columns ", Quoted(names_[*column]), " and ", Quoted(name),
                  " have one meaning; expected one of them");
  }
  positions_[*column] = position;
  names_[*column] = name;
  const std::string known_name = AsciiStrToLower(name);
  const bool is_alias = known_name != kColumnNames[*column];
  if (!minimalloc_column_ &&
      (is_alias || *column == kGaps || *column == kHint)) {
    minimalloc_column_ = name;
  }
  if (known_name == kInclusiveEnd) is_inclusive_ = true;
  return "";
}

std::string CsvHeader::CheckStyle() const {
  if (!minimalloc_column_) return "";
  for (const Column column : kNotOfMiniMalloc) {
    if (!Has(column)) continue;
    return StrCat("columns ", Quoted(*minimalloc_column_), " and ",
                  Quoted(names_[column]),
                  " are of two formats; expected the columns of "
                  "MiniMalloc or those of a trace");
  }
  return "";
}

std::string CsvHeader::CheckColumns(const CsvOptions& options) const {
  const bool has_any_of_records =
      Has(kLower) || Has(kUpper) || Has(kSize) || Has(kGaps);
  const bool is_places_alone = options.accept_places_alone && Has(kId) &&
                               (Has(kOffset) || Has(kObject)) &&
                               !has_any_of_records;
  for (const Column column : {kLower, kUpper, kSize}) {
    if (Has(column) || is_places_alone) continue;
    return StrCat("no column ", Quoted(kColumnNames[column]),
                  "; expected id, lower, upper and size",
                  options.accept_places_alone
                      ? ", or id and offset or object alone"
                      : "");
  }
  if (Has(kOffset) && Has(kObject)) {
    return "both offset and object; expected one of them";
  }
  if (Has(kAt) && !Has(kGroup)) {
    return "column at without column group; expected both";
  }
  if (Has(kChosenPool) && !Has(kOffset)) {
    return "column chosen_pool without column offset; expected both";
  }
  return "";
}

}  // namespace stowage
