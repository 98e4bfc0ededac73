// SPDX-License-Identifier: Apache-2.0
// Reads the first row of a trace, which determines the columns of the file and
// their positions. To read the other rows use parse_csv.h.
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
  // may be in capitals. Error: InvalidArgument if the row contains no known
  // column, if a column is unknown or repeated, or if a column requires another
  // column that is missing.
  static StatusOr<CsvHeader> Read(const CsvRow& row, const CsvOptions& options,
                                  const CsvReader& reader);

  // Returns the number of columns, including unknown ones.
  size_t size() const { return size_; }
  bool Has(Column column) const { return positions_[column].has_value(); }
  // Returns the position of a column. Requires that the file has the column.
  size_t PositionOf(Column column) const { return *positions_[column]; }
  // Returns the name of the column in this file.
  string_view NameOf(Column column) const { return names_[column]; }
  // Returns whether the file contains the last task of each record (column
  // `end`) instead of the task after it (column `upper`).
  bool is_inclusive() const { return is_inclusive_; }
  // Returns whether the file is a plan that contains only ids and places
  // (CsvOptions::accept_places_alone).
  bool lacks_records() const { return lacks_records_; }

 private:
  // Each of these functions returns an error message, or an empty string if
  // there is no error.
  std::string AddColumn(const std::string& name, size_t position,
                        const CsvOptions& options, const CsvReader& reader);
  std::string CheckStyle() const;
  std::string CheckColumns(const CsvOptions& options) const;

  size_t size_ = 0;
  std::array<optional<size_t>, kColumnNames.size()> positions_;
  std::array<std::string, kColumnNames.size()> names_;
  // The first column of the file that exists only in MiniMalloc.
  optional<std::string> minimalloc_column_;
  bool is_inclusive_ = false;
  bool lacks_records_ = false;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_CSV_HEADER_H_
