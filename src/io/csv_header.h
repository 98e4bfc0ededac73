// SPDX-License-Identifier: Apache-2.0
// Reads the first row of a trace, which says which columns the file has and at
// which positions. parse_csv.h reads the rows that follow.
#ifndef STOWAGE_SRC_IO_CSV_HEADER_H_
#define STOWAGE_SRC_IO_CSV_HEADER_H_

#include <array>
#include <cstddef>
#include <string>

#include "src/io/columns.h"
#include "src/io/csv_reader.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/problem_file.h"

namespace stowage {

class CsvHeader {
 public:
  CsvHeader() = default;

  // Reads the header from `row`, the first row of `reader`. Names of columns
  // may be in capitals. Error: InvalidArgument if no column of the row is
  // known, if a column is unknown or repeated, or if a column requires another
  // column that is missing.
  static StatusOr<CsvHeader> Read(const CsvRow& row, const CsvOptions& options,
                                  const CsvReader& reader);

  // Returns the number of columns, unknown ones included.
  size_t size() const { return size_; }
  bool Has(Column column) const { return positions_[column].has_value(); }
  // Requires that the file has the column.
  size_t PositionOf(Column column) const { return *positions_[column]; }
  // Returns the name that this file has for the column.
  string_view NameOf(Column column) const { return names_[column]; }
  // Returns whether the file gives the last task of each record (column `end`),
  // and not the task after it (column `upper`).
  bool is_inclusive() const { return is_inclusive_; }
  // Returns whether the file is a plan that has only ids and places
  // (CsvOptions::accept_places_alone).
  bool lacks_records() const { return lacks_records_; }

 private:
  // Each of these functions returns the message of an error, or an empty
  // string.
  std::string AddColumn(const std::string& name, size_t position,
                        const CsvOptions& options, const CsvReader& reader);
  std::string CheckStyle() const;
  std::string CheckColumns(const CsvOptions& options) const;

  size_t size_ = 0;
  std::array<optional<size_t>, kColumnNames.size()> positions_;
  std::array<std::string, kColumnNames.size()> names_;
  // The first column of the file that only MiniMalloc has.
  optional<std::string> minimalloc_column_;
  bool is_inclusive_ = false;
  bool lacks_records_ = false;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_CSV_HEADER_H_
