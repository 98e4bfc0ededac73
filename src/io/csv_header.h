// SPDX-License-Identifier: Apache-2.0
// The first row of a trace: which columns there are, and where. The rows that
// follow are read by parse_csv.h.
#ifndef STOWAGE_SRC_IO_CSV_HEADER_H_
#define STOWAGE_SRC_IO_CSV_HEADER_H_

#include <array>
#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/io/columns.h"
#include "src/io/csv_reader.h"
#include "stowage/trace.h"

namespace stowage {

class CsvHeader {
 public:
  CsvHeader() = default;

  // Reads the first row of `reader`. Names may be in capitals. Error:
  // InvalidArgument for a row without a known column; for a column that is not
  // known, that is there twice or that lacks others.
  static absl::StatusOr<CsvHeader> Read(const CsvRow& row,
                                        const TraceOptions& options,
                                        const CsvReader& reader);

  size_t size() const { return size_; }  // columns, unknown ones included
  bool Has(Column column) const { return positions_[column].has_value(); }
  // Requires that the file has the column.
  size_t PositionOf(Column column) const { return *positions_[column]; }
  // Returns the name that this file has for the column.
  absl::string_view NameOf(Column column) const { return names_[column]; }
  // Returns whether the upper end of an interval is the last task: the column
  // `end`.
  bool is_inclusive() const { return is_inclusive_; }
  // Returns whether this is a plan of ids and places alone
  // (TraceOptions::accept_places_alone).
  bool lacks_records() const { return lacks_records_; }

 private:
  // Each returns the message of an error, or an empty one.
  std::string AddColumn(const std::string& name, size_t position,
                        const TraceOptions& options, const CsvReader& reader);
  std::string CheckStyle() const;
  std::string CheckColumns(const TraceOptions& options) const;

  size_t size_ = 0;
  std::array<absl::optional<size_t>, kColumnNames.size()> positions_;
  std::array<std::string, kColumnNames.size()> names_;
  // The first column that only MiniMalloc has.
  absl::optional<std::string> minimalloc_column_;
  bool is_inclusive_ = false;
  bool lacks_records_ = false;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_CSV_HEADER_H_
