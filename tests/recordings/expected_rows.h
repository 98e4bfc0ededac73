// SPDX-License-Identifier: Apache-2.0
// Reads the expected rows for recordings of real programs, from the folder that
// STOWAGE_RECORDINGS names.
#ifndef STOWAGE_TESTS_RECORDINGS_EXPECTED_ROWS_H_
#define STOWAGE_TESTS_RECORDINGS_EXPECTED_ROWS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/types/optional.h"

namespace stowage::recordings {

// A row of a CSV file, as a map from column names to cells.
class ExpectedRow {
 public:
  explicit ExpectedRow(std::map<std::string, std::string> cells)
      : cells_(std::move(cells)) {}

  // Returns the text of a cell. Requires that the file has the column.
  const std::string& Text(const std::string& column) const;
  // Returns the number in a cell. Requires that the cell has a decimal number.
  uint64_t Number(const std::string& column) const;
  bool IsEmpty(const std::string& column) const { return Text(column).empty(); }

 private:
  std::map<std::string, std::string> cells_;
};

// Returns the rows of `folder`/expected/`name`, or nothing if the file does not
// exist.
absl::optional<std::vector<ExpectedRow>> ReadExpected(const std::string& folder,
                                                      const std::string& name);

}  // namespace stowage::recordings

#endif  // STOWAGE_TESTS_RECORDINGS_EXPECTED_ROWS_H_
