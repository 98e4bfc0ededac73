// SPDX-License-Identifier: Apache-2.0
// Reads rows of comma-separated values as defined by RFC 4180, and `#`
// comments.
//
//   # comments and blank lines are skipped
//   id,lower,upper,size
//   "a, ""b""", 0, 2, 64
//
// Spaces and tabs around an unquoted field are removed. A quoted field may
// contain anything, including line ends.
#ifndef STOWAGE_SRC_IO_CSV_READER_H_
#define STOWAGE_SRC_IO_CSV_READER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "src/io/line_reader.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"

namespace stowage {

struct CsvRow {
  size_t line = 0;  // the number of the line where the row begins, from 1
  std::vector<std::string> fields;
};

class CsvReader {
 public:
  // `name` identifies the source in messages.
  CsvReader(ByteSource* source, string_view name) : lines_(source, name) {}

  // Reads the next row. Returns false if there are no more rows. Errors: those
  // of LineReader; InvalidArgument for misplaced quotes, and for a row longer
  // than kMaxLineBytes.
  StatusOr<bool> Next(CsvRow* row);

  // Returns the name of the character that separates fields, which is
  // determined by the first row: "a comma", "a semicolon" or "a tab".
  string_view separator_name() const;

  // Returns an InvalidArgument error: "NAME:LINE: MESSAGE".
  Status ErrorAt(size_t line, string_view message) const {
    return lines_.ErrorAt(line, message);
  }

 private:
  // Sets `rest_` and `end_` to the next line. Returns false if there are no
  // more lines.
  StatusOr<bool> NextLine();
  // Each of these functions moves one field from the start of `rest_` to the
  // end of `row`.
  Status ReadField(CsvRow* row);
  Status ReadPlainField(CsvRow* row);
  Status ReadQuotedField(CsvRow* row);
  // Returns the text up to the closing quote of a field, which may span several
  // lines.
  StatusOr<std::string> ReadToClosingQuote();

  // Returns the characters that are stripped from both ends of a field. They
  // include the tab unless the tab separates fields.
  string_view blanks() const;
  void StripLeadingBlanks(string_view* text) const;
  string_view StripTrailingBlanks(string_view text) const;

  LineReader lines_;
  char separator_ = '\0';  // is not known before the first row
  string_view rest_;       // the part of the line that is not read yet
  string_view end_;        // the end of the line: "\n", "\r\n" or nothing
  size_t row_bytes_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_CSV_READER_H_
